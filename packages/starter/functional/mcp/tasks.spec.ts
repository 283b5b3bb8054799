import { once } from 'node:events'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import testUtils from '@adonisjs/core/services/test_utils'
import { getActiveTest, test } from '@japa/runner'
import type { ApiClient } from '@japa/api-client'

import { UserFactory } from '#database/factories/user_factory'
import { InputRequest, type McpRequest } from '#kit/mcp/request'
import type { CallLimits } from '#kit/mcp/protocol/running_calls'
import { Response } from '#kit/mcp/response'
import { callerHeaders, ServerKnownByHeader } from '#starter/helpers/fixtures/mcp/known_by_header'
import { DatabaseTaskStore, McpTask } from '#kit/mcp/tasks/task_store'
import { Tasks } from '#kit/mcp/tasks/tasks'
import { Tool } from '#kit/mcp/primitives'
import type User from '#models/user'
import { limit } from '#starter/helpers/limits'
import { type Json, legacy, meta, mirror } from '#starter/helpers/mcp_wire'
import { hashSecret } from '#kit/security/secrets'
import db from '@adonisjs/lucid/services/db'

const PATH = '/mcp/tasks'
const TWIN = '/mcp/tasks/twin'
/** Milliseconds between two looks at whether a task still works. */
const WATCH = 2000
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: {} }

let started = Promise.withResolvers<AbortSignal>()
const question = {
  sure: InputRequest.elicit('Sure?', {
    type: 'object',
    properties: { yes: { type: 'boolean' } },
    required: ['yes'],
  }),
}

class Work extends Tool {
  static override name = 'work'
  static override description = 'Tells who asked'
  static override taskSupport = 'optional' as const

  handle(_args: object, { caller }: McpRequest) {
    return Response.text(`done for ${caller?.user?.id ?? 'nobody'}`)
  }
}

class Wait extends Tool {
  static override name = 'wait'
  static override description = 'Waits until it is aborted'
  static override taskSupport = 'required' as const
  static override scopes = ['posts:write'] as const

  async handle(_args: object, { signal }: McpRequest) {
    started.resolve(signal)
    await once(signal, 'abort')
    return Response.text('too late')
  }
}

class Ask extends Tool {
  static override name = 'ask'
  static override description = 'Asks until the answer is yes'
  static override taskSupport = 'optional' as const

  handle(_args: object, request: McpRequest) {
    const rounds = Number(request.state ?? 0)
    return request.answers(question).sure?.content?.yes === true
      ? Response.text(`sure after ${rounds}`)
      : Response.inputRequired(question, rounds + 1)
  }
}

class TasksServer extends ServerKnownByHeader {
  static override name = 'with_tasks'
  static override tools = () => [Work, Wait, Ask]
}

class TwinServer extends TasksServer {
  static override name = 'with_the_same_tools'
}

TasksServer.router(PATH)
TwinServer.router(TWIN)

/** A request of a client that knows tasks. */
function send(
  client: ApiClient,
  user: User | null,
  method: string,
  params: Json,
  capabilities: Json = TASKS,
  path = PATH
) {
  const headers = { ...mirror(method, params), 'mcp-name': params.name ?? params.taskId }
  const request = client
    .post(path)
    .headers(headers)
    .json({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta: meta({ clientCapabilities: capabilities }) },
    })
  return user ? request.headers(callerHeaders(String(user.id), ['posts:write'])) : request
}

async function start(client: ApiClient, user: User | null, name: string): Promise<string> {
  const response = await send(client, user, 'tools/call', { name })
  const { result } = response.body()
  if (result?.resultType !== 'task') {
    throw new Error(`No task: ${response.text()}`)
  }
  return result.taskId
}

async function get(client: ApiClient, user: User | null, taskId: string): Promise<Json> {
  const response = await send(client, user, 'tasks/get', { taskId })
  return response.body()
}

/** Asks until the task has one of these statuses. */
async function until(client: ApiClient, user: User | null, taskId: string, ...statuses: string[]) {
  for (;;) {
    const { result } = await get(client, user, taskId)
    if (statuses.includes(result.status)) {
      return result
    }
    await sleep(5)
  }
}

const rows = () => McpTask.query().where('server', TasksServer.name)
const errorOf = (body: Json) => [body.error?.code, body.error?.message]
const UNKNOWN = [-32602, 'There is no such task']

test.group('MCP tasks', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => {
    started = Promise.withResolvers()
  })

  test('a task works for its caller, and its row has the hash of its id', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const id = await start(client, user, 'work')
    const task = await until(client, user, id, 'completed')
    assert.equal(task.result.content[0].text, `done for ${user.id}`)
    assert.equal(task.resultType, 'complete')
    assert.deepEqual([task.taskId, task.ttlMs, task.pollIntervalMs], [id, 3_600_000, 1000])
    assert.isAtLeast(Date.parse(task.lastUpdatedAt), Date.parse(task.createdAt))
    assert.isNull(await McpTask.find(id))
    const row = await McpTask.findOrFail(hashSecret(id))
    assert.equal(row.status, 'completed')
    assert.include(row.owner!, String(user.id))
  })

  test('nobody but its owner sees, answers or cancels it', async ({ client, assert }) => {
    const [ann, bob] = await UserFactory.createMany(2)
    const id = await start(client, ann!, 'wait')
    const signal = await started.promise
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      for (const user of [bob!, null]) {
        const response = await send(client, user, method, { taskId: id, inputResponses: {} })
        assert.deepEqual(errorOf(response.body()), UNKNOWN, method)
      }
    }
    assert.isFalse(signal.aborted)
    await send(client, ann!, 'tasks/cancel', { taskId: id })
  })

  test('no other server knows it, also one with the same tools', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const taskId = await start(client, user, 'work')
    await until(client, user, taskId, 'completed')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const response = await send(client, user, method, { taskId, inputResponses: {} }, TASKS, TWIN)
      assert.deepEqual(errorOf(response.body()), UNKNOWN, method)
    }
  })

  test('answers to it count as calls, and looks at it do not', async ({ client, assert }) => {
    const user = await UserFactory.create()
    await limit({ mcpCalls: { perSubject: { attempts: 2, seconds: 60 } } })
    const taskId = await start(client, user, 'work')
    await until(client, user, taskId, 'completed')
    for (const status of [200, 429]) {
      await get(client, user, taskId)
      const params = { taskId, inputResponses: {} }
      const response = await send(client, user, 'tasks/update', params)
      response.assertStatus(status)
    }
    const { result } = await get(client, user, taskId)
    assert.equal(result.status, 'completed')
  })

  test('tasks/cancel leaves a task that has ended with its result', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const taskId = await start(client, user, 'work')
    await until(client, user, taskId, 'completed')
    const response = await send(client, user, 'tasks/cancel', { taskId })
    assert.equal(response.body().result.resultType, 'complete')
    const { result } = await get(client, user, taskId)
    assert.equal(result.status, 'completed')
    assert.equal(result.result.content[0].text, `done for ${user.id}`)
  })

  test('of an anonymous caller, whoever knows its id', async ({ client, assert }) => {
    const id = await start(client, null, 'work')
    const task = await until(client, null, id, 'completed')
    assert.equal(task.result.content[0].text, 'done for nobody')
    const user = await UserFactory.create()
    assert.deepEqual(errorOf(await get(client, user, id)), UNKNOWN)
  })

  test('tasks/cancel aborts the handler, and its late result is dropped', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const id = await start(client, user, 'wait')
    const signal = await started.promise
    const ack = await send(client, user, 'tasks/cancel', { taskId: id })
    assert.equal(ack.body().result.resultType, 'complete')
    assert.isTrue(signal.aborted)
    const { result } = await get(client, user, id)
    assert.equal(result.status, 'cancelled')
    assert.notProperty(result, 'result')
    const again = await send(client, user, 'tasks/cancel', { taskId: id })
    assert.equal(again.body().result.resultType, 'complete')
  })

  test('a task that another process was asked to cancel is aborted', async ({ client }) => {
    const user = await UserFactory.create()
    const id = await start(client, user, 'wait')
    const signal = await started.promise
    const elsewhere = new Tasks(new DatabaseTaskStore(() => db.connection()), {
      taskTtl: 1000,
      taskTimeout: 1000,
      requestStateTtl: 1000,
    })
    await elsewhere.change(id, (record) => ({ ...record, status: 'cancelled' }))
    await once(signal, 'abort')
  })

  test('questions are asked by keys that are used once, and wrong answers are asked again', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const id = await start(client, user, 'ask')
    const answer = (key: string, yes: unknown) =>
      send(client, user, 'tasks/update', {
        taskId: id,
        inputResponses: { [key]: { action: 'accept', content: { yes } }, other: { action: 'x' } },
      })

    const first = await until(client, user, id, 'input_required')
    const [firstKey] = Object.keys(first.inputRequests)
    await answer(firstKey!, 'perhaps')
    let second = await until(client, user, id, 'input_required')
    while (Object.keys(second.inputRequests)[0] === firstKey) {
      second = await until(client, user, id, 'input_required')
    }
    const [secondKey] = Object.keys(second.inputRequests)
    await answer(firstKey!, true)
    const unmoved = await get(client, user, id)
    assert.deepEqual(Object.keys(unmoved.result.inputRequests), [secondKey])
    await answer(secondKey!, true)
    const task = await until(client, user, id, 'completed')
    assert.equal(task.result.content[0].text, 'sure after 2')
  })

  test('a client that declares no elicitation is not asked: the task fails and says why', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const { extensions } = TASKS
    const response = await send(client, user, 'tools/call', { name: 'ask' }, { extensions })
    const { taskId } = response.body().result
    const task = await until(client, user, taskId, 'failed')
    assert.equal(task.error.code, -32021)
    assert.deepEqual(task.error.data.requiredCapabilities, { elicitation: { form: {} } })
  })

  test('scopes are needed before a task is created', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const params = { name: 'wait', _meta: meta({ clientCapabilities: TASKS }) }
    const response = await client
      .post(PATH)
      .headers(mirror('tools/call', params))
      .headers(callerHeaders(String(user.id)))
      .json({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    response.assertStatus(403)
    assert.isEmpty(await rows())
  })

  test('a task is seen, answered and cancelled with the scopes of its tool alone', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const taskId = await start(client, user, 'wait')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const request = send(client, user, method, { taskId, inputResponses: {} })
      const refused = await request.headers(callerHeaders(String(user.id), ['posts:read']))
      refused.assertStatus(403)
      assert.equal(refused.body().error.data.error, 'insufficient_scope', method)
    }
    const { result } = await get(client, user, taskId)
    assert.equal(result.status, 'working')
    await send(client, user, 'tasks/cancel', { taskId })
    await until(client, user, taskId, 'cancelled')
  })

  test('clients that know no tasks wait for the result, unless the tool requires them', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const direct = await send(client, user, 'tools/call', { name: 'work' }, {})
    assert.equal(direct.body().result.content[0].text, `done for ${user.id}`)
    const refused = await send(client, user, 'tools/call', { name: 'wait' }, {})
    assert.equal(refused.body().error.code, -32021)
    const olderRefused = await legacy(PATH, 'tools/call', { name: 'wait' }, callerHeaders('1'))
    assert.equal(olderRefused.status, 200)
    assert.deepEqual(errorOf(olderRefused.body), [
      -32600,
      'The tool takes a client that supports tasks of MCP 2026-07-28',
    ])
    const older = await legacy(PATH, 'tools/call', { name: 'work' })
    assert.equal(older.body.result.content[0].text, 'done for nobody')
    assert.isEmpty(await rows())
  })

  test('a task that has expired is unknown, and purged', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const id = await start(client, user, 'work')
    await until(client, user, id, 'completed')
    const { tasks } = await app.container.make('mcp')
    await tasks!.change(id, (record) => ({ ...record, expiresAt: Date.now() }))
    assert.deepEqual(errorOf(await get(client, user, id)), UNKNOWN)
    assert.equal(await tasks!.purge(), 1)
    assert.isEmpty(await rows())
  })

  test('a task whose process has ended without a result has failed', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const id = await start(client, user, 'wait')
    const signal = await started.promise
    const { tasks } = await app.container.make('mcp')
    await tasks!.change(id, (record) => ({ ...record, runsUntil: Date.now() }))
    const { result } = await get(client, user, id)
    assert.equal(result.status, 'failed')
    assert.equal(result.error.message, 'The task was interrupted')
    tasks!.abort(id)
    assert.isTrue(signal.aborted)
  })

  test('the end of the server is the outcome of what still runs', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const id = await start(client, user, 'wait')
    await started.promise
    const { tasks } = await app.container.make('mcp')
    await tasks!.stop()
    const { result } = await get(client, user, id)
    assert.equal(result.status, 'completed')
    assert.isTrue(result.result.isError)
    assert.include(result.result.content[0].text, 'The server is stopping')
  })

  test('the event of a call comes when the work is done, and once', async ({ client, assert }) => {
    const seen: string[] = []
    const stop = emitter.on('mcp:called', ({ name }) => void seen.push(name!))
    getActiveTest()!.cleanup(stop)
    const user = await UserFactory.create()
    const id = await start(client, user, 'ask')
    const { inputRequests } = await until(client, user, id, 'input_required')
    assert.isEmpty(seen)
    const [key] = Object.keys(inputRequests)
    await send(client, user, 'tasks/update', {
      taskId: id,
      inputResponses: { [key!]: { action: 'accept', content: { yes: true } } },
    })
    await until(client, user, id, 'completed')
    assert.deepEqual(seen, ['ask'])
  })

  test('a task that has ended is not looked at again', async ({ client, assert, cleanup }) => {
    const { tasks } = await app.container.make('mcp')
    const looks = mock.method(tasks!, 'isWorking')
    cleanup(() => looks.mock.restore())
    mock.timers.enable({ apis: ['setInterval'] })
    cleanup(() => mock.timers.reset())
    const user = await UserFactory.create()
    const id = await start(client, user, 'wait')
    await started.promise
    mock.timers.tick(WATCH)
    assert.equal(looks.mock.callCount(), 1)
    await send(client, user, 'tasks/cancel', { taskId: id })
    await until(client, user, id, 'cancelled')
    mock.timers.tick(WATCH)
    assert.equal(looks.mock.callCount(), 1)
  })

  test('a stop and a cancellation end every run of a task, also one that its next has overtaken', async ({
    assert,
  }) => {
    const times = { taskTtl: 1000, taskTimeout: 1000, requestStateTtl: 1000 }
    const tasks = new Tasks(new DatabaseTaskStore(() => db.connection()), times)
    const ended: string[] = []
    for (const name of ['first', 'next']) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = () => void ended.push(`${name} cancelled`)
      const stop = () => {
        ended.push(`${name} stopped`)
        resolve()
      }
      tasks.track('one', { cancel, stop } as CallLimits, promise)
    }
    tasks.abort('another')
    tasks.abort('one')
    await tasks.stop()
    await tasks.stop()
    const all = ['first cancelled', 'next cancelled', 'first stopped', 'next stopped']
    assert.deepEqual(ended, all)
  })

  test('a database that is away for a while does not lose the outcome', async ({
    client,
    assert,
    cleanup,
  }) => {
    const user = await UserFactory.create()
    const { tasks } = await app.container.make('mcp')
    const failed = Promise.withResolvers<void>()
    const change = tasks!.change.bind(tasks)
    const { mock: changes } = mock.method(tasks!, 'change', change)
    cleanup(() => changes.restore())
    changes.mockImplementationOnce(() => {
      failed.resolve()
      return Promise.reject(new Error('Connection terminated unexpectedly'))
    })
    const id = await start(client, user, 'work')
    await failed.promise
    assert.equal((await get(client, user, id)).result.status, 'working')
    /* A stop does not wait for the next attempt. */
    await tasks!.stop()
    const { result } = await get(client, user, id)
    assert.equal(result.status, 'completed')
    assert.equal(result.result.content[0].text, `done for ${user.id}`)
  })

  test('an outcome that cannot be stored is logged', async ({ client, assert, cleanup }) => {
    const lines: unknown[][] = []
    const spy = mock.method(Logger.prototype, 'error', (...line: unknown[]) => lines.push(line))
    cleanup(() => spy.mock.restore())
    const user = await UserFactory.create()
    const id = await start(client, user, 'wait')
    await started.promise
    const { tasks } = await app.container.make('mcp')
    const gone = new Error('the database is gone')
    const failing = mock.method(tasks!, 'change', () => Promise.reject(gone))
    cleanup(() => failing.mock.restore())
    await tasks!.stop()
    assert.deepEqual(lines, [[{ err: gone }, 'Cannot store the outcome of an MCP task']])
    assert.equal((await get(client, user, id)).result.status, 'working')
  })

  test('only revision 2026-07-28 has tasks', async ({ assert }) => {
    const { body } = await legacy(PATH, 'tasks/get', { taskId: 'x' })
    assert.equal(body.error.code, -32601)
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const { body: hello } = await legacy(PATH, 'initialize', initialize)
    assert.notProperty(hello.result.capabilities, 'extensions')
  })
})
