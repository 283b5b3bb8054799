import { test } from '@japa/runner'

import { ServedResources } from '#kit/oauth2/served_resources'

function served() {
  const resources = new ServedResources(['https://api.example.com/v1'])
  resources.add(() => ['https://app.example.com/mcp', 'https://app.example.com/mcp/account'])
  return resources
}

test.group('OAuth served resources', () => {
  test('{requested} means {meant}')
    .with([
      { requested: 'https://api.example.com/v1', meant: 'https://api.example.com/v1' },
      { requested: 'https://app.example.com/mcp', meant: 'https://app.example.com/mcp' },
      { requested: 'https://app.example.com/mcp/', meant: 'https://app.example.com/mcp' },
      { requested: 'https://app.example.com/mcp/x/y', meant: 'https://app.example.com/mcp' },
      { requested: 'HTTPS://APP.example.com:443/mcp', meant: 'https://app.example.com/mcp' },
      {
        requested: 'https://app.example.com/mcp/account/',
        meant: 'https://app.example.com/mcp/account',
      },
      { requested: 'https://app.example.com/mcp/accounts', meant: 'https://app.example.com/mcp' },
    ])
    .run(({ assert }, { requested, meant }) => {
      assert.equal(served().resolve(requested), meant)
    })

  test('{$self} means nothing')
    .with([
      'https://api.example.com/v1/',
      'https://api.example.com/v1/users',
      'https://app.example.com',
      'https://app.example.com/mcpx',
      'https://app.example.com/mcp/../admin',
      'https://app.example.com/mcp/%2e%2e/admin',
      'https://app.example.com/mcp?x=1',
      'https://app.example.com/mcp#x',
      'https://app.example.com.evil.example/mcp',
      'https://user@app.example.com/mcp',
      'http://app.example.com/mcp',
      'https://app.example.com:8443/mcp',
      '/mcp',
      '',
    ])
    .run(({ assert }, requested) => {
      assert.throws(() => served().resolve(requested), 'The resource is not served here.')
    })

  test('an endpoint at the root serves every path of its origin', ({ assert }) => {
    const resources = new ServedResources([])
    resources.add(() => ['https://app.example.com'])
    assert.equal(resources.resolve('https://app.example.com/'), 'https://app.example.com')
    assert.equal(resources.resolve('https://app.example.com/x'), 'https://app.example.com')
  })
})
