import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import { HttpContext } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'

/** A context for handlers that are called without HTTP: its request is empty and its response goes nowhere. */
export async function createLocalContext(app: ApplicationService): Promise<HttpContext> {
  const server = await app.container.make('server')
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const resolver = app.container.createResolver()
  const ctx = server.createHttpContext(
    server.createRequest(request, response),
    server.createResponse(request, response),
    resolver
  )
  resolver.bindValue(HttpContext, ctx)
  return ctx
}
