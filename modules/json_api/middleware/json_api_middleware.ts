import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { MEDIA_TYPE } from '#json_api/media_types'
import { assertAcceptable, assertContentType } from '#json_api/negotiation'
import { assertQueryParameters } from '#json_api/query_parameters'

export interface JsonApiOptions {
  /** Families of query parameters that the route understands besides `include` and `fields`. */
  query?: string[]
}

/**
 * Makes a route speak JSON:API alone: `middleware.jsonApi()`, or
 * `middleware.jsonApi({ query: ['page', 'sort'] })`. Bodies have to be JSON, and
 * every failure, even one before this middleware, is answered with an `errors`
 * document.
 */
export default class JsonApiMiddleware {
  async handle({ request, response }: HttpContext, next: NextFn, options: JsonApiOptions = {}) {
    assertContentType(request)
    assertAcceptable(request)
    assertQueryParameters(request, options.query ?? [])
    await next()

    /* A document that the handler made itself. */
    if (response.hasContent && typeof response.getBody() === 'object') {
      response.safeHeader('Content-Type', MEDIA_TYPE)
    }
  }
}

/** Whether a route names this middleware `jsonApi`. */
export function isJsonApiRoute(route: HttpContext['route']) {
  return [...(route?.middleware.all() ?? [])].some(
    (entry) => typeof entry === 'object' && entry.name === 'jsonApi'
  )
}
