import { once } from 'node:events'

import { getActiveTest, test } from '@japa/runner'

import { createHttpServer } from '#http/server'
import { sendRaw } from '#tests/helpers/raw_socket'

test.group('HTTP server', () => {
  test('a client that never ends its {name} is answered 408')
    .with([
      { name: 'headers', sent: 'POST / HTTP/1.1\r\nHost: x\r\n' },
      { name: 'body', sent: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx' },
    ])
    .run(async ({ assert }, { sent }) => {
      const server = createHttpServer((request) => request.resume(), {
        headersTimeout: 50,
        requestTimeout: 50,
        connectionsCheckingInterval: 10,
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      getActiveTest()!.cleanup(() => {
        server.close()
      })
      const { port } = server.address() as { port: number }
      assert.match(await sendRaw([sent], { url: `http://127.0.0.1:${port}` }), /^HTTP\/1.1 408 /)
    })

  test('limits are there unless somebody says otherwise', ({ assert }) => {
    const server = createHttpServer(() => {})
    assert.equal(server.headersTimeout, 15_000)
    assert.equal(server.requestTimeout, 60_000)
  })
})
