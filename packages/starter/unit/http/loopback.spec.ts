import { test } from '@japa/runner'

import { isSameOrigin, underUsedName } from '#kit/http/loopback'

test.group('Names of this computer', () => {
  test('{0} is {1} under {2}')
    .with([
      ['http://localhost:3333', 'http://127.0.0.1:3333', '127.0.0.1:3333'],
      ['http://127.0.0.1:3333/below', 'http://localhost:3333/below', 'localhost:3333'],
      ['http://localhost:3333', 'http://[::1]:3333', '[::1]:3333'],
      ['http://localhost:3333', 'http://localhost:3333', 'localhost:4444'],
      ['http://localhost:3333', 'http://localhost:3333', 'evil.example:3333'],
      ['http://localhost:3333', 'http://localhost:3333', 'user@127.0.0.1:3333/x'],
      ['https://app.example.com', 'https://app.example.com', 'localhost'],
      ['https://app.example.com', 'https://app.example.com', 'evil.example'],
    ])
    .run(({ assert }, [url, seen, host]) => {
      assert.equal(underUsedName(url!, host), seen)
    })

  test('without a Host header a URL stays as it is', ({ assert }) => {
    assert.equal(underUsedName('http://localhost:3333', undefined), 'http://localhost:3333')
  })

  test('two names of one port are one origin, and nothing else is', ({ assert }) => {
    const same = (one: string, other: string) => isSameOrigin(new URL(one), new URL(other))
    assert.isTrue(same('http://localhost:1', 'http://127.0.0.1:1'))
    assert.isFalse(same('http://localhost:1', 'http://127.0.0.1:2'))
    assert.isFalse(same('http://localhost:1', 'https://127.0.0.1:1'))
    assert.isFalse(same('http://localhost', 'http://localhost.example.com'))
  })
})
