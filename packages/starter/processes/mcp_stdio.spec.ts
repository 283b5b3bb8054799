import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { Client as ClientV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { runScript, TYPESCRIPT } from '#starter/helpers/server_process'

const info = { name: 'test', version: '1.0.0' }

/** The client's transport does not pass the environment on by itself. */
function command(...args: string[]) {
  return {
    command: process.execPath,
    args: [TYPESCRIPT, 'ace.js', 'mcp:stdio', ...args],
    cwd: app.makePath(),
    env: {
      ...(process.env as Record<string, string>),
      ...(db.connection().dialect.name === 'postgres' && { DB_CONNECTION: 'pg' }),
      /* Whatever is logged must not reach stdout. */
      LOG_LEVEL: 'trace',
    },
    stderr: 'ignore' as const,
  }
}

test.group('mcp:stdio', () => {
  test('serves a server to the SDK v1 client as nobody, and challenges what needs scopes', async ({
    assert,
    cleanup,
  }) => {
    const client = new ClientV1(info)
    const faults: Error[] = []
    client.onerror = (error) => faults.push(error)
    await client.connect(new TransportV1(command('blog')))
    cleanup(() => client.close())

    assert.equal(client.getServerVersion()!.name, 'blog')
    const result = await client.callTool({ name: 'count_words', arguments: { text: 'a b c' } })
    assert.deepEqual(result.structuredContent, { words: 3 })
    await assert.rejects(() => client.callTool({ name: 'my_posts' }), /signed-in user/)
    assert.isEmpty(faults)
  })

  test('serves as a named user to the SDK v2 client, in revision 2026-07-28', async ({
    assert,
    cleanup,
  }) => {
    const user = await UserFactory.create()
    const client = new ClientV2(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(new TransportV2(command('account', `--user=${user.email}`)))
    cleanup(() => client.close())
    cleanup(() => user.delete())

    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
    const result = await client.callTool({ name: 'who_am_i' })
    assert.containsSubset(result.structuredContent, { user: { email: user.email } })
  })

  test('a client that reads slowly gets every answer', async ({ assert }) => {
    const { command: node, args, cwd, env } = command('blog')
    const server = spawn(node, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
    const ids = Array.from({ length: 20 }, (_, index) => `${index} ${'x'.repeat(300_000)}`)
    const pings = ids.map((id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }))
    const exited = once(server, 'exit')
    server.stdin.end(pings.join('\n'))
    await once(server.stdout, 'readable')
    await setTimeout(500)
    const [answers, [code]] = await Promise.all([text(server.stdout), exited])
    const answered = answers.trimEnd().split('\n')
    assert.sameMembers(
      answered.map((line) => JSON.parse(line).id),
      ids
    )
    assert.equal(code, 0)
  })

  test('ends with a sentence on stderr and nothing on stdout when it cannot serve', async ({
    assert,
  }) => {
    const cases = [
      { args: ['nope'], reason: /no MCP server "nope"/ },
      { args: ['blog', '--user=x@y.z'], reason: /no active user/ },
      { args: ['account'], reason: /--user/ },
    ]
    await Promise.all(
      cases.map(async ({ args, reason }) => {
        const { code, stdout, stderr } = await runScript('ace.js', ['mcp:stdio', ...args])
        assert.equal(code, 1)
        assert.equal(stdout, '')
        assert.match(stderr, reason)
      })
    )
  })
})
