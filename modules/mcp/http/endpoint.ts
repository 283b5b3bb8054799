import type { HttpContext } from '@adonisjs/core/http'

import type { ResolvedMcpConfig } from '#mcp/define_config'
import type { ServerDefinition } from '#mcp/definition/server_definition'
import { McpError } from '#mcp/errors'
import { readBody } from '#mcp/http/body'
import { EventStream } from '#mcp/http/event_stream'
import { checkOrigin } from '#mcp/http/origin_check'
import { type Answer, answer } from '#mcp/protocol/dispatcher'
import type { ReadHeader } from '#mcp/protocol/era'
import { errorResponse, parseJson } from '#mcp/protocol/json_rpc'

const EVENT_STREAM = /(?:^|[\s,])text\/event-stream\s*(?:[;,]|$)/i

/** Handles a POST: the Streamable HTTP transport of every revision, without sessions. */
export async function post(
  ctx: HttpContext,
  definition: ServerDefinition,
  config: ResolvedMcpConfig
): Promise<void> {
  const { headers } = ctx.request.request
  const header: ReadHeader = (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  let value: unknown
  try {
    checkOrigin(header, config)
    value = parseJson(await readBody(ctx.request.request, config.bodyLimit))
  } catch (error) {
    if (!(error instanceof McpError)) {
      throw error
    }
    return send(ctx, { httpStatus: error.httpStatus, body: errorResponse(undefined, error) })
  }

  const origin = { ctx, definition, config, header }
  if (!EVENT_STREAM.test(header('accept') ?? '')) {
    return send(ctx, await answer(value, { ...origin, notify: null }))
  }

  const stream = new EventStream()
  const answered = answer(value, { ...origin, notify: stream.notify })
  const first = await Promise.race([answered, stream.opened])
  if (first && !stream.isOpen) {
    return send(ctx, first)
  }
  stream.attach(ctx)
  void answered.then(({ body }) => stream.end(body!))
}

/** The endpoint supports POST only: 405 for every other method (2025-11-25 and 2026-07-28, "Transports"). */
export function methodNotAllowed({ response }: HttpContext): void {
  response.status(405).header('allow', 'POST').send('')
}

function send({ response }: HttpContext, { httpStatus, body }: Answer): void {
  response.status(httpStatus)
  if (body === null) {
    return response.send('')
  }
  response.header('content-type', 'application/json').send(body)
}
