import { missingScopes } from '#mcp/caller'
import { McpError } from '#mcp/errors'
import type { McpCallEvent, McpOutcome } from '#mcp/events'
import { insufficientScope, unauthenticated } from '#mcp/http/challenge'
import { type Call, handlerRequest } from '#mcp/protocol/call'
import { CallLimits } from '#mcp/protocol/call_limits'
import type { McpRequest } from '#mcp/request'
import { metaOf } from '#mcp/protocol/era'
import { traced } from '#process/spans'

/** What a call addresses. */
export interface Target {
  kind: NonNullable<McpCallEvent['kind']>
  name: string
  scopes: readonly string[]
}

/** The JSON of the result, and whether it tells of a failure. */
interface Observed {
  json: string
  failed?: boolean
  /** The work goes on in a task, which announces its outcome itself. */
  continues?: boolean
}

type Run = (request: McpRequest, limits: CallLimits) => Promise<Observed>

/**
 * Answers a call of a tool, a prompt or a resource: checks its scopes, counts it, runs it within its
 * limits, and announces the outcome.
 * `_meta` may name the trace that it belongs to (SEP-414).
 *
 * @throws {McpError} 401 or 403 with a challenge when a scope is missing, 429 for too many calls
 */
export function observed(call: Call, target: Target, run: Run): Promise<string> {
  const { kind, name } = target
  return traced(`mcp ${kind} ${name}`, () => answered(call, target, run), {
    attributes: { 'mcp.server': call.definition.info.name, 'mcp.kind': kind, 'mcp.name': name },
    parent: metaOf(call.request.params),
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
    if (!continues) {
      announce(failed ? 'failed' : 'called')
    }
    return json
  } catch (error) {
    announce(isRefusal(error) ? 'refused' : 'failed')
    throw error
  } finally {
    limits?.release()
  }
}

/** Announces the outcome of what starts now. */
export function announcerOf(call: Call, { kind, name }: Target): (outcome: McpOutcome) => void {
  const started = performance.now()
  return (outcome) =>
    call.announce(outcome, {
      server: call.definition.info.name,
      kind,
      name,
      caller: call.caller?.id ?? null,
      milliseconds: performance.now() - started,
    })
}

/** Before the handler runs and before a stream opens (2026-07-28, "Authorization", Scope Challenge Handling). */
export function requireScopes({ caller, protection }: Call, own: readonly string[]): void {
  const required = protection?.scopesFor(own) ?? own
  if (required.length > 0 && missingScopes(caller, required).length > 0) {
    throw caller
      ? insufficientScope(protection, required, caller)
      : unauthenticated(protection, required, false)
  }
}

export function isRefusal(error: unknown): boolean {
  return error instanceof McpError && [401, 403, 429].includes(error.httpStatus)
}
