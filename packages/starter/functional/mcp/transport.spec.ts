import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import '#starter/helpers/fixtures/mcp/workshop_server'
import {
  JSON_TYPE,
  legacy,
  modern,
  post,
  url,
  errorCode,
  resultOf,
  statusOf,
} from '#starter/helpers/mcp_wire'

const PATH = '/mcp/workshop'
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

/** fetch() sets Host on its own. */
function pingAs(host: string, headers: Record<string, string> = {}, path = PATH) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = httpRequest(
      url(path),
      { method: 'POST', headers: { ...JSON_TYPE, ...headers, host } },
      (response) => {
        readText(response).then((body) => resolve({ status: response.statusCode!, body }), reject)
      }
    )
    sent.on('error', reject).end(PING)
  })
}

test.group('MCP transport | HTTP methods', () => {
  test('answers GET and DELETE with 405 and "Allow: POST", which no cache keeps', async ({
    client,
    assert,
  }) => {
    for (const response of [await client.get(PATH), await client.delete(PATH)]) {
      response.assertStatus(405)
      response.assertHeader('allow', 'POST')
      response.assertHeader('cache-control', 'no-store')
      assert.equal(response.text(), '')
    }
  })

  test('answers every other method likewise', async ({ assert }) => {
    for (const method of ['HEAD', 'PUT', 'PATCH', 'OPTIONS']) {
      const response = await fetch(url(PATH), { method })
      assert.equal(response.status, 405, method)
      assert.equal(response.headers.get('allow'), 'POST')
    }
  })

  test('a method that no mount has a route for is told what the mount allows', async ({
    assert,
  }) => {
    for (const method of ['TRACE', 'LOCK']) {
      const sent = httpRequest(url(PATH), { method }).end()
      const [response] = await once(sent, 'response')
      response.resume()
      assert.equal(response.statusCode, 405, method)
      assert.equal(response.headers.allow, 'POST', method)
    }
  })

  test('an empty prefix mounts at the root, under a name that is allowed', async ({
    assert,
    cleanup,
  }) => {
    const { config } = await app.container.make('mcp')
    const hosts = config.allowedHosts as Set<string>
    assert.equal(await statusOf(pingAs('mcp.test', {}, '/')), 403)
    hosts.add('mcp.test')
    cleanup(() => {
      hosts.delete('mcp.test')
    })

    const { status, body } = await pingAs('mcp.test', {}, '/')
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(body), { jsonrpc: '2.0', id: 1, result: {} })
  })
})

test.group('MCP transport | Body', () => {
  test('broken JSON is -32700 with HTTP 400 and no id', async ({ assert }) => {
    for (const body of ['{', '', 'null null', '{"jsonrpc":"2.0","id":1,}', '\uFEFF{}']) {
      const reply = await post(PATH, body)
      assert.equal(reply.status, 400, body)
      assert.equal(reply.body.error.code, -32700)
      assert.notProperty(reply.body, 'id')
      assert.equal(reply.body.jsonrpc, '2.0')
    }
  })

  test('bytes that are not UTF-8 are -32700', async ({ assert }) => {
    const body = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ])
    assert.equal(await errorCode(post(PATH, body)), -32700)
  })

  test('what is not a request is -32600 with HTTP 400: {name}')
    .with([
      { name: 'a string', message: 'ping', id: undefined },
      { name: 'null', message: null, id: undefined },
      { name: 'an empty object', message: {}, id: undefined },
      { name: 'no version', message: { id: 1, method: 'ping' }, id: 1 },
      { name: 'another version', message: { jsonrpc: '1.0', id: 1, method: 'ping' }, id: 1 },
      { name: 'no method', message: { jsonrpc: '2.0', id: 1 }, id: 1 },
      {
        name: 'a method of another type',
        message: { jsonrpc: '2.0', id: 'a', method: 7 },
        id: 'a',
      },
      { name: 'a null id', message: { jsonrpc: '2.0', id: null, method: 'ping' }, id: undefined },
      {
        name: 'a fractional id',
        message: { jsonrpc: '2.0', id: 1.5, method: 'ping' },
        id: undefined,
      },
      {
        name: 'an id beyond 2^53',
        message: { jsonrpc: '2.0', id: 2 ** 60, method: 'ping' },
        id: undefined,
      },
      {
        name: 'an object as id',
        message: { jsonrpc: '2.0', id: {}, method: 'ping' },
        id: undefined,
      },
      {
        name: 'a list of parameters',
        message: { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
        id: 1,
      },
      { name: 'a response', message: { jsonrpc: '2.0', id: 1, result: {} }, id: 1 },
    ])
    .run(async ({ assert }, { message, id }) => {
      const reply = await post(PATH, JSON.stringify(message))
      assert.equal(reply.status, 400)
      assert.equal(reply.body.error.code, -32600)
      assert.equal(reply.body.id, id)
    })

  test('nesting beyond 64 levels is -32600, before anything walks it', async ({ assert }) => {
    for (const deep of ['['.repeat(500_000), '{"a":'.repeat(150_000)]) {
      const reply = await post(PATH, deep)
      assert.equal(reply.status, 400)
      assert.equal(reply.body.error.code, -32600)
    }
    const nested = (levels: number) =>
      post(
        PATH,
        `{"jsonrpc":"2.0","id":1,"method":"ping","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
      )
    assert.equal(await statusOf(nested(64)), 200)
    const { body } = await nested(65)
    assert.equal(body.error.message, 'The body is nested deeper than 64 levels')
    const brackets = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', x: '[{"'.repeat(100) })
    assert.equal(await statusOf(post(PATH, brackets)), 200)
  })

  test('a body beyond the limit is 413', async ({ assert }) => {
    const reply = await post(PATH, JSON.stringify({ x: 'a'.repeat(1024 * 1024) }))
    assert.equal(reply.status, 413)
    assert.equal(reply.body.error.code, -32600)
  })

  test('a body of another type, or encoded, is 415', async ({ assert }) => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
    ]) {
      const reply = await post(PATH, PING, headers as Record<string, string>)
      assert.equal(reply.status, 415)
      assert.equal(reply.body.error.code, -32600)
    }
  })

  test('a charset, or no type at all, is fine', async ({ assert }) => {
    const charset = { 'content-type': 'application/json; charset=utf-8' }
    assert.equal(await statusOf(post(PATH, PING, charset)), 200)
    assert.equal(await statusOf(post(PATH, Buffer.from(PING) as any, {})), 200)
  })

  test('values arrive as they were sent', async ({ assert }) => {
    const value = '  a[]=1 \u0000 ü  '
    const call = (text: string) =>
      legacy(PATH, 'tools/call', { name: 'echo', arguments: { value: text } })
    for (const sent of [value, '']) {
      const { content } = await resultOf(call(sent))
      assert.equal(content[0].text, sent)
    }
  })

  test("members named like Object.prototype's do no harm", async ({ assert }) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","__proto__":{"name":"echo"}}}`
    assert.equal(await errorCode(post(PATH, body)), -32602)
    const argument = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"value":"x"}}}}`
    const { isError } = await resultOf(post(PATH, argument))
    assert.isTrue(isError)
    assert.notProperty({}, 'value')
  })
})

test.group('MCP transport | Notifications', () => {
  test('are answered 202 with an empty body, in both eras', async ({ assert }) => {
    const message = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    for (const version of [undefined, '2025-11-25', '2026-07-28']) {
      const headers = { ...JSON_TYPE, ...(version && { 'mcp-protocol-version': version }) }
      const reply = await post(PATH, message, headers)
      assert.equal(reply.status, 202)
      assert.equal(reply.text, '')
    }
  })

  test('run nothing, even under the name of a request', async ({ assert }) => {
    const { witnessed } = await import('#starter/helpers/fixtures/mcp/workshop_server')
    const before = witnessed.calls
    const params = { name: 'count_calls' }
    const reply = await post(PATH, JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params }))
    assert.equal(reply.status, 202)
    assert.equal(witnessed.calls, before)
  })
})

test.group('MCP transport | Batches', () => {
  const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const batch = (messages: unknown[], version?: string) =>
    post(PATH, JSON.stringify(messages), {
      ...JSON_TYPE,
      ...(version && { 'mcp-protocol-version': version }),
    })

  test('2025-03-26, and a client that names no version, may send them', async ({ assert }) => {
    for (const version of [undefined, '2025-03-26']) {
      const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
      const reply = await batch([ping(1), notification, ping('b'), { id: 3 }], version)
      assert.equal(reply.status, 200)
      assert.deepEqual(
        reply.body.map(({ id, error }: any) => [id, error?.code]),
        [
          [1, undefined],
          ['b', undefined],
          [3, -32600],
        ]
      )
    }
  })

  test('of notifications alone are answered 202', async ({ assert }) => {
    const reply = await batch([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
    assert.equal(reply.status, 202)
    assert.equal(reply.text, '')
  })

  test('are refused in later versions with -32600', async ({ assert }) => {
    for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
      const reply = await batch([ping(1)], version)
      assert.equal(reply.status, 400)
      assert.equal(reply.body.error.code, -32600)
    }
  })

  test('that are empty, too long, or hold an id twice are refused', async ({ assert }) => {
    const long = Array.from({ length: 51 }, (_, id) => ping(id))
    for (const [messages, message] of [
      [[], 'A batch must contain a message'],
      [long, 'A batch may contain at most 50 messages'],
      [[ping(1), ping(1)], 'Two requests of a batch have the same id'],
    ] as const) {
      const reply = await batch([...messages])
      assert.equal(reply.status, 400)
      assert.deepEqual(reply.body, { jsonrpc: '2.0', error: { code: -32600, message } })
    }
    assert.lengthOf((await batch(long.slice(1))).body, 50)
  })

  test('are answered at once, without an event stream', async ({ assert }) => {
    const params = {
      name: 'slow_echo',
      arguments: { value: 'hi', ms: 0 },
      _meta: { progressToken: 1 },
    }
    const reply = await post(
      PATH,
      JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, ping(2)]),
      { ...JSON_TYPE, accept: 'application/json, text/event-stream' }
    )
    assert.deepEqual(
      reply.body.map(({ id }: any) => id),
      [1, 2]
    )
  })

  test('cannot hold the handshake', async ({ assert }) => {
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: {} }
    const reply = await batch([{ jsonrpc: '2.0', id: 1, method: 'initialize', params }, ping(2)])
    assert.deepEqual(
      reply.body.map(({ id, error }: any) => [id, error?.code]),
      [
        [1, -32600],
        [2, undefined],
      ]
    )
  })
})

test.group('MCP transport | Who may call', () => {
  const port = () => process.env.PORT!

  test('a request without Origin passes', async ({ assert }) => {
    assert.equal(await statusOf(pingAs(`127.0.0.1:${port()}`)), 200)
  })

  test('an Origin that is not allowed is 403, whatever the method', async ({ assert, cleanup }) => {
    const { config } = await app.container.make('mcp')
    const [hosts, origins] = [config.allowedHosts, config.allowedOrigins] as Set<string>[]
    hosts!.add('mcp.test')
    origins!.add('https://app.example.com:8443')
    cleanup(() => {
      hosts!.delete('mcp.test')
      origins!.delete('https://app.example.com:8443')
    })
    const named = (origin: string) => statusOf(pingAs('mcp.test', { origin }, '/'))
    assert.equal(await named('https://app.example.com:8443'), 200)
    for (const origin of [
      'http://app.example.com:8443',
      'https://app.example.com',
      'https://app.example.com:8444',
      'https://app.example.com:84430',
      'https://www.app.example.com:8443',
      'https://app.example.com:8443.evil.example',
    ]) {
      assert.equal(await named(origin), 403, origin)
    }
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'x']) {
      const { status, body } = await pingAs(`127.0.0.1:${port()}`, { origin })
      assert.equal(status, 403, origin)
      assert.equal(JSON.parse(body).error.code, -32600)
      assert.notProperty(JSON.parse(body), 'id')
    }
  })

  test("the application's own origin, and a page on this machine, are allowed", async ({
    assert,
  }) => {
    for (const origin of ['http://127.0.0.1:3333', 'http://localhost:6274', 'http://[::1]:9']) {
      assert.equal(await statusOf(pingAs(`localhost:${port()}`, { origin })), 200)
    }
  })

  test('a page on this machine may not call a server elsewhere', async ({ assert, cleanup }) => {
    const { config } = await app.container.make('mcp')
    const hosts = config.allowedHosts as Set<string>
    hosts.add('mcp.test')
    cleanup(() => {
      hosts.delete('mcp.test')
    })
    assert.equal(await statusOf(pingAs('mcp.test', {}, '/')), 200)
    const origin = 'http://localhost:6274'
    assert.equal(await statusOf(pingAs('mcp.test', { origin }, '/')), 403)
  })

  test('a Host that is not a name of the server is 403 (DNS rebinding)', async ({ assert }) => {
    for (const host of ['evil.example', `evil.example:${port()}`, '127.0.0.1.evil.example']) {
      assert.equal(await statusOf(pingAs(host)), 403, host)
    }
    const forged = { 'x-forwarded-host': 'localhost' }
    assert.equal(await statusOf(pingAs('evil.example', forged)), 403)
  })

  test('no session is started, and no cookie is set or read', async ({ assert }) => {
    const cookie = 'service_session=s%3Aforged; XSRF-TOKEN=forged'
    const reply = await legacy(PATH, 'ping', {}, { cookie })
    assert.equal(reply.status, 200)
    assert.isNull(reply.headers.get('set-cookie'))
  })

  test('the mount takes middleware, which runs before anything is read', async ({ assert }) => {
    assert.equal(await statusOf(post('/mcp/guarded', '{')), 401)
    const reply = await legacy('/mcp/guarded', 'ping', {}, { authorization: 'Bearer x' })
    assert.equal(reply.status, 200)
  })

  test('several servers answer side by side', async ({ assert }) => {
    const names = await Promise.all(
      ['/mcp/workshop', '/mcp/bare', '/mcp/conformance'].map(async (path) => {
        const { body } = await modern(path, 'server/discover')
        return body.result._meta['io.modelcontextprotocol/serverInfo'].name
      })
    )
    assert.deepEqual(names, ['workshop', 'bare', 'conformance'])
  })
})
