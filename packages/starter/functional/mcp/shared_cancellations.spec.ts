import { randomUUID } from 'node:crypto'
import { once } from 'node:events'

import app from '@adonisjs/core/services/app'
import redis from '@adonisjs/redis/services/main'
import { test } from '@japa/runner'

import {
  type CallLimits,
  keyOf,
  RunningCalls,
  runningCalls,
  shareByRedis,
} from '#kit/mcp/protocol/running_calls'
import type { Call } from '#kit/mcp/protocol/call'
import type { McpRequest } from '#kit/mcp/request'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import { Tool } from '#kit/mcp/primitives'
import { JSON_TYPE, legacy, post } from '#starter/helpers/mcp_wire'
import { redisIsThere } from '#starter/helpers/redis'

const PATH = '/mcp/shared-cancellations'
let started = Promise.withResolvers<AbortSignal>()

class Wait extends Tool {
  static override name = 'wait'
  static override description = 'Waits until it is aborted'

  async handle(_args: object, { signal }: McpRequest) {
    started.resolve(signal)
    await once(signal, 'abort')
    return Response.text('too late')
  }
}

class PatientServer extends Server {
  static override name = 'patient'
  static override tools = () => [Wait]
}

PatientServer.router(PATH)

const cancellation = {
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: 1 },
}

function withSession(session: string) {
  return { ...JSON_TYPE, 'mcp-session-id': session }
}

test.group('MCP | Cancellations that processes share', (group) => {
  group.each.skip(!redisIsThere, 'No Redis is running')
  group.each.setup(() => {
    started = Promise.withResolvers()
    return () => void (runningCalls.publish = () => {})
  })

  /** What another process on the same Redis has, once it hears the channel: other suites may hear it sooner. */
  async function anotherProcess(calls: RunningCalls) {
    const logger = await app.container.make('logger')
    const connection = redis.connection('main')
    const ready = Promise.withResolvers<void>()
    const publish = connection.publish.bind(connection)
    const subscribe: typeof connection.subscribe = (channel, hear, told) =>
      connection.subscribe(channel, hear, { ...told!, onSubscription: () => ready.resolve() })
    shareByRedis({ publish, subscribe }, calls, logger)
    await ready.promise
    return connection
  }

  /** A call that runs elsewhere, as its process knows it. */
  function runningElsewhere(calls: RunningCalls, session: string) {
    const cancelled = Promise.withResolvers<void>()
    const call = {
      caller: null,
      definition: { info: { name: 'patient' } },
      header: (name: string) => (name === 'mcp-session-id' ? session : undefined),
      era: { name: 'legacy' },
      request: { id: 1 },
    } as unknown as Call
    calls.add(call, { cancel: cancelled.resolve, stop() {} } as unknown as CallLimits)
    return cancelled.promise
  }

  test('stop a call that another process runs', async ({ assert, cleanup }) => {
    const elsewhere = new RunningCalls()
    const connection = await anotherProcess(elsewhere)
    cleanup(() => void connection.unsubscribe('mcp:cancelled'))
    runningCalls.publish = (key) => void connection.publish('mcp:cancelled', key)

    const session = randomUUID()
    const cancelled = runningElsewhere(elsewhere, session)
    const { status } = await post(PATH, JSON.stringify(cancellation), withSession(session))
    assert.equal(status, 202)
    await cancelled
  })

  test('stop a call here when another process was told', async ({ assert, cleanup }) => {
    const connection = await anotherProcess(runningCalls)
    cleanup(() => void connection.unsubscribe('mcp:cancelled'))
    const elsewhere = new RunningCalls()
    elsewhere.publish = (key) => void connection.publish('mcp:cancelled', key)

    const session = randomUUID()
    const answer = legacy(PATH, 'tools/call', { name: 'wait' }, withSession(session))
    const signal = await started.promise
    const exchange = {
      caller: null,
      definition: { info: { name: 'patient' } },
      header: (name: string) => (name === 'mcp-session-id' ? session : undefined),
    } as unknown as Call
    elsewhere.cancel(exchange, 2)
    elsewhere.cancel(exchange, 1)
    assert.equal((await answer).status, 202)
    assert.isTrue(signal.aborted)
  })

  test('tell nobody of a call without a session id, whose key another client may share', async ({
    assert,
  }) => {
    const published: string[] = []
    const calls = new RunningCalls()
    calls.publish = (key) => void published.push(key)
    const exchange = (session?: string) =>
      ({
        caller: { id: 'ann', user: {}, scopes: [] },
        definition: { info: { name: 'patient' } },
        header: () => session,
      }) as unknown as Call
    calls.cancel(exchange(), 1)
    assert.isEmpty(published)
    calls.cancel(exchange('a-session'), 1)
    assert.lengthOf(published, 1)
    assert.notInclude(published[0]!, 'a-session')
  })

  test('mean a call by its server, its caller, its session and its id', ({ assert }) => {
    const key = (server: string, caller: string, session: string, id: string | number) => {
      const definition = { info: { name: server } }
      const exchange = { definition, caller: { id: caller }, header: () => session }
      return keyOf(exchange as unknown as Call, id)
    }
    const keys = [
      key('blog', 'ann', 'one', 1),
      key('shop', 'ann', 'one', 1),
      key('blog', 'bob', 'one', 1),
      key('blog', 'ann', 'two', 1),
      key('blog', 'ann', 'one', 2),
      key('blog', 'ann', 'one', '1'),
    ]
    assert.lengthOf(new Set(keys), keys.length)
  })

  test('end no call while another client of the caller runs one with its id, which may be meant', ({
    assert,
  }) => {
    const calls = new RunningCalls()
    const call = {
      caller: { id: 'ann', user: {}, scopes: [] },
      definition: { info: { name: 'patient' } },
      header: () => undefined,
      era: { name: 'legacy' },
      request: { id: 1 },
    } as unknown as Call
    const cancelled: string[] = []
    const run = (name: string) =>
      calls.add(call, { cancel: () => cancelled.push(name) } as unknown as CallLimits)
    run('one')
    const end = run('the other')
    calls.cancel(call, 1)
    assert.isEmpty(cancelled)
    end()
    calls.cancel(call, 1)
    assert.deepEqual(cancelled, ['one'])
  })
})

test.group('MCP | The end of the server', () => {
  test('ends calls that go on for longer than stopTimeout, with an error that says so', async ({
    assert,
  }) => {
    started = Promise.withResolvers()
    const answer = legacy(PATH, 'tools/call', { name: 'wait' })
    const signal = await started.promise
    runningCalls.stopAfter(0)
    const { body } = await answer
    assert.isTrue(body.result.isError)
    assert.equal(body.result.content[0].text, 'The server is stopping. Try again.')
    assert.isTrue(signal.aborted)
  })
})
