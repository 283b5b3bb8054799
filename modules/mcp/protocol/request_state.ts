import { createHash } from 'node:crypto'

import encryption from '@adonisjs/core/services/encryption'

import { invalidParams } from '#mcp/errors'
import type { Call } from '#mcp/protocol/call'

/**
 * Packs what a handler wants back in the next round: authenticated encryption under the
 * application's key, good for a while, for the same caller and the same call only
 * (2026-07-28, "Multi Round-Trip Requests", Server Requirements).
 */
export function sealState(call: Call, state: unknown): string {
  return encryption.encrypt(
    { state },
    { expiresIn: call.config.requestStateTtl, purpose: purposeOf(call) }
  )
}

/**
 * Unpacks the state a request brings along; undefined when it brings none.
 *
 * @throws McpError -32602 for state that was altered, has expired, or belongs to another call
 */
export function openState(call: Call): unknown {
  const sealed = call.request.params.requestState
  if (sealed === undefined) {
    return undefined
  }
  const opened =
    typeof sealed === 'string'
      ? encryption.decrypt<{ state: unknown }>(sealed, purposeOf(call))
      : null
  if (!opened) {
    throw invalidParams(
      '"requestState" is not valid here: it was altered, has expired, or belongs to another call'
    )
  }
  return opened.state
}

/** What the state is bound to. The digest takes the place of the arguments, whatever their order. */
function purposeOf({ definition, ctx, request: { method, params } }: Call): string {
  const call = [
    definition.info.name,
    definition.Server.caller(ctx),
    method,
    params.name ?? params.uri,
    params.arguments ?? {},
  ]
  const digest = createHash('sha256').update(JSON.stringify(call, sortKeys)).digest('base64url')
  return `mcp-request-state:${digest}`
}

function sortKeys(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
}
