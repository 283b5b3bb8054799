import { hash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'
import encryption from '@adonisjs/core/services/encryption'

import type { Caller, CountCall } from '#mcp/caller'
import type { ResolvedMcpConfig } from '#mcp/define_config'
import type { ServerDefinition } from '#mcp/definition/server_definition'
import { assertParams } from '#mcp/errors'
import type { Protection } from '#mcp/protection'
import { type Era, MetaKey, type ReadHeader } from '#mcp/protocol/era'
import type { RpcRequest } from '#mcp/protocol/json_rpc'
import { checkNameHeader } from '#mcp/protocol/mirrored_headers'
import { type LogLevel, type Write, LOG_LEVELS, McpRequest } from '#mcp/request'
import type { Subscriptions } from '#mcp/subscriptions/subscriptions'
import type { Tasks } from '#mcp/tasks/tasks'
import type { CacheScope, JsonObject } from '#mcp/types'
import { isObject, sortMembers } from '#process/objects'

/** What an event tells about a call. Events never carry arguments or results. */
export interface McpCallEvent {
  server: string
  /** null for a request that was refused before its body was read. */
  kind: 'tool' | 'prompt' | 'resource' | null
  /** Name of the tool or prompt, URI of the resource or template. */
  name: string | null
  /** `Caller.id`; null for an anonymous caller. */
  caller: string | null
  milliseconds: number
}

declare module '@adonisjs/core/types' {
  interface EventsList {
    'mcp:called': McpCallEvent
    /** The answer is an error: of the tool, of the arguments, or an unexpected one. */
    'mcp:failed': McpCallEvent
    /** The caller is not authenticated, lacks a scope, or has made too many calls. */
    'mcp:refused': McpCallEvent
  }
}

export type McpOutcome = 'called' | 'failed' | 'refused'
export type Announce = (outcome: McpOutcome, event: McpCallEvent) => void

/** One exchange: the server it addresses, who sends it, and how it is answered. */
export interface Exchange {
  definition: ServerDefinition
  config: ResolvedMcpConfig
  ctx: HttpContext
  header: ReadHeader
  /** Whether the transport repeats parts of the body in headers, which have to match: HTTP does. */
  mirrorsBody: boolean
  caller: Caller | null
  protection: Protection | null
  /**
   * Aborts when the client disconnects. Few exchanges ask, and each would pay for a listener. No
   * accessor: V8 keeps one of an object literal, and with it the request, until the next full collection.
   */
  signal(): AbortSignal
  /** Null when the client does not accept an event stream. */
  write: Write | null
  /** Whether a refusal can still set the HTTP status: not in a batch, nor once the stream is open. */
  canChallenge(): boolean
  handlerStarts(): void
  announce: Announce
  /** The streams that stay open; null where there are none. */
  subscriptions: Subscriptions | null
  /** Where calls go on after they were answered; null when no task can be created. */
  tasks: Tasks | null
  count: CountCall
  /** Told of errors whose text the client does not get. */
  unexpected?(error: unknown): void
}

export interface Call extends Exchange {
  era: Era
  request: RpcRequest
  /** Of an older client: the tool's state, and by name what it sends, or what was answered on a page. */
  answered?: { state: unknown; contents?: JsonObject; responses?: JsonObject }
}

/** What an exchange is that nobody can be asked, told or challenged in any more. */
export const SILENT = { write: null, canChallenge: () => false, handlerStarts() {} }

/**
 * The JSON of a complete result; in the modern era with its type and the server's name
 * (2026-07-28, "ResultType" and "Per-response protocol fields").
 */
export function complete({ era, definition }: Call, result: JsonObject): string {
  const own = { [MetaKey.ServerInfo]: definition.info }
  const modern = { resultType: 'complete', ...result, _meta: own }
  return JSON.stringify(era.name === 'legacy' ? result : modern)
}

/** What a caller sees must not be shared when another caller may see something else. */
export function cacheScopeOf({ definition, protection }: Exchange): CacheScope {
  return protection || definition.lists.vary ? 'private' : definition.Server.cacheScope
}

/** @throws {McpError} -32602 unless the parameter is a string, -32020 when `Mcp-Name` differs */
export function addressed(call: Call, member: 'name' | 'uri' | 'taskId'): string {
  const name = stringParam(call.request.params, member)
  checkNameHeader(call, name)
  return name
}

/** @throws {McpError} -32602 unless the parameter is a string */
export function stringParam(params: JsonObject, name: string): string {
  const value = params[name]
  assertParams(typeof value === 'string', `"${name}" must be a string`)
  return value
}

/** An optional object parameter; empty when absent. */
export function objectParam(params: JsonObject, name: string): JsonObject {
  const { [name]: value = {} } = params
  assertParams(isObject(value), `"${name}" must be an object`)
  return value
}

/** @throws {McpError} -32602 unless each answer is an object */
export function inputResponses(params: JsonObject): JsonObject {
  const responses = objectParam(params, 'inputResponses')
  const areResults = Object.values(responses).every(isObject)
  assertParams(areResults, '"inputResponses" must map names to results')
  return responses
}

/** @throws {McpError} -32602 for parameters that the request of a handler is made of */
export function handlerRequest(call: Call, signal: AbortSignal): McpRequest {
  const { ctx, caller, era, write, answered, request } = call
  const meta = objectParam(request.params, '_meta')
  const progressToken = meta.progressToken as string | number | undefined
  const isToken = typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  const fault = '"progressToken" must be a string or an integer'
  assertParams(isToken || progressToken === undefined, fault)
  const minimumLevel = minimumLevelOf(call, meta)
  const isLegacy = era.name === 'legacy'
  const { [MetaKey.ClientInfo]: info = null, [MetaKey.ClientCapabilities]: capabilities } = meta
  const client = { info, capabilities } as McpRequest['client']
  return new McpRequest({
    ctx,
    caller,
    signal,
    write,
    protocolVersion: era.version,
    progressToken,
    minimumLevel,
    client: isLegacy ? { info: null, capabilities: {} } : client,
    responses: isLegacy ? (answered?.responses ?? {}) : inputResponses(request.params),
    contents: answered?.contents,
    state: isLegacy ? answered?.state : openState(call),
  })
}

/**
 * The least severe log level that is sent. A modern request names it, or gets none. Older clients set it
 * with `logging/setLevel`, which a server without sessions cannot remember, so they get "info"
 * (2025-11-25, "Logging", leaves the default to the server).
 */
function minimumLevelOf({ era, definition }: Call, meta: JsonObject): LogLevel | undefined {
  const level = era.name === 'legacy' ? 'info' : (meta[MetaKey.LogLevel] as LogLevel | undefined)
  const isLevel = level === undefined || LOG_LEVELS.includes(level)
  assertParams(isLevel, `_meta["${MetaKey.LogLevel}"] is not a log level`)
  return definition.Server.logging ? level : undefined
}

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
  assertParams(opened, '"requestState" was altered, has expired, or belongs to another call')
  return opened.state
}

const purposeOf = (call: Call): string => `mcp-request-state:${callDigest(call)}`

/** Equal for two calls of one tool by one caller with the same arguments, whatever the order of members. */
export function callDigest({ definition, caller, request: { method, params } }: Call): string {
  const named = params.name ?? params.uri
  const call = [definition.info.name, caller?.id ?? null, method, named, params.arguments ?? {}]
  return digest(call)
}

/** Equal for equal JSON, whatever the order of members. */
export function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value, sortMembers), 'base64url')
}
