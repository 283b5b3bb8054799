import type { ListMethod } from '#mcp/definition/lists'
import { ErrorCode, invalidRequest, McpError } from '#mcp/errors'
import { completeArgument } from '#mcp/methods/completion'
import { discover, initialize, ping, setLevel } from '#mcp/methods/lifecycle'
import { getPrompt } from '#mcp/methods/prompts'
import { readResource } from '#mcp/methods/resources'
import { listen, subscribe, unsubscribe } from '#mcp/methods/subscriptions'
import { cancelTask, getTask, updateTask } from '#mcp/methods/tasks'
import { callTool } from '#mcp/methods/tools'
import { type Call, cacheScopeOf, type Method } from '#mcp/protocol/call'
import { CallCancelled } from '#mcp/protocol/call_limits'
import { declares } from '#mcp/protocol/declared'
import { type Era, eraOf, metaOf } from '#mcp/protocol/era'
import type { Exchange } from '#mcp/protocol/exchange'
import {
  errorResponse,
  readableId,
  readMessage,
  resultResponse,
  type RpcNotification,
  type RpcRequest,
} from '#mcp/protocol/json_rpc'
import { runningCalls } from '#mcp/protocol/running_calls'
import { ASSUMED_VERSION } from '#mcp/protocol/versions'
import { TASKS_EXTENSION } from '#mcp/tasks/wire'

/** Maximum number of messages in a batch. */
const MAX_BATCH = 50

/** What is sent back: a JSON-RPC response; null as the body for notifications and cancelled calls. */
export interface Answer {
  httpStatus: number
  body: string | null
  headers?: Record<string, string>
}

/** A method, and what a server must declare to have it: a capability, or a member of one. */
interface Entry {
  run: Method
  capability?: string
  member?: string
}

const NO_RESPONSE: Answer = { httpStatus: 202, body: null }

const list =
  (method: ListMethod): Method =>
  (call) => {
    const { definition, era, caller, request } = call
    metaOf(request.params)
    const showsApps = declares(call, 'apps')
    const view = { caller, cacheScope: cacheScopeOf(call), showsApps }
    return definition.listPage(method, era.name, request.params.cursor, view)
  }

const COMMON: [string, Entry][] = [
  ['tools/list', { run: list('tools/list'), capability: 'tools' }],
  ['tools/call', { run: callTool, capability: 'tools' }],
  ['prompts/list', { run: list('prompts/list'), capability: 'prompts' }],
  ['prompts/get', { run: getPrompt, capability: 'prompts' }],
  ['resources/list', { run: list('resources/list'), capability: 'resources' }],
  ['resources/templates/list', { run: list('resources/templates/list'), capability: 'resources' }],
  ['resources/read', { run: readResource, capability: 'resources' }],
  ['completion/complete', { run: completeArgument, capability: 'completions' }],
]

const METHODS: Record<Era['name'], ReadonlyMap<string, Entry>> = {
  legacy: new Map<string, Entry>([
    ['initialize', { run: initialize }],
    ['ping', { run: ping }],
    ['resources/subscribe', { run: subscribe, capability: 'resources', member: 'subscribe' }],
    ['resources/unsubscribe', { run: unsubscribe, capability: 'resources', member: 'subscribe' }],
    ['logging/setLevel', { run: setLevel, capability: 'logging' }],
    ...COMMON,
  ]),
  modern: new Map<string, Entry>([
    ['server/discover', { run: discover }],
    ['subscriptions/listen', { run: listen, capability: 'resources', member: 'subscribe' }],
    ['tasks/get', { run: getTask, capability: 'extensions', member: TASKS_EXTENSION }],
    ['tasks/update', { run: updateTask, capability: 'extensions', member: TASKS_EXTENSION }],
    ['tasks/cancel', { run: cancelTask, capability: 'extensions', member: TASKS_EXTENSION }],
    ...COMMON,
  ]),
}

/** Answers the parsed body: one message, or a batch. */
export async function answer(value: unknown, exchange: Exchange): Promise<Answer> {
  return Array.isArray(value) ? answerBatch(value, exchange) : answerMessage(value, exchange)
}

async function answerMessage(value: unknown, exchange: Exchange): Promise<Answer> {
  try {
    const message = readMessage(value)
    const era = eraOf(message, exchange.header)
    if (message.id === undefined) {
      receiveNotification(message, era, exchange)
      return NO_RESPONSE
    }
    const result = await run({ ...exchange, era, request: message })
    return { httpStatus: 200, body: resultResponse(message.id, result) }
  } catch (error) {
    if (error instanceof CallCancelled) {
      return NO_RESPONSE
    }
    const known = asMcpError(error, exchange)
    const body = errorResponse(readableId(value), known)
    return { httpStatus: known.httpStatus, headers: known.headers, body }
  }
}

/** Of all notifications, only a cancellation has an effect. */
function receiveNotification({ method, params }: RpcNotification, era: Era, exchange: Exchange) {
  const { requestId } = params
  if (
    era.name === 'legacy' &&
    method === 'notifications/cancelled' &&
    (typeof requestId === 'string' || typeof requestId === 'number')
  ) {
    runningCalls.cancel(exchange, requestId)
  }
}

function run(one: Call): string | Promise<string> {
  const { method } = one.request
  const entry = METHODS[one.era.name].get(method)
  if (!entry || !isDeclared(entry, one.definition.capabilities)) {
    throw new McpError(ErrorCode.MethodNotFound, 'Method not found', {
      httpStatus: one.era.name === 'modern' ? 404 : 200,
    })
  }
  return entry.run(one)
}

function isDeclared({ capability, member }: Entry, declared: Record<string, object>): boolean {
  const own = capability === undefined ? {} : declared[capability]
  return own !== undefined && (member === undefined || member in own)
}

/**
 * Only revision 2025-03-26 has batches. Their requests are answered one after the other, without
 * notifications, until the client disconnects.
 */
async function answerBatch(values: unknown[], exchange: Exchange): Promise<Answer> {
  const version = exchange.header('mcp-protocol-version') ?? ASSUMED_VERSION
  const fault =
    version !== ASSUMED_VERSION
      ? 'This protocol version does not support batches'
      : values.length === 0
        ? 'A batch must contain a message'
        : values.length > MAX_BATCH
          ? `A batch may contain at most ${MAX_BATCH} messages`
          : hasDuplicateIds(values)
            ? 'Two requests of a batch have the same id'
            : null
  if (fault) {
    return { httpStatus: 400, body: errorResponse(undefined, invalidRequest(fault)) }
  }

  const bodies: string[] = []
  for (const value of values) {
    if (exchange.signal.aborted) {
      break
    }
    const { body } = isInitialize(value)
      ? refuseInitialize(value)
      : await answerMessage(value, {
          ...exchange,
          notify: null,
          write: null,
          canChallenge: () => false,
        })
    if (body !== null) {
      bodies.push(body)
    }
  }
  return bodies.length === 0 ? NO_RESPONSE : { httpStatus: 200, body: `[${bodies.join(',')}]` }
}

/** Duplicate ids would make the responses ambiguous. */
function hasDuplicateIds(values: unknown[]): boolean {
  const ids = values.map(readableId).filter((id) => id !== undefined)
  return new Set(ids).size !== ids.length
}

function isInitialize(value: unknown): value is RpcRequest {
  return (value as { method?: unknown } | null)?.method === 'initialize'
}

/** `initialize` must not be part of a batch (2025-03-26, "Lifecycle"). */
function refuseInitialize(value: unknown): { body: string } {
  const error = invalidRequest('"initialize" cannot be part of a batch')
  return { body: errorResponse(readableId(value), error) }
}

/** Unexpected errors are logged; the client gets a generic internal error. */
function asMcpError(error: unknown, { ctx, unexpected }: Exchange): McpError {
  if (error instanceof McpError) {
    return error
  }
  unexpected?.(error)
  ctx.logger.error({ err: error }, 'MCP request failed')
  return new McpError(ErrorCode.InternalError, 'Internal error')
}
