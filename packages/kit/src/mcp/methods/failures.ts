import { Exception } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'
import { errors as vineErrors } from '@vinejs/vine'

import { vineProblems } from '#mcp/definition/json_schema'
import { ErrorCode, invalidParams, McpError } from '#mcp/errors'
import { insufficientScope, unauthenticated } from '#mcp/http/challenge'
import type { Call } from '#mcp/protocol/call'
import { CallCancelled, CallEnded, type CallLimits } from '#mcp/protocol/call_limits'

/** Codes of the errors that ask for authentication: this app's, and that of `@adonisjs/auth`. */
const UNAUTHENTICATED = ['invalid_token', 'invalid_session', 'E_UNAUTHORIZED_ACCESS']

/** HTTP status of an AdonisJS exception; undefined for every other error. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Exception ? error.status : undefined
}

/**
 * The error text that is safe to send to the caller; null to send a generic one. Errors of policies
 * (`@adonisjs/bouncer`) and others tell it by `getResponseMessage`.
 */
export function failureText(error: unknown, ctx: HttpContext): string | null {
  if (error instanceof vineErrors.E_VALIDATION_ERROR) {
    return vineProblems(error).join('; ')
  }
  const status = statusOf(error)
  if (status === undefined || status < 400 || status >= 500) {
    return null
  }
  const { message, getResponseMessage } = error as Exception & {
    getResponseMessage?(ctx: HttpContext): string
  }
  return getResponseMessage?.call(error, ctx) ?? message
}

/**
 * The challenge for a handler that required scopes or a user by itself; null for any other error.
 * The errors are recognised by their status and code, so that those of other packages fit too.
 */
export function authenticationFailure(call: Call, error: unknown): McpError | null {
  const status = statusOf(error)
  const { caller, protection } = call
  const { code, scopes } = error as { code?: string; scopes?: readonly string[] }
  if (status === 401 && code && UNAUTHENTICATED.includes(code)) {
    return unauthenticated(protection, protection?.scopesFor([]) ?? [], caller !== null)
  }
  return status === 403 && code === 'insufficient_scope' && caller
    ? insufficientScope(protection, protection?.scopesFor(scopes ?? []) ?? scopes ?? [], caller)
    : null
}

/** Logs an error whose text is not sent to the caller. */
export function report(call: Call, error: unknown): void {
  if (failureText(error, call.ctx) === null) {
    call.unexpected?.(error)
    const { method, params } = call.request
    call.ctx.logger.error(
      { err: error, method, name: params.name ?? params.uri },
      'MCP call failed'
    )
  }
}

/**
 * Runs a handler of a prompt, a resource or a completion, whose failures are JSON-RPC errors (those
 * of a tool are results).
 *
 * @throws {McpError} -32602 with the error's text when it is safe to send, else -32603
 */
export async function runHandler<Result>(
  call: Call,
  limits: CallLimits,
  run: () => Promise<Result>
): Promise<Result> {
  try {
    return await limits.race(run())
  } catch (error) {
    if (error instanceof McpError || error instanceof CallCancelled) {
      throw error
    }
    if (error instanceof CallEnded) {
      throw new McpError(ErrorCode.InternalError, error.message)
    }
    const refusal = authenticationFailure(call, error)
    if (refusal) {
      throw refusal
    }
    report(call, error)
    const text = failureText(error, call.ctx)
    throw text === null
      ? new McpError(ErrorCode.InternalError, 'Internal error', { cause: error })
      : invalidParams(text)
  }
}
