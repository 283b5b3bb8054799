import { test } from '@japa/runner'

import { Argument } from '#kit/mcp/primitives'
import '#starter/helpers/fixtures/mcp/workshop_server'
import { bodyOf, errorCode, legacy, modern, resultOf } from '#starter/helpers/mcp_wire'

const PATH = '/mcp/workshop'
const initialize = (params: object, headers = {}) => legacy(PATH, 'initialize', params, headers)
const hello = (protocolVersion: unknown) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'test', version: '1.0.0' },
})

test.group('MCP until 2025-11-25 | initialize', () => {
  test('answers each version it knows with itself')
    .with(['2025-03-26', '2025-06-18', '2025-11-25'])
    .run(async ({ assert }, version) => {
      const { status, body } = await initialize(hello(version))
      assert.equal(status, 200)
      assert.equal(body.result.protocolVersion, version)
    })

  test('answers an unknown version with the newest of its era, and never refuses')
    .with(['2024-11-05', '2026-07-28', '2099-01-01', 'x', ''])
    .run(async ({ assert }, version) => {
      const { body } = await initialize(hello(version), { 'mcp-protocol-version': '2099-01-01' })
      assert.equal(body.result.protocolVersion, '2025-11-25')
    })

  test('is never refused for its header either', async ({ assert }) => {
    for (const version of ['2026-07-28', '2025-06-18', '1999-01-01']) {
      const headers = { 'mcp-protocol-version': version }
      const { status, body } = await initialize(hello('2025-06-18'), headers)
      assert.equal(status, 200)
      assert.equal(body.result.protocolVersion, '2025-06-18')
    }
  })

  test("tells the server's name, what it can do and how to use it", async ({ assert }) => {
    const { body } = await initialize(hello('2025-11-25'))
    assert.deepEqual(body.result, {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
      serverInfo: {
        name: 'workshop',
        version: '2.3.4',
        title: 'Workshop',
        description: 'A fixture',
      },
      instructions: 'Be careful with the tools.',
    })
  })

  test('leaves out the capabilities a server does not have', async ({ assert }) => {
    const { body } = await legacy('/mcp/bare', 'initialize', hello('2025-11-25'))
    assert.deepEqual(body.result.capabilities, { tools: {} })
  })

  test('leaves out texts that are null', async ({ assert }) => {
    const { body } = await legacy('/mcp/bare', 'initialize', hello('2025-11-25'))
    assert.notProperty(body.result, 'instructions')
    assert.notProperty(body.result.serverInfo, 'description')
    const discovered = await resultOf(modern('/mcp/bare', 'server/discover'))
    assert.notProperty(discovered, 'instructions')
    const argument = new Argument({ name: 'who', description: null })
    assert.equal(JSON.stringify(argument), '{"name":"who","required":false}')
  })

  test('parameters of another type are -32602', async ({ assert }) => {
    const wrong = [{}, hello(7), { ...hello('2025-11-25'), capabilities: [] }]
    for (const params of [...wrong, { ...hello('2025-11-25'), clientInfo: 'me' }]) {
      assert.equal(await errorCode(initialize(params)), -32602)
    }
  })
})

test.group('MCP until 2025-11-25 | Requests', () => {
  test('work without headers, handshake or session', async ({ assert }) => {
    const { status, body } = await legacy(PATH, 'tools/call', {
      name: 'echo',
      arguments: { value: 'hi' },
    })
    assert.equal(status, 200)
    assert.deepEqual(body.result, { content: [{ type: 'text', text: 'hi' }] })
  })

  test('work under any session id, which nothing is judged by', async ({ assert }) => {
    const first = await initialize(hello('2025-11-25'))
    const id = first.headers.get('mcp-session-id')!
    assert.match(id, /^[\x21-\x7e]+$/)
    for (const session of [id, 'made-up']) {
      const reply = await legacy(PATH, 'ping', {}, { 'mcp-session-id': session })
      assert.equal(reply.status, 200)
      assert.isNull(reply.headers.get('mcp-session-id'))
    }
  })

  test('a version nobody speaks is 400, with those that are spoken', async ({ assert }) => {
    const { status, body } = await legacy(
      PATH,
      'ping',
      {},
      { 'mcp-protocol-version': '1999-01-01' }
    )
    assert.equal(status, 400)
    assert.equal(body.error.code, -32022)
    assert.deepEqual(body.error.data, {
      supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
      requested: '1999-01-01',
    })
  })

  test('ping is answered with an empty result', async ({ assert }) => {
    assert.deepEqual(await bodyOf(legacy(PATH, 'ping')), { jsonrpc: '2.0', id: 1, result: {} })
  })

  test('an unknown method is -32601 with HTTP 200', async ({ assert }) => {
    const unknown = ['nope', 'resources/subscribe', 'server/discover', 'constructor', '__proto__']
    for (const method of unknown) {
      const { status, body } = await legacy(PATH, method)
      assert.equal(status, 200)
      assert.equal(body.error.code, -32601, method)
      assert.equal(body.id, 1)
    }
  })

  test('a method of a capability the server does not have is -32601', async ({ assert }) => {
    const methods = ['prompts/list', 'prompts/get', 'resources/list', 'resources/templates/list']
    for (const method of [...methods, 'completion/complete', 'logging/setLevel']) {
      assert.equal(await errorCode(legacy('/mcp/bare', method)), -32601, method)
    }
  })

  test('logging/setLevel takes the levels of RFC 5424', async ({ assert }) => {
    const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
    for (const level of levels) {
      assert.deepEqual(await resultOf(legacy(PATH, 'logging/setLevel', { level })), {})
    }
    const wrong = await legacy(PATH, 'logging/setLevel', { level: 'loud' })
    assert.equal(wrong.body.error.code, -32602)
  })

  test('results carry nothing of the newer era', async ({ assert }) => {
    const calls: [string, object][] = [
      ['tools/list', {}],
      ['prompts/get', { name: 'greeting', arguments: { name: 'Ann' } }],
      ['resources/read', { uri: 'workshop://manual' }],
    ]
    for (const [method, params] of calls) {
      const { body } = await legacy(PATH, method, params)
      assert.notProperty(body.result, 'resultType')
      assert.notProperty(body.result, 'ttlMs')
      assert.notProperty(body.result, '_meta')
    }
  })
})
