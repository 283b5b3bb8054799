import { ErrorCode, invalidParams, McpError } from '#mcp/errors'
import { type Era, metaOf } from '#mcp/protocol/era'
import type { Exchange } from '#mcp/protocol/exchange'
import { isObject, type JsonObject, type RpcRequest } from '#mcp/protocol/json_rpc'
import { openState } from '#mcp/protocol/request_state'
import { MetaKey } from '#mcp/protocol/versions'
import { McpRequest } from '#mcp/request'
import {
  LOG_LEVELS,
  type CacheScope,
  type ClientCapabilities,
  type Implementation,
  type LogLevel,
} from '#mcp/types'

/** One JSON-RPC request, with everything that is needed to answer it. */
export interface Call extends Exchange {
  era: Era
  request: RpcRequest

  /** What an older client sends in answer to questions: their contents by name, and the state of the tool. */
  answered?: { state: unknown; contents: JsonObject }
}

/** Implements one method; returns the JSON of its result. */
export type Method = (call: Call) => string | Promise<string>

/**
 * The JSON of a complete result; in the modern era with its type and the server's name
 * (2026-07-28, "ResultType" and "Per-response protocol fields").
 */
export function complete(call: Call, result: JsonObject): string {
  return JSON.stringify(
    call.era.name === 'legacy'
      ? result
      : {
          resultType: 'complete',
          ...result,
          _meta: { [MetaKey.ServerInfo]: call.definition.info },
        }
  )
}

/** What a caller sees must not be shared when another caller may see something else. */
export function cacheScopeOf({ definition, protection }: Exchange): CacheScope {
  return protection || definition.varies ? 'private' : definition.Server.cacheScope
}

/** Whether headers of the request have to match its body (2026-07-28, "Server Validation"). */
export function hasMirroredHeaders({ era, mirrorsBody }: Call): boolean {
  return era.name === 'modern' && mirrorsBody
}

/** @throws {McpError} -32602 unless the parameter is a string */
export function stringParam(params: JsonObject, name: string): string {
  const value = params[name]
  if (typeof value !== 'string') {
    throw invalidParams(`"${name}" must be a string`)
  }
  return value
}

/** An optional object parameter; empty when absent. */
export function objectParam(params: JsonObject, name: string): JsonObject {
  const value = params[name] === undefined ? {} : params[name]
  if (!isObject(value)) {
    throw invalidParams(`"${name}" must be an object`)
  }
  return value
}

/** An optional parameter that maps names to strings; empty when absent. */
export function stringsParam(params: JsonObject, name: string): Record<string, string> {
  const value = objectParam(params, name)
  for (const [key, one] of Object.entries(value)) {
    if (typeof one !== 'string') {
      throw invalidParams(`"${name}" must map names to strings, and "${key}" is no string`)
    }
  }
  return value as Record<string, string>
}

/**
 * The request object for the handler, after validating the parameters it is made of.
 *
 * @throws {McpError} -32602
 */
export function handlerRequest(call: Call, signal: AbortSignal): McpRequest {
  const { params } = call.request
  const meta = metaOf(params)
  const { progressToken } = meta
  if (
    progressToken !== undefined &&
    typeof progressToken !== 'string' &&
    !Number.isSafeInteger(progressToken)
  ) {
    throw invalidParams('"progressToken" must be a string or an integer')
  }

  const common = {
    ctx: call.ctx,
    caller: call.caller,
    signal,
    protocolVersion: call.era.version,
    notify: call.notify,
    progressToken: progressToken as string | number | undefined,
    minimumLevel: minimumLevel(call, meta),
  }
  if (call.era.name === 'legacy') {
    const { answered } = call
    return new McpRequest({
      ...common,
      client: { info: null, capabilities: {} },
      state: answered?.state,
      contents: answered?.contents,
    })
  }
  return new McpRequest({
    ...common,
    client: {
      info: (meta[MetaKey.ClientInfo] ?? null) as Implementation | null,
      capabilities: meta[MetaKey.ClientCapabilities] as ClientCapabilities,
    },
    responses: inputResponses(params),
    state: openState(call),
  })
}

/**
 * The least severe log level that is sent. In the modern era the request names it, or gets none.
 * Older clients set it with `logging/setLevel`, which a server without sessions cannot remember, so
 * they get "info" (2025-11-25, "Logging", leaves the default to the server).
 */
function minimumLevel(call: Call, meta: JsonObject): LogLevel | undefined {
  const level = meta[MetaKey.LogLevel]
  if (call.era.name === 'modern' && level !== undefined) {
    if (!LOG_LEVELS.includes(level as LogLevel)) {
      throw invalidParams(`_meta["${MetaKey.LogLevel}"] is not a log level`)
    }
  }
  if (!call.definition.Server.logging) {
    return undefined
  }
  return call.era.name === 'legacy' ? 'info' : (level as LogLevel | undefined)
}

/** @throws {McpError} -32602 unless each answer is an object */
export function inputResponses(params: JsonObject): JsonObject {
  const responses = objectParam(params, 'inputResponses')
  if (!Object.values(responses).every(isObject)) {
    throw invalidParams('"inputResponses" must map names to results')
  }
  return responses
}

/** -32021, MissingRequiredClientCapability (2026-07-28, "Error Codes"). */
export function missingCapability(requiredCapabilities: ClientCapabilities): McpError {
  return new McpError(
    ErrorCode.MissingRequiredClientCapability,
    `The client did not declare a capability that this request needs: ${Object.keys(requiredCapabilities).join(', ')}`,
    { httpStatus: 400, data: { requiredCapabilities } }
  )
}
