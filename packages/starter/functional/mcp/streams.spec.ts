import { test } from '@japa/runner'

import { witnessed } from '#starter/helpers/fixtures/mcp/workshop_server'
import {
  events,
  JSON_TYPE,
  legacy,
  meta,
  mirror,
  modern,
  url,
  bodyOf,
  errorCode,
  resultOf,
} from '#starter/helpers/mcp_wire'

const PATH = '/mcp/workshop'
const STREAMS = { accept: 'application/json, text/event-stream' }
const slow = (value: string, ms: number, token?: unknown) => ({
  name: 'slow_echo',
  arguments: { value, ms },
  _meta: meta({ progressToken: token }),
})

test.group('MCP event streams | Progress', () => {
  test('the answer becomes a stream: notifications, then the response', async ({ assert }) => {
    const { status, headers, text } = await modern(PATH, 'tools/call', slow('hi', 5, 'token'))
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^text\/event-stream/)
    assert.equal(headers.get('cache-control'), 'no-cache, no-transform')
    assert.equal(headers.get('x-accel-buffering'), 'no')

    const [first, second, response, ...rest] = events(text)
    assert.deepEqual(first, {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'token', progress: 1, total: 2, message: 'hi' },
    })
    assert.equal(second.params.progress, 2)
    assert.equal(response.id, 1)
    assert.equal(response.result.content[0].text, 'hi')
    assert.isEmpty(rest)
  })

  test('works for older clients too', async ({ assert }) => {
    const params = { ...slow('hi', 5), _meta: { progressToken: 7 } }
    const { text } = await legacy(PATH, 'tools/call', params, STREAMS)
    const [first, , response] = events(text)
    assert.equal(first.params.progressToken, 7)
    assert.deepEqual(response.result, { content: [{ type: 'text', text: 'hi' }] })
  })

  test('a client that did not ask for progress gets JSON', async ({ assert }) => {
    const { body } = await modern(PATH, 'tools/call', slow('hi', 0))
    assert.equal(body.result.content[0].text, 'hi')
  })

  test('a client that reads no event stream gets JSON', async ({ assert }) => {
    for (const accept of [
      'application/json',
      '*/*',
      'application/json, text/event-streams',
      'text/event-stream;q=0, application/json',
      'application/json, text/event-stream; q=0.0',
    ]) {
      const { body } = await modern(PATH, 'tools/call', slow('hi', 0, 'token'), { accept })
      assert.equal(body.result.content[0].text, 'hi')
    }
  })

  test('a progress token of another type is -32602', async ({ assert }) => {
    for (const token of [{}, 1.5, true, null]) {
      const { body } = await modern(PATH, 'tools/call', slow('hi', 0, token))
      assert.equal(body.error.code, -32602)
    }
  })
})

test.group('MCP event streams | Log messages', () => {
  const call = (logLevel?: string) =>
    modern(PATH, 'tools/call', { name: 'logs', _meta: meta({ logLevel }) })

  test('none are sent unasked', async ({ assert }) => {
    const { content } = await resultOf(call())
    assert.equal(content[0].text, 'logged')
  })

  test('are sent from the level on that the request asks for', async ({ assert }) => {
    const seen = async (level: string) => {
      const { text } = await call(level)
      return events(text)
        .filter(({ method }) => method === 'notifications/message')
        .map(({ params }) => params)
    }
    assert.deepEqual(await seen('debug'), [
      { level: 'debug', data: 'details' },
      { level: 'warning', logger: 'workshop', data: { careful: true } },
    ])
    assert.lengthOf(await seen('warning'), 1)
    assert.property(await bodyOf(call('error')), 'result')
  })

  test('an unknown level is -32602', async ({ assert }) => {
    assert.equal(await errorCode(call('loud')), -32602)
  })

  test('older clients get them from "info" on', async ({ assert }) => {
    const { text } = await legacy(PATH, 'tools/call', { name: 'logs' }, STREAMS)
    const [message, response] = events(text)
    assert.equal(message.params.level, 'warning')
    assert.property(response, 'result')
  })
})

test.group('MCP event streams | Calls side by side', () => {
  test('a hundred overlapping calls are each answered with their own result', async ({
    assert,
  }) => {
    const numbers = Array.from({ length: 100 }, (_, index) => index)
    await Promise.all(
      numbers.map(async (index) => {
        const value = `value-${index}`
        const token = index % 2 ? `token-${index}` : undefined
        const { text, body } = await modern(
          PATH,
          'tools/call',
          slow(value, (index * 37) % 50, token),
          { 'x-probe': value }
        )
        /* A call that waits for others for longer than a second is a stream, too. */
        const messages = body && !token ? [body] : events(text)
        const response = messages.at(-1)
        assert.equal(response.id, 1)
        assert.equal(response.result.content[0].text, value)
        for (const { params } of messages.slice(0, -1)) {
          assert.equal(params.progressToken, token)
          assert.equal(params.message, value)
        }
      })
    )
  })
})

test.group('MCP event streams | A client that goes away', () => {
  test('aborts the signal of the handler', async () => {
    const params = { name: 'wait_for_abort', _meta: meta() }
    const leave = new AbortController()
    const answer = fetch(url(PATH), {
      method: 'POST',
      headers: { ...JSON_TYPE, ...mirror('tools/call', params) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      signal: leave.signal,
    }).catch(() => {})
    await witnessed.started.promise
    leave.abort()
    await answer
    await witnessed.aborted.promise
  })
})
