import type { HttpContext } from '@adonisjs/core/http'
import type { Logger } from '@adonisjs/core/logger'

import { badRequest, ErrorCode, McpError } from '#mcp/errors'
import { unexpectedError } from '#mcp/methods/handlers'
import { discover, initialize, list, ping, setLevel } from '#mcp/methods/discovery'
import { completeArgument, getPrompt, readResource } from '#mcp/methods/prompts_and_resources'
import { callTool, cancelTask, getTask, updateTask } from '#mcp/methods/tools'
import { type Call, type Exchange, SILENT } from '#mcp/protocol/call'
import { TASKS_EXTENSION } from '#mcp/protocol/capabilities'
import { ASSUMED_VERSION, type Era, eraOf } from '#mcp/protocol/era'
import { errorResponse, readableId, readMessage, resultResponse } from '#mcp/protocol/json_rpc'
import { CallCancelled, runningCalls } from '#mcp/protocol/running_calls'
import { listen, subscribe, unsubscribe } from '#mcp/subscriptions/subscriptions'
import { objectOr, ownMember } from '#process/objects'

const MAX_BATCH = 50

/** A JSON-RPC response; null as the body for notifications and cancelled calls. */
export type Answer = { httpStatus: number; body: string | null; headers?: Record<string, string> }

/** A method, and what a server must declare to have it: a capability, or a member of one. */
type Entry = [run: (call: Call) => string | Promise<string>, capability?: string, member?: string]

const NO_RESPONSE: Answer = { httpStatus: 202, body: null }

const COMMON: Record<string, Entry> = {
  'tools/list': [list, 'tools'],
  'tools/call': [callTool, 'tools'],
  'prompts/list': [list, 'prompts'],
  'prompts/get': [getPrompt, 'prompts'],
  'resources/list': [list, 'resources'],
  'resources/templates/list': [list, 'resources'],
  'resources/read': [readResource, 'resources'],
  'completion/complete': [completeArgument, 'completions'],
}

const METHODS: Record<Era['name'], Record<string, Entry>> = {
  legacy: {
    ...COMMON,
    'initialize': [initialize],
    'ping': [ping],
    'resources/subscribe': [subscribe, 'resources', 'subscribe'],
    'resources/unsubscribe': [unsubscribe, 'resources', 'subscribe'],
    'logging/setLevel': [setLevel, 'logging'],
  },
  modern: {
    ...COMMON,
    'server/discover': [discover],
    'subscriptions/listen': [listen, 'resources', 'subscribe'],
    'tasks/get': [getTask, 'extensions', TASKS_EXTENSION],
    'tasks/update': [updateTask, 'extensions', TASKS_EXTENSION],
    'tasks/cancel': [cancelTask, 'extensions', TASKS_EXTENSION],
  },
}

export async function answer(value: unknown, exchange: Exchange): Promise<Answer> {
  return Array.isArray(value) ? answerBatch(value, exchange) : answerMessage(value, exchange)
}

async function answerMessage(value: unknown, exchange: Exchange): Promise<Answer> {
  try {
    const message = readMessage(value)
    const era = eraOf(message, exchange.header)
    if (message.id === undefined) {
      /* Of all notifications, only a cancellation has an effect. */
      const { requestId } = message.params
      const isId = typeof requestId === 'string' || typeof requestId === 'number'
      if (era.name === 'legacy' && message.method === 'notifications/cancelled' && isId) {
        runningCalls.cancel(exchange, requestId)
      }
      return NO_RESPONSE
    }
    const result = await run(Object.assign(exchange, { era, request: message }))
    return { httpStatus: 200, body: resultResponse(message.id, result) }
  } catch (error) {
    if (error instanceof CallCancelled) {
      return NO_RESPONSE
    }
    const known = asMcpError(error, exchange.ctx.logger, exchange.unexpected)
    const { httpStatus, headers } = known
    return { httpStatus, headers, body: errorResponse(readableId(value), known) }
  }
}

function run(call: Call): string | Promise<string> {
  const { era, request, definition } = call
  const [method, capability, member] = ownMember(METHODS[era.name], request.method) ?? []
  const declared = capability === undefined ? {} : definition.capabilities[capability]
  if (!method || !declared || (member !== undefined && !(member in declared))) {
    const httpStatus = era.name === 'modern' ? 404 : 200
    throw new McpError(ErrorCode.MethodNotFound, 'Method not found', { httpStatus })
  }
  return method(call)
}

/**
 * Only revision 2025-03-26 has batches. Their requests are answered one after the other, without
 * notifications, until the client disconnects.
 * @throws {Unauthenticated} when the caller's credentials have ended while the first ones worked
 */
async function answerBatch(values: unknown[], exchange: Exchange): Promise<Answer> {
  const fault = faultOf(values, exchange.header('mcp-protocol-version'))
  if (fault) {
    return refused(fault)
  }
  const { authenticator } = exchange.ctx as Partial<HttpContext>
  const began = performance.now()
  const bodies: string[] = []
  for (const value of values) {
    if (exchange.signal().aborted) {
      break
    }
    await authenticator?.assertValidSince(began)
    /* `initialize` must not be part of a batch (2025-03-26, "Lifecycle"). */
    const isInitialize = objectOr(value).method === 'initialize'
    const { body } = isInitialize
      ? refused('"initialize" cannot be part of a batch', readableId(value))
      : await answerMessage(value, { ...exchange, ...SILENT })
    body !== null && bodies.push(body)
  }
  return bodies.length === 0 ? NO_RESPONSE : { httpStatus: 200, body: `[${bodies.join(',')}]` }
}

function faultOf(values: unknown[], version = ASSUMED_VERSION): string | null {
  /* Duplicate ids would make the responses ambiguous. */
  const ids = values.map(readableId).filter((id) => id !== undefined)
  const rules: [isBroken: boolean, fault: string][] = [
    [version !== ASSUMED_VERSION, 'This protocol version does not support batches'],
    [values.length === 0, 'A batch must contain a message'],
    [values.length > MAX_BATCH, `A batch may contain at most ${MAX_BATCH} messages`],
    [new Set(ids).size < ids.length, 'Two requests of a batch have the same id'],
  ]
  return rules.find(([isBroken]) => isBroken)?.[1] ?? null
}

function refused(fault: string, id?: ReturnType<typeof readableId>): Answer {
  const error = badRequest(ErrorCode.InvalidRequest, fault)
  return { httpStatus: 400, body: errorResponse(id, error) }
}

/** What the client is told of an error; an unexpected one is logged. */
export function asMcpError(error: unknown, logger: Logger, unexpected?: Exchange['unexpected']) {
  if (error instanceof McpError) {
    return error
  }
  unexpected?.(error)
  logger.error({ err: error }, 'MCP request failed')
  return unexpectedError(error)
}
