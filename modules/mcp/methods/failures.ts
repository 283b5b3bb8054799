import { Exception } from '@adonisjs/core/exceptions'
import { errors as vineErrors } from '@vinejs/vine'

import { ErrorCode, invalidParams, McpError } from '#mcp/errors'
import type { Call } from '#mcp/protocol/call'

/** HTTP status of an AdonisJS exception; undefined for every other error. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Exception ? error.status : undefined
}

/** The error text that is safe to send to the caller; null to send a generic one. */
export function failureText(error: unknown): string | null {
  if (error instanceof vineErrors.E_VALIDATION_ERROR) {
    return error.messages.map(({ message }: { message: string }) => message).join('; ')
  }
  const status = statusOf(error)
  return status !== undefined && status >= 400 && status < 500 ? (error as Error).message : null
}

/** Logs an error whose text is not sent to the caller. */
export function report(call: Call, error: unknown): void {
  if (failureText(error) === null) {
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
export async function runHandler<Result>(call: Call, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof McpError) {
      throw error
    }
    report(call, error)
    const text = failureText(error)
    throw text === null
      ? new McpError(ErrorCode.InternalError, 'Internal error', { cause: error })
      : invalidParams(text)
  }
}
