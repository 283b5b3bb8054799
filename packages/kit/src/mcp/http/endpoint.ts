import type { HttpContext } from '@adonisjs/core/http'

import { inEveryScheme } from '#auth/challenge'
import type { Caller } from '#mcp/caller'
import type { ResolvedMcpConfig } from '#mcp/define_config'
import type { ServerDefinition } from '#mcp/definition/server_definition'
import { McpError } from '#mcp/errors'
import type { Subscriptions } from '#mcp/subscriptions/subscriptions'
import type { Tasks } from '#mcp/tasks/tasks'
import type { CountCall } from '#mcp/call_limit'
import type { Announce } from '#mcp/events'
import { readBody } from '#mcp/http/body'
import { EventStream } from '#mcp/http/event_stream'
import { isRefusal } from '#mcp/methods/observed'
import type { Protection, ResourceServer } from '#mcp/protection'
import { type Answer, answer } from '#mcp/protocol/dispatcher'
import type { ReadHeader } from '#mcp/protocol/era'
import type { Exchange } from '#mcp/protocol/exchange'
import { errorResponse, parseJson } from '#mcp/protocol/json_rpc'

const EVENT_STREAM = /(?:^|[\s,])text\/event-stream\s*(?:[;,]|$)/i

/** What a mount brings to every request. */
export interface Endpoint {
  definition: ServerDefinition
  config: ResolvedMcpConfig
  protection: Protection | null
  /** Whether `protect` decides who may call; else the middleware of the group does. */
  isProtected: boolean
  resourceServer: ResourceServer | null
  announce: Announce
  count: CountCall
  tasks: Tasks | null
  subscriptions: Subscriptions
}

/** Handles a POST that the mount has admitted: the Streamable HTTP transport of every revision, without sessions. */
export async function post(ctx: HttpContext, endpoint: Endpoint): Promise<void> {
  const header = readerOf(ctx)
  let value: unknown
  try {
    value = parseJson(await readBody(ctx.request.request, endpoint.config.bodyLimit))
  } catch (error) {
    if (!(error instanceof McpError)) {
      throw error
    }
    return refuse(ctx, error, endpoint)
  }

  const exchange: Exchange = {
    ...endpoint,
    ctx,
    header,
    mirrorsBody: true,
    caller: callerOf(ctx, endpoint),
    signal: disconnectSignal(ctx),
    notify: null,
    write: null,
    canChallenge: () => true,
    handlerStarts: () => {},
  }
  if (Array.isArray(value) || !EVENT_STREAM.test(header('accept') ?? '')) {
    return send(ctx, await answer(value, exchange))
  }
  return streamed(value, exchange)
}

/** The answer as JSON, or as an event stream once a notification is sent or the call takes long. */
async function streamed(value: unknown, exchange: Exchange): Promise<void> {
  const { ctx } = exchange
  const stream = new EventStream()
  const answered = answer(value, {
    ...exchange,
    notify: stream.notify,
    write: stream.write,
    canChallenge: () => !stream.isOpen,
    handlerStarts: () => stream.expectSlowCall(),
  })
  const first = await Promise.race([answered, stream.opened])
  if (first && !stream.isOpen) {
    stream.discard()
    return send(ctx, first)
  }
  stream.attach(ctx)
  void answered.then(({ body }) => stream.end(body))
}

/** Answers a refusal, and announces it when it is one of the caller. */
export function refuse(ctx: HttpContext, error: McpError, endpoint: Endpoint): void {
  announceRefusal(error, ctx, endpoint)
  const { httpStatus, headers } = error
  send(ctx, { httpStatus, headers, body: errorResponse(undefined, error) })
}

/** Reads the headers of a request. */
export function readerOf({ request }: HttpContext): ReadHeader {
  const { headers } = request.request
  return (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
}

/** Who calls; on a protected mount only a caller that it has authenticated. */
function callerOf(ctx: HttpContext, { definition, isProtected }: Endpoint): Caller | null {
  const { authenticator } = ctx as Partial<HttpContext>
  return isProtected && !authenticator?.context ? null : definition.Server.caller(ctx)
}

function announceRefusal(error: McpError, ctx: HttpContext, endpoint: Endpoint): void {
  if (error.headers['www-authenticate'] && isRefusal(error)) {
    const { info, Server } = endpoint.definition
    endpoint.announce('refused', {
      server: info.name,
      kind: null,
      name: null,
      caller: Server.caller(ctx)?.id ?? null,
      milliseconds: 0,
    })
  }
}

/** Aborts when the connection closes before the response is complete. */
function disconnectSignal({ response: { response } }: HttpContext): AbortSignal {
  const abort = new AbortController()
  const leave = () => !response.writableFinished && abort.abort()
  if (response.destroyed) {
    leave()
  } else {
    response.once('close', leave)
  }
  return abort.signal
}

/** The endpoint supports POST only: 405 for every other method (2025-11-25 and 2026-07-28, "Transports"). */
export function methodNotAllowed({ response }: HttpContext): void {
  response.status(405).header('allow', 'POST').send('')
}

function send(ctx: HttpContext, { httpStatus, headers, body }: Answer): void {
  const { response } = ctx
  response.status(httpStatus)
  for (const [name, value] of Object.entries(headers ?? {})) {
    response.header(name, name === 'www-authenticate' ? inEveryScheme(ctx, value) : value)
  }
  if (body === null) {
    return response.send('')
  }
  response.header('content-type', 'application/json').send(body)
}
