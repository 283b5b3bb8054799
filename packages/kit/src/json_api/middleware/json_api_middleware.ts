import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { contentType } from '#json_api/media_types'
import { assertAcceptable, assertContentType } from '#json_api/negotiation'
import { assertQueryParameters } from '#json_api/query_parameters'
import { type RouteSelection, assertSelection } from '#json_api/route_selection'

export interface JsonApiOptions extends RouteSelection {
  /** Families of query parameters that the route understands besides `include` and `fields`. */
  query?: readonly string[]
  /** The extension that the documents of the route follow (JSON:API 1.1, Extensions). */
  extension?: string
}

/**
 * Makes a route accept and return JSON:API only: `middleware.jsonApi()`, or
 *
 *     middleware.jsonApi({ resource: () => PostResource, include: ['author'], query: ['page'] })
 *
 * Bodies have to be JSON, parameters are validated before the handler runs, and
 * every failure, even one before this middleware, is answered with an `errors`
 * document.
 */
export default class JsonApiMiddleware {
  async handle({ request, response }: HttpContext, next: NextFn, options: JsonApiOptions = {}) {
    assertContentType(request, options.extension)
    assertAcceptable(request, options.extension)
    assertQueryParameters(request, options.query ?? [])
    assertSelection(request, options)
    await next()

    /* A document that the handler made itself. */
    if (response.hasContent && typeof response.getBody() === 'object') {
      response.safeHeader('Content-Type', contentType(null, options.extension))
    }
  }
}

/** Whether a route names this middleware `jsonApi`. */
export function isJsonApiRoute(route: HttpContext['route']) {
  return [...(route?.middleware.all() ?? [])].some(
    (entry) => typeof entry === 'object' && entry.name === 'jsonApi'
  )
}
