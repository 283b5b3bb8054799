import { Exception } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'
import { errors as vineErrors } from '@vinejs/vine'

import { TemporarilyUnavailable } from '#auth/errors'
import { DATABASE_RETRY_AFTER, isDatabaseUnavailable } from '#database/errors'
import { hasToken, insufficientScope, requireScopes, unauthenticated } from '#mcp/caller'
import { vineProblems } from '#mcp/definition/json_schema'
import { ErrorCode, McpError, tryAgain } from '#mcp/errors'
import {
  type Call,
  handlerRequest,
  type McpCallEvent,
  type McpOutcome,
  objectParam,
} from '#mcp/protocol/call'
import { CallCancelled, CallEnded, CallLimits } from '#mcp/protocol/running_calls'
import type { McpRequest } from '#mcp/request'
import { traced } from '#process/spans'

export interface Target {
  kind: NonNullable<McpCallEvent['kind']>
  name: string
  scopes: readonly string[]
}

/** The work may go on in a task, which announces its outcome itself. */
type Observed = Promise<{ json: string; failed?: boolean; continues?: boolean }>

type Run = (request: McpRequest, limits: CallLimits) => Observed

/**
 * Checks the scopes of a call, counts it, runs it within its limits, and announces the outcome.
 * `_meta` may name the trace that it belongs to (SEP-414).
 * @throws {McpError} 401 or 403 with a challenge when a scope is missing, 429 for too many calls
 */
export function observed(call: Call, target: Target, run: Run): Promise<string> {
  const { kind, name } = target
  return traced(`mcp ${kind} ${name}`, () => answered(call, target, run), {
    attributes: { 'mcp.server': call.definition.info.name, 'mcp.kind': kind, 'mcp.name': name },
    parent: objectParam(call.request.params, '_meta'),
  })
}

async function answered(call: Call, target: Target, run: Run): Promise<string> {
  const announce = announcerOf(call, target)
  let limits: CallLimits | undefined
  try {
    requireScopes(call, target.scopes)
    await call.count(call.caller, call.ctx, target)
    limits = new CallLimits(call)
    call.handlerStarts()
    const { json, failed, continues } = await run(handlerRequest(call, limits.signal), limits)
    continues || announce(failed ? 'failed' : 'called')
    return json
  } catch (error) {
    announce(isRefusal(error) ? 'refused' : 'failed')
    throw error
  } finally {
    limits?.release()
  }
}

export function announcerOf(call: Call, { kind, name }: Omit<Target, 'scopes'>) {
  const started = performance.now()
  const server = call.definition.info.name
  const caller = call.caller?.id ?? null
  return (outcome: McpOutcome) => {
    const milliseconds = performance.now() - started
    call.announce(outcome, { server, kind, name, caller, milliseconds })
  }
}

export function isRefusal(error: unknown): boolean {
  return error instanceof McpError && [401, 403, 429].includes(error.httpStatus)
}

/** Runs a handler of a prompt, a resource or a completion, whose failures are JSON-RPC errors. */
export function runHandler<Result>(call: Call, limits: CallLimits, run: () => Promise<Result>) {
  return limits.race(run()).catch((error): never => {
    throw failureOf(call, error)
  })
}

/**
 * The JSON-RPC error for what a handler threw: a challenge, -32602 with a text that is safe to send, else
 * -32603, with HTTP 503 where the same call may succeed later, and the error is logged.
 * @throws {McpError | CallCancelled} as it was thrown
 */
export function failureOf(call: Call, error: unknown): McpError {
  if (error instanceof McpError || error instanceof CallCancelled) {
    throw error
  }
  if (error instanceof CallEnded) {
    return new McpError(ErrorCode.InternalError, error.message)
  }
  const refusal = authenticationFailure(call, error)
  if (refusal) {
    return refusal
  }
  const text = failureText(error, call.ctx)
  if (text !== null) {
    return new McpError(ErrorCode.InvalidParams, text)
  }
  const { method, params } = call.request
  call.unexpected?.(error)
  call.ctx.logger.error({ err: error, method, name: params.name ?? params.uri }, 'MCP call failed')
  return unexpectedError(error)
}

/** Nothing of the inside, but that the database, or Redis, where calls may be counted, is busy or away. */
export function unexpectedError(error: unknown): McpError {
  const { InternalError } = ErrorCode
  return error instanceof TemporarilyUnavailable || isDatabaseUnavailable(error)
    ? tryAgain(InternalError, 'Temporarily unavailable', 503, DATABASE_RETRY_AFTER)
    : new McpError(InternalError, 'Internal error', { cause: error })
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof Exception ? error.status : undefined
}

/** Codes of the errors that ask for authentication: this app's, and that of `@adonisjs/auth`. */
const UNAUTHENTICATED = ['invalid_token', 'invalid_session', 'E_UNAUTHORIZED_ACCESS']

/**
 * The challenge for a handler that required scopes or a user by itself; null for any other error.
 * Errors are recognised by status and code, so that those of other packages fit too.
 */
function authenticationFailure(call: Call, error: unknown): McpError | null {
  const { caller, protection, ctx } = call
  const status = statusOf(error)
  const { code, scopes = [] } = (error ?? {}) as { code?: string; scopes?: readonly string[] }
  const required = (own: readonly string[]) => protection?.scopesFor(own) ?? own
  if (status === 401 && code && UNAUTHENTICATED.includes(code)) {
    return unauthenticated(protection, required([]), caller !== null || hasToken(ctx))
  }
  return status === 403 && code === 'insufficient_scope' && caller
    ? insufficientScope(call, required(scopes))
    : null
}

/** The text that is safe to send, or null. Errors of policies tell it by `getResponseMessage`. */
function failureText(error: unknown, ctx: HttpContext): string | null {
  if (error instanceof vineErrors.E_VALIDATION_ERROR) {
    return vineProblems(error).join('; ')
  }
  const status = statusOf(error)
  if (status === undefined || status < 400 || status >= 500) {
    return null
  }
  const known = error as Exception & { getResponseMessage?(ctx: HttpContext): string }
  return known.getResponseMessage?.(ctx) ?? known.message
}
