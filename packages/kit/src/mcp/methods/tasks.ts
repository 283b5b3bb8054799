import { invalidParams } from '#mcp/errors'
import { requireScopes } from '#mcp/methods/observed'
import { runTask } from '#mcp/methods/task_run'
import { clientDeclaresTasks } from '#mcp/methods/task_start'
import {
  type Call,
  complete,
  hasMirroredHeaders,
  inputResponses,
  missingCapability,
  stringParam,
} from '#mcp/protocol/call'
import { declares } from '#mcp/protocol/declared'
import type { JsonObject } from '#mcp/protocol/json_rpc'
import { checkNameHeader } from '#mcp/protocol/mirrored_headers'
import type { TaskRecord } from '#mcp/tasks/task_store'
import type { Tasks } from '#mcp/tasks/tasks'
import { detailedTask, TASKS_CAPABILITY } from '#mcp/tasks/wire'

/** `tasks/get` (Tasks extension, "Task Polling"). */
export async function getTask(call: Call): Promise<string> {
  const { tasks, id } = addressed(call)
  return complete(call, detailedTask(id, await tasks.get(call, id)))
}

/**
 * `tasks/update` (Tasks extension, "Task Update Requests"): answers to questions of a task, which goes
 * on when none is left. Answers to anything else are ignored.
 */
export async function updateTask(call: Call): Promise<string> {
  const { tasks, id } = addressed(call)
  const responses = inputResponses(call.request.params)
  const record = await tasks.get(call, id)
  const tool = call.definition.findTool(record.tool, call.caller, declares(call, 'apps'))
  if (!tool) {
    throw invalidParams('There is no such task')
  }
  requireScopes(call, tool.Class.scopes)
  await call.count(call.caller, call.ctx, { kind: 'task', name: '' })

  const changed = await tasks.change(id, (one) => {
    const next = answered(one, responses)
    return next && Object.keys(next.questions).length === 0 ? tasks.resumed(next) : next
  })
  if (changed?.status === 'working') {
    runTask(call, id, tool, changed)
  }
  return complete(call, {})
}

/** `tasks/cancel` (Tasks extension, "Task Cancellation"): without effect on a task that has ended. */
export async function cancelTask(call: Call): Promise<string> {
  const { tasks, id } = addressed(call)
  await tasks.get(call, id)
  await tasks.change(id, (record) =>
    record.status === 'working' || record.status === 'input_required'
      ? { ...record, status: 'cancelled', questions: {}, runsUntil: null }
      : null
  )
  tasks.abort(id)
  return complete(call, {})
}

/**
 * The id of the task that a request is about.
 *
 * @throws {McpError} -32021 for a client that does not know tasks, -32020 when the header does not match
 */
function addressed(call: Call): { tasks: Tasks; id: string } {
  if (!clientDeclaresTasks(call)) {
    throw missingCapability(TASKS_CAPABILITY)
  }
  const id = stringParam(call.request.params, 'taskId')
  if (hasMirroredHeaders(call)) {
    checkNameHeader(id, call.header)
  }
  if (!call.tasks) {
    throw invalidParams('There is no such task')
  }
  return { tasks: call.tasks, id }
}

/** The task with the answers to its outstanding questions; null when there is none among them. */
function answered(record: TaskRecord, responses: JsonObject): TaskRecord | null {
  if (record.status !== 'input_required') {
    return null
  }
  const questions = { ...record.questions }
  const known = { ...record.responses }
  for (const [key, response] of Object.entries(responses)) {
    if (Object.hasOwn(questions, key)) {
      known[questions[key]!.name] = response
      delete questions[key]
    }
  }
  const isNew = Object.keys(questions).length < Object.keys(record.questions).length
  return isNew ? { ...record, questions, responses: known } : null
}
