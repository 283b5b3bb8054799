import type { ListMethod } from '#mcp/definition/lists'
import { assertParams } from '#mcp/errors'
import { cacheScopeOf, type Call, complete, objectParam, stringParam } from '#mcp/protocol/call'
import { APPS_EXTENSION, declares, sessionId } from '#mcp/protocol/capabilities'
import { negotiate, SUPPORTED_VERSIONS } from '#mcp/protocol/era'
import { type LogLevel, LOG_LEVELS } from '#mcp/request'

/* What a server says of itself and of what it offers. */

export function list(call: Call): string {
  const { definition, era, caller, request } = call
  objectParam(request.params, '_meta')
  const view = { caller, cacheScope: cacheScopeOf(call), showsApps: declares(call, 'apps') }
  return definition.lists.page(request.method as ListMethod, era.name, request.params.cursor, view)
}

export const ping = (call: Call): string => complete(call, {})

/** `initialize` (2025-11-25, "Lifecycle"). The session id has what is needed of the client later. */
export function initialize({ definition, ctx, request: { params } }: Call): string {
  const requested = stringParam(params, 'protocolVersion')
  const declared = objectParam(params, 'capabilities')
  objectParam(params, 'clientInfo')
  ctx.response.header('mcp-session-id', sessionId(declared))
  const { info, Server, capabilities: all } = definition
  /* Tasks are of revision 2026-07-28. */
  const hasApps = all.extensions && APPS_EXTENSION in all.extensions
  const capabilities = { ...all, extensions: hasApps ? { [APPS_EXTENSION]: {} } : undefined }
  const instructions = Server.instructions ?? undefined
  const protocolVersion = negotiate(requested)
  return JSON.stringify({ protocolVersion, capabilities, serverInfo: info, instructions })
}

/** `server/discover` (2026-07-28, "Discovery"). */
export function discover(call: Call): string {
  const { Server, capabilities } = call.definition
  const instructions = Server.instructions ?? undefined
  const caching = { ttlMs: Server.ttlMs, cacheScope: cacheScopeOf(call) }
  const offer = { supportedVersions: SUPPORTED_VERSIONS, capabilities, instructions }
  return complete(call, { ...offer, ...caching })
}

/** `logging/setLevel` (2025-11-25): validated, but without effect, since there is no session to keep it in. */
export function setLevel(call: Call): string {
  const level = stringParam(call.request.params, 'level')
  assertParams(LOG_LEVELS.includes(level as LogLevel), '"level" is not a log level')
  return complete(call, {})
}
