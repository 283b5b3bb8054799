import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import app from '@adonisjs/core/services/app'
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { test } from '@japa/runner'

import '#starter/helpers/fixtures/mcp/counting_server'
import { url } from '#starter/helpers/mcp_wire'

const run = promisify(execFile)
const INSPECTOR = app.makePath('node_modules/.bin/mcp-inspector')
const info = { name: 'test', version: '1.0.0' }

test.group('MCP clients | SDK v1', (group) => {
  let client: ClientV1

  group.each.setup(async () => {
    client = new ClientV1(info)
    await client.connect(new TransportV1(new URL(url('/mcp/counting'))))
    return () => client.close()
  })

  test('connects and learns who the server is', async ({ assert }) => {
    assert.equal(client.getServerVersion()!.name, 'counting')
    assert.property(client.getServerCapabilities(), 'tools')
  })

  test('calls a tool and accepts its structured content', async ({ assert }) => {
    await client.listTools()
    const result = await client.callTool({ name: 'count_words', arguments: { text: 'one two' } })
    assert.deepEqual(result.structuredContent, { words: 2 })
  })

  test('receives progress while a tool runs', async ({ assert }) => {
    const fixture = new ClientV1(info)
    await fixture.connect(new TransportV1(new URL(url('/mcp/conformance'))))
    const seen: number[] = []
    await fixture.callTool({ name: 'test_tool_with_progress' }, undefined, {
      onprogress: ({ progress }) => seen.push(progress),
    })
    assert.deepEqual(seen, [0, 50, 100])
    await fixture.close()
  })
})

const MODES = [
  { name: 'legacy', mode: 'legacy', expected: '2025-11-25' },
  { name: 'auto', mode: 'auto', expected: '2026-07-28' },
  { name: 'pin', mode: { pin: '2026-07-28' }, expected: '2026-07-28' },
] as const

test.group('MCP clients | SDK v2', () => {
  test('lists and calls, negotiating as "{name}"')
    .with(MODES.map((one) => one))
    .run(async ({ assert }, { mode, expected }) => {
      const client = new ClientV2(info, { versionNegotiation: { mode } })
      await client.connect(new TransportV2(new URL(url('/mcp/counting'))))
      assert.equal(client.getNegotiatedProtocolVersion(), expected)

      const { tools } = await client.listTools()
      assert.include(
        tools.map(({ name }) => name),
        'count_words'
      )
      const result = await client.callTool({ name: 'count_words', arguments: { text: 'a b c' } })
      assert.deepEqual(result.structuredContent, { words: 3 })
      await client.close()
    })

  test('answers the questions of a tool, state and all', async ({ assert }) => {
    const client = new ClientV2(info, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: 'auto' },
    })
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const content: Record<string, string> = params.message.includes('color')
        ? { color: 'blue' }
        : { name: 'Alice' }
      return { action: 'accept', content }
    })
    await client.connect(new TransportV2(new URL(url('/mcp/conformance'))))

    const result = await client.callTool({ name: 'test_input_required_result_multi_round' })
    assert.deepEqual(result.content, [{ type: 'text', text: 'Both steps are done' }])
    await client.close()
  })
})

test.group('MCP clients | Inspector', () => {
  async function inspect(...args: string[]) {
    const target = ['--cli', url('/mcp/counting'), '--transport', 'http', ...args]
    const { stdout } = await run(process.execPath, [INSPECTOR, ...target])
    return JSON.parse(stdout)
  }

  test('lists tools from the command line', async ({ assert }) => {
    const { tools } = await inspect('--method', 'tools/list')
    assert.include(
      tools.map(({ name }: { name: string }) => name),
      'count_words'
    )
  })

  test('calls a tool from the command line', async ({ assert }) => {
    const call = ['--method', 'tools/call', '--tool-name', 'count_words']
    const result = await inspect(...call, '--tool-arg', 'text=one two three four')
    assert.deepEqual(result.structuredContent, { words: 4 })
  })
})
