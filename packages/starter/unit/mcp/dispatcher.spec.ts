import { Exception } from '@adonisjs/core/exceptions'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { answer } from '#kit/mcp/protocol/dispatcher'
import { paramHeadersOf } from '#kit/mcp/protocol/mirrored_headers'
import { CallCancelled, CallLimits } from '#kit/mcp/protocol/running_calls'
import { App } from '#kit/mcp/apps/app'
import { describeClients, knownClients } from '#kit/mcp/known_clients'
import { Prompt, Resource, Tool } from '#kit/mcp/primitives'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import { createLocalContext } from '#kit/mcp/stdio'

class Plain extends Tool {
  static override name = 'plain'
  static override description = 'Says something'

  handle() {
    return Response.text('said')
  }
}

/** Refuses by the code of an error of this or another package. */
class Refuse extends Tool {
  static override name = 'refuse'
  static override description = 'Refuses'
  static code = ''

  handle(): never {
    throw new Exception('Who are you?', { status: 401, code: Refuse.code })
  }
}

/** Does what a test wants. */
class Act extends Tool {
  static override name = 'act'
  static override description = 'Acts'
  static act: () => unknown

  handle() {
    return Act.act() as never
  }
}

class Greet extends Prompt {
  static override name = 'greet'
  static override description = 'Greets'

  handle() {
    return Response.text('hello')
  }
}

class PlainServer extends Server {
  static override name = 'plain'
  static override tools = () => [Plain, Refuse, Act]
  static override prompts = () => [Greet]
}

/** What answers a request of an older client, without a transport. */
async function exchange(changes: object = {}) {
  const { config, definition: define } = await app.container.make('mcp').then((manager) => ({
    config: manager.config,
    definition: () => manager.definition(PlainServer),
  }))
  return {
    definition: await define(),
    config,
    ctx: await createLocalContext(app),
    header: () => undefined,
    mirrorsBody: false,
    caller: null,
    protection: null,
    signal: () => new AbortController().signal,
    ...{ write: null, canChallenge: () => false, handlerStarts: () => {} },
    announce: () => {},
    subscriptions: null,
    tasks: null,
    count: async () => {},
    ...changes,
  } as Parameters<typeof answer>[1]
}

const request = (method: string, name: string) => ({
  ...{ jsonrpc: '2.0', id: 1, method },
  params: { name },
})

async function errorOf(value: unknown, changes?: object) {
  const { body } = await answer(value, await exchange(changes))
  return JSON.parse(body!).error
}

test.group('MCP dispatcher', () => {
  test('an error that nobody expects is logged, told to a test, and hidden from the client', async ({
    assert,
  }) => {
    const cause = new Error('the counter is gone')
    const [lines, told]: unknown[][] = [[], []]
    const ctx = await createLocalContext(app)
    ctx.logger.error = ((...line: unknown[]) => void lines!.push(line)) as any
    const error = await errorOf(request('tools/call', 'plain'), {
      ctx,
      count: () => Promise.reject(cause),
      unexpected: (one: unknown) => told!.push(one),
    })
    assert.deepEqual(error, { code: -32603, message: 'Internal error' })
    assert.deepEqual(lines, [[{ err: cause }, 'MCP request failed']])
    assert.deepEqual(told, [cause])
  })

  test('a call is 503 with Retry-After while calls cannot be counted: {message}')
    .with([{ message: 'Command timed out' }, { message: 'Connection terminated unexpectedly' }])
    .run(async ({ assert }, { message }) => {
      const ctx = await createLocalContext(app)
      const lines: unknown[] = []
      ctx.logger.error = ((...line: unknown[]) => void lines.push(line)) as any
      const count = () => Promise.reject(new Error(message))
      const { httpStatus, headers, body } = await answer(
        request('tools/call', 'plain'),
        await exchange({ ctx, count })
      )
      assert.deepEqual([httpStatus, headers, lines.length], [503, { 'retry-after': '5' }, 1])
      const error = { message: 'Temporarily unavailable. Try again in 5 seconds' }
      assert.containsSubset(JSON.parse(body!).error, { code: -32603, ...error })
    })

  test('a handler that cannot reach the database is 503 with Retry-After, or says so where none can be sent', async ({
    assert,
  }) => {
    Act.act = () => Promise.reject(new Error('Connection terminated unexpectedly'))
    const message = 'Temporarily unavailable. Try again in 5 seconds'
    const call = request('tools/call', 'act')
    const { httpStatus, headers, body } = await answer(
      call,
      await exchange({ canChallenge: () => true })
    )
    assert.deepEqual([httpStatus, headers], [503, { 'retry-after': '5' }])
    const data = { retryAfter: 5 }
    assert.deepEqual(JSON.parse(body!).error, { code: -32603, message, data })

    const late = await answer(call, await exchange())
    const content = [{ type: 'text', text: message }]
    assert.deepEqual(JSON.parse(late.body!).result, { content, isError: true })
  })

  test('a tool that throws or returns no object is an error result: {$i}')
    .with([
      () => Promise.reject(null),
      () => Promise.reject(undefined),
      () => null,
      () => undefined,
    ])
    .run(async ({ assert }, act) => {
      Act.act = act
      const { body } = await answer(request('tools/call', 'act'), await exchange())
      const content = [{ type: 'text', text: 'The tool failed.' }]
      assert.deepEqual(JSON.parse(body!).result, { content, isError: true })
    })

  test('a name of the client is repeated up to 128 characters', async ({ assert }) => {
    const [fits, long] = ['x'.repeat(128), 'x'.repeat(129)]
    for (const [method, what] of [
      ['tools/call', 'tool'],
      ['prompts/get', 'prompt'],
    ] as const) {
      const messages = await Promise.all(
        [fits, long].map(async (name) => (await errorOf(request(method, name))).message)
      )
      assert.deepEqual(messages, [`Unknown ${what}: ${fits}`, `Unknown ${what}: ${fits}…`])
    }
  })

  test('a call whose client has gone already is cancelled at once', async ({ assert }) => {
    const call = {
      ...(await exchange({ signal: () => AbortSignal.abort() })),
      era: { name: 'modern' },
    }
    const limits = new CallLimits(call as any)
    assert.isTrue(limits.signal.aborted)
    await assert.rejects(() => limits.race(new Promise(() => {})), CallCancelled as any)
    limits.release()
  })

  test('a schema that takes any value marks no header', ({ assert }) => {
    const marked = { 'type': 'string', 'x-mcp-header': 'Region' }
    const schema = { type: 'object', properties: { anything: true, region: marked } }
    assert.deepEqual(paramHeadersOf(schema, 'the tool'), [
      { path: ['region'], type: 'string', header: 'Region' },
    ])
  })

  test('a handler that finds nobody signed in is a challenge: {$self}')
    .with(['invalid_token', 'invalid_session', 'E_UNAUTHORIZED_ACCESS'])
    .run(async ({ assert }, code) => {
      Refuse.code = code
      const refusable = await exchange({ canChallenge: () => true })
      const { httpStatus, headers, body } = await answer(request('tools/call', 'refuse'), refusable)
      assert.equal(httpStatus, 401)
      assert.equal(headers!['www-authenticate'], 'Bearer')
      assert.equal(JSON.parse(body!).error.message, 'The call needs a valid access token')
    })

  test('another error of status 401 is one of the call', async ({ assert }) => {
    Refuse.code = 'E_OTHER'
    const { httpStatus } = await answer(
      request('tools/call', 'refuse'),
      await exchange({ canChallenge: () => true })
    )
    assert.equal(httpStatus, 200)
  })
})

test.group('MCP classes', () => {
  test('have documented defaults', ({ assert }) => {
    assert.deepEqual(
      [Tool.callableBy, Tool.taskSupport, Tool.olderClients],
      [['model', 'app'], 'never', 'refuse']
    )
    assert.deepEqual(
      [Resource.mimeType, Resource.ttlMs, Resource.cacheScope, Resource.subscribable],
      ['text/plain', 0, 'private', false]
    )
    assert.deepEqual(
      [App.mimeType, App.ttlMs, App.cacheScope],
      ['text/html;profile=mcp-app', 300_000, 'public']
    )
    assert.deepEqual([Server.ttlMs, Server.cacheScope, Server.logging], [300_000, 'public', false])
  })
})

test.group('Known MCP clients', () => {
  const sentence = (documents: boolean, registration: boolean) =>
    describeClients(knownClients({ documents, registration, otherwise: 'set it' }))
  const documented = 'Claude Code, Codex, VS Code'
  const others = 'Gemini CLI, opencode, mcp-remote, Inspector, mcporter, mcpc, AI SDK'

  test('all connect where clients register, else those with a document, if it is read', ({
    assert,
  }) => {
    assert.equal(sentence(true, true), `By the URL alone connect ${documented}, ${others}`)
    assert.equal(sentence(false, true), sentence(true, true))
    assert.equal(
      sentence(true, false),
      `By the URL alone connect ${documented}. ${others} cannot register: set it`
    )
    assert.equal(sentence(false, false), `${documented}, ${others} cannot register: set it`)
  })
})
