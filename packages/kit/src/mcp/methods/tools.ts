import { setTimeout as sleep } from 'node:timers/promises'

import { isDatabaseUnavailable } from '#database/errors'
import type { ToolDefinition } from '#mcp/definition/server_definition'
import { assertParams, assertRequest, quoted } from '#mcp/errors'
import { requireScopes } from '#mcp/caller'
import { announcerOf, observed, type Target } from '#mcp/methods/handlers'
import { asksByConfirm, assertAskable, confirmedCall, visitedCall } from '#mcp/methods/questions'
import { answerOf, runTool, toolResult } from '#mcp/methods/tool_run'
import {
  addressed,
  type Call,
  complete,
  handlerRequest,
  inputResponses,
  objectParam,
  SILENT,
} from '#mcp/protocol/call'
import { declares, declaresTasks, missingTasks } from '#mcp/protocol/capabilities'
import type { JsonObject } from '#mcp/types'
import { checkParamHeaders } from '#mcp/protocol/mirrored_headers'
import { CallCancelled, CallLimits } from '#mcp/protocol/running_calls'
import { McpRequest } from '#mcp/request'
import { type Question, Response } from '#mcp/response'
import type { TaskRecord } from '#mcp/tasks/task_store'
import { detailedTask, failure, taskMembers } from '#mcp/tasks/tasks'

export async function callTool(call: Call): Promise<string> {
  const name = addressed(call, 'name')
  const tool = call.definition.findTool(name, call.caller, declares(call, 'apps'))
  assertParams(tool, `Unknown tool: ${quoted(name)}`)
  const sent = objectParam(call.request.params, 'arguments')
  checkParamHeaders(call, tool.headers, sent)

  const target = { kind: 'tool', name, scopes: tool.Class.scopes } as const
  if (isTask(call, tool)) {
    return startTask(call, tool, sent, target)
  }
  const confirmed = asksByConfirm(call, tool.Class) ? confirmedCall(call, sent) : call
  if (confirmed instanceof Response) {
    return complete(call, toolResult(call, confirmed))
  }
  const args = objectParam(confirmed.request.params, 'arguments')
  return observed(confirmed, target, async (request, limits) => {
    const visited = await visitedCall(confirmed, tool.Class)
    const own = visited === confirmed ? request : handlerRequest(visited, limits.signal)
    const response = (await runTool(visited, tool, args, own, limits))!
    return answerOf(call, own, response)
  })
}

/** Milliseconds between two looks whether another process was asked to cancel. */
const WATCH = 2000

type Changes = Pick<TaskRecord, 'status'> & Partial<TaskRecord>

/**
 * The server decides whether a call becomes a task; a client only says that it knows tasks.
 * @throws {McpError} -32021 for a tool that needs tasks and a client that does not know them
 */
function isTask(call: Call, { Class }: ToolDefinition): boolean {
  if (Class.taskSupport === 'never') {
    return false
  }
  const isPossible = call.tasks !== null && declaresTasks(call)
  if (!isPossible && Class.taskSupport === 'required') {
    const isModern = call.era.name === 'modern'
    assertRequest(isModern, 'The tool takes a client that supports tasks of MCP 2026-07-28', 200)
    throw missingTasks()
  }
  return isPossible
}

/**
 * Answers a call with a task, and runs its handler afterwards. What `prepare` asks or answers comes
 * before the task exists (Tasks extension, "Task Creation").
 */
function startTask(call: Call, tool: ToolDefinition, args: JsonObject, target: Target) {
  return observed(call, target, async (request, limits) => {
    const early = await runTool(call, tool, args, request, limits, ['prepare'])
    if (early) {
      return answerOf(call, request, early)
    }
    const { client, state } = request
    const responses = inputResponses(call.request.params)
    const seed = { tool: tool.Class.name, args, client, responses, state }
    const { id, record } = await call.tasks!.create(call, seed)
    runTask(call, id, tool, record)
    const json = complete(call, { ...taskMembers(id, record), resultType: 'task' })
    return { json, continues: true }
  })
}

/** `tasks/get` (Tasks extension, "Task Polling"). */
export async function getTask(call: Call): Promise<string> {
  const { id, record } = await addressedTask(call)
  return complete(call, detailedTask(id, record))
}

/**
 * `tasks/update` (Tasks extension, "Task Update Requests"): answers to questions of a task, which goes
 * on when none is left. Answers to anything else are ignored.
 */
export async function updateTask(call: Call): Promise<string> {
  const responses = inputResponses(call.request.params)
  const { tasks, id, tool } = await addressedTask(call)
  await call.count(call.caller, call.ctx, { kind: 'task', name: '' })

  const changed = await tasks.change(id, (one) => {
    const next = answered(one, responses)
    const resumed = { status: 'working', runsUntil: Date.now() + tasks.timeout } as const
    return next && Object.keys(next.questions).length === 0 ? { ...next, ...resumed } : next
  })
  changed?.status === 'working' && runTask(call, id, tool, changed)
  return complete(call, {})
}

/** `tasks/cancel` (Tasks extension, "Task Cancellation"): without effect on a task that has ended. */
export async function cancelTask(call: Call): Promise<string> {
  const { tasks, id } = await addressedTask(call)
  await tasks.change(id, (record) =>
    record.status === 'working' || record.status === 'input_required'
      ? { ...record, status: 'cancelled', questions: {}, runsUntil: null }
      : null
  )
  tasks.abort(id)
  return complete(call, {})
}

/** The task, for who has the scopes of its tool. @throws {McpError} -32021 for a client that does not know tasks, -32020 for a wrong header */
async function addressedTask(call: Call) {
  if (!declaresTasks(call)) {
    throw missingTasks()
  }
  const id = addressed(call, 'taskId')
  const { tasks } = call
  const record = await tasks?.get(call, id)
  const tool = record && call.definition.findTool(record.tool, call.caller, declares(call, 'apps'))
  assertParams(tasks && record && tool, 'There is no such task')
  requireScopes(call, tool.Class.scopes)
  return { tasks, id, record, tool }
}

/** The task with the answers to its outstanding questions; null when there is none among them. */
function answered(record: TaskRecord, responses: JsonObject): TaskRecord | null {
  const open = record.status === 'input_required' ? Object.entries(record.questions) : []
  const isAnswered = ([key]: [string, unknown]) => Object.hasOwn(responses, key)
  const known = open.filter(isAnswered).map(([key, { name }]) => [name, responses[key]])
  const questions = Object.fromEntries(open.filter((one) => !isAnswered(one)))
  const all = { ...record.responses, ...Object.fromEntries(known) }
  return known.length > 0 ? { ...record, questions, responses: all } : null
}

/**
 * Runs the handler of a task after the request that started or resumed it. It ends with a result, an
 * error or questions, all of which are stored; the answers to questions start another run, in
 * whichever process gets them.
 */
function runTask(request: Call, id: string, tool: ToolDefinition, record: TaskRecord): void {
  const tasks = request.tasks!
  const { signal } = new AbortController()
  const call: Call = { ...request, ...SILENT, signal: () => signal }
  const limits = new CallLimits(call, tasks.timeout)
  const watch = setInterval(() => {
    void tasks.isWorking(id).then(
      (isWorking) => !isWorking && limits.cancel(),
      (error) => call.ctx.logger.error({ err: error }, 'Cannot look at an MCP task')
    )
  }, WATCH).unref()

  async function work() {
    try {
      const changes = await outcomeOf(call, tool, record, limits)
      const isCurrent = ({ status, rounds }: TaskRecord) =>
        status === 'working' && rounds === record.rounds
      const store = () =>
        tasks.change(id, (one) => (isCurrent(one) ? { ...one, ...changes, runsUntil: null } : null))
      await onceAvailable(store, limits.signal)
    } catch (error) {
      if (!(error instanceof CallCancelled)) {
        call.ctx.logger.error({ err: error }, 'Cannot store the outcome of an MCP task')
      }
    } finally {
      clearInterval(watch)
      limits.release()
    }
  }
  tasks.track(id, limits, work())
}

/** The work is done: a database that is away meanwhile does not lose it. The signal allows one more attempt. */
async function onceAvailable(store: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (;;) {
    const isLast = signal.aborted
    try {
      return void (await store())
    } catch (error) {
      if (isLast || !isDatabaseUnavailable(error)) {
        throw error
      }
      await sleep(WATCH, undefined, { signal, ref: false }).catch(() => {})
    }
  }
}

/** @throws {CallCancelled} when the task was cancelled */
async function outcomeOf(
  call: Call,
  tool: ToolDefinition,
  record: TaskRecord,
  limits: CallLimits
): Promise<Changes> {
  const announce = announcerOf(call, { kind: 'tool', name: tool.Class.name })
  const { ctx, caller, era, write } = call
  const { client, responses, state } = record
  const { signal } = limits
  const about = { ctx, caller, signal, write, protocolVersion: era.version }
  const request = new McpRequest({ ...about, client, responses, state })
  try {
    const response = await runTool(call, tool, record.args as object, request, limits, ['handle'])
    if (response!.question) {
      return asked(record, response!.question)
    }
    announce(response!.kind === 'error' ? 'failed' : 'called')
    return { status: 'completed', outcome: { result: toolResult(call, response!) } }
  } catch (error) {
    announce('failed')
    if (error instanceof CallCancelled) {
      throw error
    }
    return { status: 'failed', outcome: failure(error) }
  }
}

/**
 * The task waits for answers. A key is used once within a task, so it counts the rounds (Tasks
 * extension, "Task Update Requests").
 */
function asked(record: TaskRecord, { requests, state }: Question): Changes {
  const questions = Object.entries(requests)
  assertRequest(questions.length > 0, 'The tool asks for input without a question')
  assertAskable(Object.values(requests), record.client.capabilities)
  const rounds = record.rounds + 1
  const outstanding = questions.map(([name, request]) => [`${rounds}:${name}`, { name, request }])
  return { status: 'input_required', questions: Object.fromEntries(outstanding), state, rounds }
}
