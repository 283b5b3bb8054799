import { ErrorCode, McpError } from '#mcp/errors'
import type { JsonObject } from '#mcp/protocol/json_rpc'
import type { TaskRecord } from '#mcp/tasks/task_store'
import type { ClientCapabilities } from '#mcp/types'

/** Identifier of the Tasks extension. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** The capability that a client must declare (Tasks extension, "Capability Negotiation"). */
export const TASKS_CAPABILITY: ClientCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }

/** Milliseconds that a client should leave between two requests for a task. */
const POLL_INTERVAL = 1000

/** Whether a client declared the extension in its request. */
export function declaresTasks({ extensions }: ClientCapabilities): boolean {
  return typeof extensions === 'object' && extensions !== null && TASKS_EXTENSION in extensions
}

/** A task without what only some statuses have (Tasks extension, "Tasks"). */
export function taskMembers(id: string, record: TaskRecord): JsonObject {
  return {
    taskId: id,
    status: record.status,
    createdAt: new Date(record.createdAt).toISOString(),
    lastUpdatedAt: new Date(record.updatedAt).toISOString(),
    ttlMs: record.expiresAt - record.createdAt,
    pollIntervalMs: POLL_INTERVAL,
  }
}

/** A whole task, as `tasks/get` shows it (Tasks extension, "Task Status"). */
export function detailedTask(id: string, record: TaskRecord): JsonObject {
  const questions = Object.entries(record.questions)
  return {
    ...taskMembers(id, record),
    ...(record.status === 'input_required' && {
      inputRequests: Object.fromEntries(questions.map(([key, { request }]) => [key, request])),
    }),
    ...record.outcome,
  }
}

/** What `failed` tells: the JSON-RPC error that ended the task. */
export function failure(error: unknown): { error: JsonObject } {
  return error instanceof McpError
    ? { error: { code: error.code, message: error.message, data: error.data } }
    : { error: { code: ErrorCode.InternalError, message: 'Internal error' } }
}
