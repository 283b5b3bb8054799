import { Exception } from '@adonisjs/core/exceptions'
import { errors as vineErrors } from '@vinejs/vine'

import { ErrorCode, invalidParams, McpError } from '#mcp/errors'
import type { Call } from '#mcp/protocol/call'

/** HTTP status an AdonisJS exception carries. Other errors' words were not meant for a caller. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Exception ? error.status : undefined
}

/** What the caller may hear of an error; null when that is nothing. */
export function failureText(error: unknown): string | null {
  if (error instanceof vineErrors.E_VALIDATION_ERROR) {
    return error.messages.map(({ message }: { message: string }) => message).join('; ')
  }
  const status = statusOf(error)
  return status !== undefined && status >= 400 && status < 500 ? (error as Error).message : null
}

/** Logs what the caller does not get to hear. */
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
 * Runs a handler that has no way of its own to answer a failure (a tool has).
 *
 * @throws McpError -32602 with the words of an error that was meant for the caller, -32603 without any
 */
export async function guarded<Result>(call: Call, run: () => Promise<Result>): Promise<Result> {
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
