import type { HttpContext, HttpRequest } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { usesMiddleware } from '#http/route_marks'
import { shapeOf, assertPaths } from '#json_api/declared_relationships'
import { assertParameter } from '#json_api/errors'
import { assertQuery, includeTree, readFields, readInclude } from '#json_api/query_parameters'
import { contentType } from '#json_api/media_types'
import { assertAcceptable, assertContentType } from '#json_api/negotiation'
import { canonicalId } from '#json_api/request_document'
import type { ResourceWrites } from '#json_api/resource_writes'
import type { ResourceClass } from '#json_api/types'

export interface JsonApiOptions {
  /** The class of the resources that the route answers with. */
  resource?: () => ResourceClass
  /** How they are written: what a description says of bodies. */
  writes?: ResourceWrites
  /** The relationship paths that may be included; without it, all that the class declares. */
  include?: readonly string[]
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
 * Bodies have to be JSON, parameters are validated before the handler runs, UUIDs in the address reach it in
 * small letters, and every failure, even one before this middleware, is answered with an `errors` document.
 */
export default class JsonApiMiddleware {
  async handle(ctx: HttpContext, next: NextFn, options: JsonApiOptions = {}) {
    const { request, response, params } = ctx
    Object.keys(params).forEach((name) => (params[name] = canonicalId(params[name])))
    response.vary('Accept')
    assertContentType(request, options.extension)
    assertAcceptable(request, options.extension)
    assertQuery(request, options.query ?? [])
    assertSelection(request, options)
    await next()

    /* A document that the handler made itself. */
    if (response.hasContent && typeof response.getBody() === 'object') {
      response.safeHeader('Content-Type', contentType(null, options.extension))
    }
  }
}

/** Whether a route names this middleware `jsonApi`. */
export const isJsonApiRoute = (route: HttpContext['route']) => usesMiddleware(route, 'jsonApi')

/**
 * Validates `include` and `fields` before the handler runs, so that a write is refused before it
 * happens.
 *
 * A route that writes supports them only when it declares its resource class: without it they could
 * be validated only after the write (JSON:API 1.1, Inclusion of Related Resources: an endpoint need
 * not support `include`, and then has to answer 400).
 * @throws {InvalidParameter} 400
 */
function assertSelection(request: HttpRequest, { resource, include }: JsonApiOptions) {
  const query = request.qs()
  const asked = ['include', 'fields'].find((name) => query[name] !== undefined)
  const isKnown = !asked || resource || ['GET', 'HEAD', 'OPTIONS'].includes(request.method())
  assertParameter(isKnown, asked!, 'This endpoint has no such query parameter.')
  readFields(query)
  const paths = readInclude(query) ?? []
  include && assertAllowed(paths, include)
  if (resource) {
    const resourceClass = resource()
    assertPaths(shapeOf, [resourceClass], includeTree(paths, resourceClass.maxIncludeDepth))
  }
}

/** A longer path brings its intermediates: they are allowed with it. */
function assertAllowed(paths: string[], allowed: readonly string[]) {
  const isAllowed = (path: string) =>
    allowed.some((known) => known === path || known.startsWith(`${path}.`))
  const names = `These relationship paths can be included here: ${allowed.join(', ')}.`
  const detail = allowed.length > 0 ? names : 'Nothing can be included here.'
  assertParameter(paths.every(isAllowed), 'include', detail)
}
