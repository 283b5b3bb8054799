import { once } from 'node:events'

import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import vine from '@vinejs/vine'
import { test } from '@japa/runner'

import type { Arguments } from '#kit/mcp/inference'
import { Argument, Prompt, Tool } from '#kit/mcp/primitives'
import type { McpRequest } from '#kit/mcp/request'
import { Response } from '#kit/mcp/response'
import { callerHeaders, ServerKnownByHeader } from '#starter/helpers/fixtures/mcp/known_by_header'
import { JSON_TYPE, legacy, post, resultOf, url } from '#starter/helpers/mcp_wire'
import { limit } from '#starter/helpers/limits'
import { replaceForTest } from '#starter/helpers/replace'

/** A call that waits until it is aborted, and what is known of it. */
class Waiting {
  readonly started = Promise.withResolvers<void>()
  readonly aborted = Promise.withResolvers<void>()
  isAborted = false

  async until(signal: AbortSignal) {
    this.started.resolve()
    if (!signal.aborted) {
      await once(signal, 'abort')
    }
    this.isAborted = true
    this.aborted.resolve()
  }
}

let waiting = new Waiting()
let counted = 0

class Wait extends Tool {
  static override name = 'wait'
  static override description = 'Waits until it is aborted'

  async handle(_args: object, { signal }: McpRequest) {
    await waiting.until(signal)
    return Response.text('too late')
  }
}

class Count extends Tool {
  static override name = 'count'
  static override description = 'Counts its calls'

  handle() {
    counted++
    return Response.text('counted')
  }
}

class Order extends Tool<typeof Order> {
  static override name = 'order'
  static override description = 'Has nested arguments'

  static override schema() {
    const range = vine.tuple([vine.number(), vine.number()])
    return vine.create({
      items: vine.array(vine.object({ quantity: vine.number().min(1), range: range.optional() })),
      prices: vine.record(vine.number()).optional(),
    })
  }

  handle({ items }: Arguments<typeof Order>) {
    return Response.text(String(items.length))
  }
}

class Dawdle extends Prompt {
  static override name = 'dawdle'
  static override description = 'Waits until it is aborted'

  async handle(_args: object, { signal }: McpRequest) {
    await waiting.until(signal)
    return Response.text('too late')
  }
}

class Greet extends Prompt {
  static override name = 'greet'
  static override description = 'Greets somebody'
  static override arguments = () => [new Argument({ name: 'person' })]

  handle() {
    return Response.text('Hello')
  }

  override complete() {
    return ['Ann']
  }
}

class LimitsServer extends ServerKnownByHeader {
  static override name = 'limits'
  static override tools = () => [Wait, Count, Order]
  static override prompts = () => [Dawdle, Greet]
}

const PATH = '/mcp/limits'
LimitsServer.router(PATH)

const call = (name: string, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name },
})
const cancellation = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})
const send = (message: object, headers: Record<string, string> = {}) =>
  post(PATH, JSON.stringify(message), { ...JSON_TYPE, ...headers })

test.group('MCP limits | Time', (group) => {
  group.each.setup(() => {
    waiting = new Waiting()
  })

  async function shorten() {
    const { config } = await app.container.make('mcp')
    replaceForTest(config, 'callTimeout', 10)
  }

  test('a tool that takes too long is an error result, and its signal is aborted', async ({
    assert,
  }) => {
    await shorten()
    const result = await resultOf(legacy(PATH, 'tools/call', { name: 'wait' }))
    assert.isTrue(result.isError)
    assert.equal(result.content[0].text, 'The call timed out.')
    await waiting.aborted.promise
  })

  test('a prompt that takes too long is -32603', async ({ assert }) => {
    await shorten()
    const { body } = await legacy(PATH, 'prompts/get', { name: 'dawdle' })
    assert.deepEqual(body.error, { code: -32603, message: 'The call timed out' })
  })
})

test.group('MCP limits | Cancellation in revisions before 2026-07-28', (group) => {
  group.each.setup(() => {
    waiting = new Waiting()
  })
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('stops the call of the same session, which gets no response', async ({ assert }) => {
    const session = { 'mcp-session-id': 'a-random-session' }
    const answer = send(call('wait', 7), session)
    await waiting.started.promise
    assert.equal((await send(cancellation(7), session)).status, 202)
    const { status, text } = await answer
    assert.equal(status, 202)
    assert.equal(text, '')
    assert.isTrue(waiting.isAborted)
  })

  test('stops neither the call of another session nor another call', async ({ assert }) => {
    const session = { 'mcp-session-id': 'mine' }
    const answer = send(call('wait', 7), session)
    await waiting.started.promise
    await send(cancellation(7), { 'mcp-session-id': 'theirs' })
    await send(cancellation(7))
    await send(cancellation('7'), session)
    await send(cancellation({}), session)
    assert.isFalse(waiting.isAborted)
    await send(cancellation(7), session)
    await answer
  })

  test('has no effect on an anonymous call without a session', async ({ assert }) => {
    const leave = new AbortController()
    const answer = fetch(url(PATH), {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(call('wait', 7)),
      signal: leave.signal,
    }).catch(() => {})
    await waiting.started.promise
    await send(cancellation(7))
    assert.isFalse(waiting.isAborted)
    leave.abort()
    await answer
  })

  test('of another user stops nothing', async ({ client, assert }) => {
    const answer = client.post(PATH).headers(callerHeaders('ann')).json(call('wait', 7)).send()
    await waiting.started.promise
    await client.post(PATH).headers(callerHeaders('bob')).json(cancellation(7))
    assert.isFalse(waiting.isAborted)
    await client.post(PATH).headers(callerHeaders('ann')).json(cancellation(7))
    const { text } = await answer.then((response) => ({ text: response.text() }))
    assert.equal(text, '')
    assert.isTrue(waiting.isAborted)
  })
})

test.group('MCP limits | A client that goes away', () => {
  test('stops a batch between its calls', async ({ assert }) => {
    waiting = new Waiting()
    counted = 0
    const leave = new AbortController()
    const answer = fetch(url(PATH), {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify([call('count', 1), call('wait', 2), call('count', 3)]),
      signal: leave.signal,
    }).catch(() => {})
    await waiting.started.promise
    leave.abort()
    await answer
    await waiting.aborted.promise
    await legacy(PATH, 'ping')
    assert.equal(counted, 1)
  })
})

test.group('MCP limits | Calls of one caller', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  const CALLS = { perSubject: { attempts: 2, seconds: 60 } }

  test('beyond the limit are 429 with Retry-After, and other callers go on', async ({
    client,
    assert,
  }) => {
    await limit({ mcpCalls: CALLS })
    const callAs = (name: string) =>
      client.post(PATH).headers(callerHeaders(name)).json(call('count', 3))
    for (const status of [200, 200, 429]) {
      const response = await callAs('ann')
      response.assertStatus(status)
    }
    const refused = await callAs('ann')
    assert.match(refused.header('retry-after')!, /^[1-9]\d*$/)
    assert.equal(refused.body().id, 3)
    assert.equal(refused.body().error.code, -32000)
    const other = await callAs('bob')
    other.assertStatus(200)
  })

  test('of anonymous callers count by their address, each of a batch', async ({ assert }) => {
    await limit({ anonymousMcpCalls: { perAddress: { attempts: 2, seconds: 60 } } })
    counted = 0
    const batch = [call('count', 1), call('count', 2), call('count', 3)]
    const { status, body } = await post(PATH, JSON.stringify(batch))
    assert.equal(status, 200)
    assert.equal(body[2].error.code, -32000)
    assert.equal(counted, 2)
  })

  test('of anonymous callers count apart for each session, or else for each tool', async ({
    client,
    assert,
  }) => {
    await limit({ anonymousMcpCalls: { perSubjectAndAddress: { attempts: 1, seconds: 60 } } })
    const callOf = (name: string, session?: string) => {
      const request = client.post(PATH).headers(JSON_TYPE).json(call(name, 1))
      return session ? request.header('mcp-session-id', session) : request
    }
    for (const [name, session, status] of [
      ['count', undefined, 200],
      ['count', undefined, 429],
      ['order', undefined, 200],
      ['count', 'one', 200],
      ['order', 'one', 429],
      ['count', 'two', 200],
      ['count', 'x'.repeat(128), 200],
      ['count', 'x'.repeat(129), 429],
    ] as const) {
      const response = await callOf(name, session)
      response.assertStatus(status)
      if (status === 429) {
        assert.match(response.header('retry-after')!, /^[1-9]\d*$/)
      }
    }
  })

  test('completions are counted, whatever they complete', async ({ assert }) => {
    await limit({ anonymousMcpCalls: { perAddress: { attempts: 1, seconds: 60 } } })
    const ref = { type: 'ref/prompt', name: 'greet' }
    const params = { ref, argument: { name: 'person', value: '' } }
    assert.equal((await legacy(PATH, 'completion/complete', params)).status, 200)
    assert.equal((await legacy(PATH, 'completion/complete', params)).status, 429)
  })

  test('lists are not counted', async ({ assert }) => {
    await limit({ anonymousMcpCalls: { perAddress: { attempts: 1, seconds: 60 } } })
    for (let i = 0; i < 3; i++) {
      assert.equal((await legacy(PATH, 'tools/list')).status, 200)
    }
  })
})

test.group('MCP arguments', () => {
  test('a VineJS failure names the whole path of its field', async ({ assert }) => {
    const args = { items: [{ quantity: 1 }, { quantity: 0 }] }
    const { content, isError } = await resultOf(
      legacy(PATH, 'tools/call', { name: 'order', arguments: args })
    )
    assert.isTrue(isError)
    assert.match(content[0].text, /^Invalid arguments: items\.1\.quantity: /)
  })

  test('VineJS makes a number of a text, and of nothing else: {quantity}')
    .with([{ quantity: [1] }, { quantity: true }, { quantity: '' }])
    .run(async ({ assert }, wrong) => {
      const order = (...items: object[]) =>
        resultOf(legacy(PATH, 'tools/call', { name: 'order', arguments: { items } }))
      const { content } = await order({ quantity: '1' }, wrong)
      assert.equal(content[0].text, 'Invalid arguments: items.1.quantity: must be a number')
      assert.isUndefined((await order({ quantity: '1' })).isError)
    })

  test('VineJS makes no number of a truth value in a tuple or a record', async ({ assert }) => {
    const order = (args: object) =>
      resultOf(legacy(PATH, 'tools/call', { name: 'order', arguments: args }))
    const items = [{ quantity: 1, range: ['1', true] }]
    const { content } = await order({ items, prices: { tea: '1', milk: true } })
    const fields = ['items.0.range.1', 'prices.milk'].map((field) => `${field}: must be a number`)
    assert.equal(content[0].text, `Invalid arguments: ${fields.join('; ')}`)
  })
})
