import { test } from '@japa/runner'

import '#starter/helpers/fixtures/mcp/workshop_server'
import {
  JSON_TYPE,
  legacy,
  meta,
  mirror,
  modern,
  post,
  bodyOf,
  errorCode,
} from '#starter/helpers/mcp_wire'

const PATH = '/mcp/workshop'
const ECHO = { name: 'echo', arguments: { value: 'hi' } }

test.group('MCP 2026-07-28 | server/discover', () => {
  test('tells versions, capabilities, identity and how long to keep it', async ({ assert }) => {
    const { status, body } = await modern(PATH, 'server/discover')
    assert.equal(status, 200)
    assert.deepEqual(body.result, {
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
      instructions: 'Be careful with the tools.',
      ttlMs: 300_000,
      cacheScope: 'public',
      _meta: {
        'io.modelcontextprotocol/serverInfo': {
          name: 'workshop',
          version: '2.3.4',
          title: 'Workshop',
          description: 'A fixture',
        },
      },
    })
  })

  test("a server class without a version has the application's", async ({ assert }) => {
    const { body } = await modern('/mcp/bare', 'server/discover')
    const { version } = body.result._meta['io.modelcontextprotocol/serverInfo']
    assert.match(version, /^\d+\.\d+\.\d+/)
  })
})

test.group('MCP 2026-07-28 | Request metadata', () => {
  test('a missing or malformed field of _meta is -32602 with HTTP 400: {name}')
    .with([
      { name: 'no _meta', params: { _meta: undefined } },
      { name: '_meta of another type', params: { _meta: 'x' } },
      { name: 'no version', params: { _meta: meta({ protocolVersion: undefined }) } },
      { name: 'a version of another type', params: { _meta: meta({ protocolVersion: 7 }) } },
      { name: 'no capabilities', params: { _meta: meta({ clientCapabilities: undefined }) } },
      { name: 'capabilities of another type', params: { _meta: meta({ clientCapabilities: [] }) } },
      { name: 'client info of another type', params: { _meta: meta({ clientInfo: 'me' }) } },
      {
        name: 'client info without version',
        params: { _meta: meta({ clientInfo: { name: 'x' } }) },
      },
    ])
    .run(async ({ assert }, { params }) => {
      const { status, body } = await modern(PATH, 'tools/call', { ...ECHO, ...params })
      assert.equal(status, 400)
      assert.equal(body.error.code, -32602)
      assert.equal(body.id, 1)
    })

  test('client info is optional', async ({ assert }) => {
    const { body } = await modern(PATH, 'tools/call', {
      ...ECHO,
      _meta: meta({ clientInfo: undefined }),
    })
    assert.equal(body.result.resultType, 'complete')
  })

  test('a version nobody speaks is -32022 with HTTP 400', async ({ assert }) => {
    const { status, body } = await modern(
      PATH,
      'tools/list',
      { _meta: meta({ protocolVersion: '2099-01-01' }) },
      { 'mcp-protocol-version': '2099-01-01' }
    )
    assert.equal(status, 400)
    assert.equal(body.error.code, -32022)
    assert.equal(body.error.data.requested, '2099-01-01')
    assert.include(body.error.data.supported, '2026-07-28')
  })

  test('a header that is missing or says something else is -32020 with HTTP 400: {name}')
    .with([
      { name: 'no version', headers: { 'mcp-protocol-version': null } },
      { name: 'another version', headers: { 'mcp-protocol-version': '2025-11-25' } },
      { name: 'no method', headers: { 'mcp-method': null } },
      { name: 'another method', headers: { 'mcp-method': 'tools/list' } },
      { name: 'the method in another case', headers: { 'mcp-method': 'TOOLS/CALL' } },
      { name: 'no name', headers: { 'mcp-name': null } },
      { name: 'another name', headers: { 'mcp-name': 'fails' } },
      { name: 'broken base64', headers: { 'mcp-name': '=?base64?ZWNobw?=' } },
      { name: 'base64 of no text', headers: { 'mcp-name': '=?base64?//79?=' } },
    ] as { name: string; headers: Record<string, string | null> }[])
    .run(async ({ assert }, { headers }) => {
      const { status, body } = await modern(PATH, 'tools/call', ECHO, headers)
      assert.equal(status, 400)
      assert.equal(body.error.code, -32020)
      assert.match(body.error.message, new RegExp(Object.keys(headers).join('|'), 'i'))
      assert.equal(body.id, 1)
    })

  test('Mcp-Name in other letters than ASCII has to come in base64', async ({ assert }) => {
    const call = (name: string) =>
      errorCode(modern(PATH, 'tools/call', { name: 'é', arguments: {} }, { 'mcp-name': name }))
    assert.equal(await call('é'), -32020)
    assert.equal(await call('=?base64?w6k=?='), -32602)
  })

  test('Mcp-Name may come in base64', async ({ assert }) => {
    const encoded = { 'mcp-name': '=?base64?ZWNobw==?=' }
    assert.property(await bodyOf(modern(PATH, 'tools/call', ECHO, encoded)), 'result')

    const uri = 'workshop://notes/ü'
    const header = `=?base64?${Buffer.from(uri).toString('base64')}?=`
    const read = await modern(PATH, 'resources/read', { uri }, { 'mcp-name': header })
    assert.equal(read.body.result.contents[0].uri, uri)
  })

  test('Mcp-Name is compared for prompts and resources as well', async ({ assert }) => {
    const calls: [string, object][] = [
      ['prompts/get', { name: 'greeting', arguments: { name: 'Ann' } }],
      ['resources/read', { uri: 'workshop://manual' }],
    ]
    for (const [method, params] of calls) {
      const { status, body } = await modern(PATH, method, params, { 'mcp-name': 'other' })
      assert.equal(status, 400)
      assert.equal(body.error.code, -32020)
    }
  })

  test('a claim to an older version is answered in its era', async ({ assert }) => {
    const params = { ...ECHO, _meta: meta({ protocolVersion: '2025-11-25' }) }
    const { body } = await legacy(PATH, 'tools/call', params)
    assert.deepEqual(body.result, { content: [{ type: 'text', text: 'hi' }] })
  })
})

test.group('MCP 2026-07-28 | Mirrored arguments', () => {
  const call = (args: object, headers: Record<string, string> = {}) =>
    modern(PATH, 'tools/call', { name: 'mirrors', arguments: args }, headers)

  test('are accepted when header and argument agree', async ({ assert }) => {
    const args = { region: 'us', deep: { n: 42 } }
    for (const n of ['42', '42.0']) {
      const { body } = await call(args, { 'mcp-param-region': 'us', 'mcp-param-n': n })
      assert.deepEqual(body.result.structuredContent, args)
    }
    const encoded = Buffer.from('Zürich').toString('base64')
    const { body } = await call(
      { region: 'Zürich' },
      { 'mcp-param-region': `=?base64?${encoded}?=` }
    )
    assert.equal(body.result.structuredContent.region, 'Zürich')
  })

  test('that are not there, or null, need no header', async ({ assert }) => {
    assert.property(await bodyOf(call({})), 'result')
    assert.property(await bodyOf(call({ region: null })), 'result')
  })

  test('are -32020 with HTTP 400 when they disagree: {name}')
    .with([
      { name: 'another value', headers: { 'mcp-param-region': 'eu' } },
      { name: 'no header', headers: {} },
      { name: 'broken base64', headers: { 'mcp-param-region': '=?base64?x?=' } },
    ] as { name: string; headers: Record<string, string> }[])
    .run(async ({ assert }, { headers }) => {
      const { status, body } = await call({ region: 'us' }, headers)
      assert.equal(status, 400)
      assert.equal(body.error.code, -32020)
    })

  test('a header for an argument that is not there is -32020', async ({ assert }) => {
    assert.equal(await errorCode(call({}, { 'mcp-param-region': 'us' })), -32020)
  })

  test('do not concern older clients', async ({ assert }) => {
    const { body } = await legacy(PATH, 'tools/call', {
      name: 'mirrors',
      arguments: { region: 'us' },
    })
    assert.property(body, 'result')
  })
})

test.group('MCP 2026-07-28 | Answers', () => {
  test('an unknown method is -32601 with HTTP 404, and so are those of old', async ({ assert }) => {
    const removed = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe']
    for (const method of [...removed, 'subscriptions/listen', 'nope']) {
      const { status, body } = await modern(PATH, method)
      assert.equal(status, 404, method)
      assert.equal(body.error.code, -32601)
      assert.equal(body.id, 1)
    }
  })

  test('every result says its type and who it comes from', async ({ assert }) => {
    const calls: [string, object][] = [
      ['server/discover', {}],
      ['tools/list', {}],
      ['tools/call', ECHO],
      ['prompts/list', {}],
      ['prompts/get', { name: 'greeting', arguments: { name: 'Ann' } }],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['resources/read', { uri: 'workshop://manual' }],
      [
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'greeting' }, argument: { name: 'name', value: 'a' } },
      ],
    ]
    for (const [method, params] of calls) {
      const { body } = await modern(PATH, method, params)
      assert.equal(body.result.resultType, 'complete', method)
      assert.equal(body.result._meta['io.modelcontextprotocol/serverInfo'].name, 'workshop')
    }
  })

  test('lists, discovery and reads say how long and by whom they may be kept', async ({
    assert,
  }) => {
    for (const method of ['server/discover', 'tools/list', 'prompts/list', 'resources/list']) {
      const { body } = await modern(PATH, method)
      assert.equal(body.result.ttlMs, 300_000)
      assert.equal(body.result.cacheScope, 'public')
    }
    const note = await modern(PATH, 'resources/read', { uri: 'workshop://notes/1' })
    assert.equal(note.body.result.ttlMs, 60_000)
    assert.equal(note.body.result.cacheScope, 'public')
    const manual = await modern(PATH, 'resources/read', { uri: 'workshop://manual' })
    assert.equal(manual.body.result.ttlMs, 0)
    assert.equal(manual.body.result.cacheScope, 'private')
    const call = await modern(PATH, 'tools/call', ECHO)
    assert.notProperty(call.body.result, 'ttlMs')
  })

  test('both eras are served at once on one URL', async ({ assert }) => {
    const replies = await Promise.all([
      modern(PATH, 'tools/call', ECHO),
      legacy(PATH, 'tools/call', ECHO, { 'mcp-protocol-version': '2025-06-18' }),
      legacy(PATH, 'tools/call', ECHO),
    ])
    assert.deepEqual(
      replies.map(({ body }) => body.result.resultType),
      ['complete', undefined, undefined]
    )
  })

  test('a header twice is not the header once', async ({ assert }) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta() } }
    const headers = { ...mirror('tools/list'), 'mcp-method': 'tools/list, tools/list' }
    const { body } = await post(PATH, JSON.stringify(message), { ...JSON_TYPE, ...headers })
    assert.equal(body.error.code, -32020)
  })
})
