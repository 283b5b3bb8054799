import { createHash } from 'node:crypto'

import encryption from '@adonisjs/core/services/encryption'

import { invalidParams } from '#mcp/errors'
import type { Call } from '#mcp/protocol/call'
import { sortMembers } from '#process/objects'

/**
 * Encrypts the state that a handler gets back in the next round. It expires, and is bound to the
 * caller and the call (2026-07-28, "Multi Round-Trip Requests", Server Requirements).
 */
export function sealState(call: Call, state: unknown): string {
  const { requestStateTtl: expiresIn } = call.config
  return encryption.encrypt({ state }, { expiresIn, purpose: purposeOf(call) })
}

/** @throws {McpError} -32602 for state that was altered, has expired, or belongs to another call */
export function openState(call: Call): unknown {
  const sealed = call.request.params.requestState
  if (sealed === undefined) {
    return undefined
  }
  /* What is no string is not decrypted. */
  const opened = encryption.decrypt<{ state: unknown }>(sealed as string, purposeOf(call))
  if (!opened) {
    throw invalidParams('"requestState" was altered, has expired, or belongs to another call')
  }
  return opened.state
}

function purposeOf(call: Call): string {
  return `mcp-request-state:${callDigest(call)}`
}

/** Equal for two calls of one tool by one caller with the same arguments, whatever the order of members. */
export function callDigest({ definition, caller, request: { method, params } }: Call): string {
  const named = params.name ?? params.uri
  const call = [definition.info.name, caller?.id ?? null, method, named, params.arguments ?? {}]
  return createHash('sha256').update(JSON.stringify(call, sortMembers)).digest('base64url')
}
