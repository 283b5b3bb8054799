import type { HttpContext } from '@adonisjs/core/http'

import { inEveryScheme } from '#auth/challenge'
import { requireScopes, unauthenticated } from '#mcp/caller'
import { assertRequest, ErrorCode, McpError } from '#mcp/errors'
import { EventStream } from '#mcp/http/event_stream'
import { checkOrigin } from '#mcp/http/origin_check'
import { isRefusal } from '#mcp/methods/handlers'
import type { ResourceServer } from '#mcp/protection'
import type { Exchange } from '#mcp/protocol/call'
import { type Answer, answer } from '#mcp/protocol/dispatcher'
import type { ReadHeader } from '#mcp/protocol/era'
import { errorResponse, parseJson } from '#mcp/protocol/json_rpc'
import { contentEncoding, readBytes } from '#http/body/read_text'
import { BodyTooLarge } from '#http/errors'
import { onResponseEnd } from '#http/response_end'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i
const EVENT_STREAM = /(?:^|[\s,])text\/event-stream\s*(?:,|$|;(?!\s*q=0(?:\.0*)?\s*(?:,|$)))/i

export interface Endpoint extends Pick<
  Exchange,
  'definition' | 'config' | 'protection' | 'announce' | 'count' | 'tasks' | 'subscriptions'
> {
  /** Whether `protect` decides who may call; else the middleware of the group does. */
  isProtected: boolean
  resourceServer: ResourceServer | null
}

/**
 * Whether a request may go on, before the middleware of its group runs and before the body is read.
 * Whatever is refused is answered in JSON-RPC.
 */
export async function admit(ctx: HttpContext, endpoint: Endpoint): Promise<boolean> {
  try {
    checkOrigin(readerOf(ctx), endpoint.config)
    if (endpoint.isProtected) {
      await identify(ctx, endpoint)
    }
    return true
  } catch (error) {
    refuse(ctx, error, endpoint)
    return false
  }
}

/** @throws {McpError} 401 or 403 with a challenge when the mount's protection refuses the caller */
async function identify(ctx: HttpContext, endpoint: Endpoint): Promise<void> {
  const { definition, resourceServer } = endpoint
  const protection = endpoint.protection!
  const { url, guards, scopes, optional } = protection
  const outcome = (await resourceServer?.authenticate(ctx, url, guards)) ?? 'absent'
  if (outcome === 'invalid' || (outcome === 'absent' && !optional)) {
    throw unauthenticated(protection, scopes, outcome === 'invalid')
  }
  const caller = outcome === 'authenticated' ? definition.Server.caller(ctx) : null
  caller && requireScopes({ caller, protection, ctx }, [])
}

/** Handles a POST that the mount has admitted: the Streamable HTTP transport of every revision, without sessions. */
export async function post(ctx: HttpContext, endpoint: Endpoint): Promise<void> {
  const header = readerOf(ctx)
  const { authenticator } = ctx as Partial<HttpContext>
  const began = performance.now()
  let value: unknown
  try {
    value = parseJson(await readBody(ctx, endpoint.config.bodyLimit))
    await authenticator?.assertValidSince(began)
  } catch (error) {
    return refuse(ctx, error, endpoint)
  }

  const { definition, isProtected } = endpoint
  /* On a protected mount only a caller that it has authenticated. */
  const caller = isProtected && !authenticator?.context ? null : definition.Server.caller(ctx)
  let signal: AbortSignal | undefined
  const exchange: Exchange = {
    ...endpoint,
    ctx,
    header,
    mirrorsBody: true,
    caller,
    signal: () => (signal ??= disconnectSignal(ctx)),
    write: null,
    canChallenge: () => true,
    handlerStarts: () => {},
  }
  return Array.isArray(value) || !EVENT_STREAM.test(header('accept') ?? '')
    ? send(ctx, await answer(value, exchange))
    : streamed(value, exchange)
}

/**
 * AdonisJS's body parser is not used: it trims strings, converts empty ones to null, and renders its
 * errors in its own format.
 * @param limit in bytes
 * @throws {McpError} HTTP 415 for another media type or a content encoding, 413 beyond the limit, 400 for an incomplete body
 */
async function readBody({ request }: HttpContext, limit: number): Promise<Buffer> {
  const { 'content-type': type = 'application/json' } = request.request.headers
  assertRequest(JSON_TYPE.test(type), 'The body must be application/json', 415)
  const isPlain = contentEncoding(request.request) === 'identity'
  assertRequest(isPlain, 'The body must not be encoded', 415)
  try {
    return await readBytes(request.request, limit)
  } catch (error) {
    const [message, httpStatus] =
      error instanceof BodyTooLarge
        ? [`The body is larger than ${limit} bytes`, 413]
        : ['The body is incomplete', 400]
    throw new McpError(ErrorCode.InvalidRequest, message, { httpStatus })
  }
}

/** The answer as JSON, or as an event stream once a notification is sent or the call takes long. */
async function streamed(value: unknown, exchange: Exchange): Promise<void> {
  const { ctx } = exchange
  const stream = new EventStream()
  /* A copy: V8 keeps a function that replaces another in a literal, and the request with it, until a full collection. */
  const answered = answer(value, {
    ...exchange,
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

/** Answers a refusal, and announces it when it is one of the caller. Any other error is thrown. */
function refuse(ctx: HttpContext, error: unknown, endpoint: Endpoint): void {
  if (!(error instanceof McpError)) {
    throw error
  }
  const { httpStatus, headers } = error
  if (headers['www-authenticate'] && isRefusal(error)) {
    const { info, Server } = endpoint.definition
    const caller = Server.caller(ctx)?.id ?? null
    const nothing = { kind: null, name: null, milliseconds: 0 }
    endpoint.announce('refused', { server: info.name, caller, ...nothing })
  }
  send(ctx, { httpStatus, headers, body: errorResponse(undefined, error) })
}

/** Node.js joins the values of every header but `Set-Cookie`. */
function readerOf({ request }: HttpContext): ReadHeader {
  const { headers } = request.request
  return (name) => headers[name] as string | undefined
}

function disconnectSignal({ response }: HttpContext): AbortSignal {
  const abort = new AbortController()
  onResponseEnd(response, () => response.response.writableFinished || abort.abort())
  return abort.signal
}

function send(ctx: HttpContext, { httpStatus, headers, body }: Answer): void {
  const { response } = ctx
  response.status(httpStatus)
  for (const [name, value] of Object.entries(headers ?? {})) {
    response.header(name, name === 'www-authenticate' ? inEveryScheme(ctx, value) : value)
  }
  body !== null && response.header('content-type', 'application/json')
  response.send(body ?? '')
}
