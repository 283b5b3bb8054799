import type { HttpRequest } from '@adonisjs/core/http'

import { InvalidParameter } from '#json_api/errors'
import { readFields } from '#json_api/fields'
import { includeTree, readInclude } from '#json_api/include'
import { DeclaredShapes, assertPaths } from '#json_api/include_paths'
import type { ResourceClass } from '#json_api/types'

/** How a route supports `include` and `fields`. */
export interface RouteSelection {
  /** The class of the resources that the route answers with. */
  resource?: () => ResourceClass
  /** The relationship paths that may be included; without it, all that the class declares. */
  include?: readonly string[]
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Validates `include` and `fields` before the handler runs, so that a write is
 * refused before it happens.
 *
 * A route that writes supports them only when it declares its resource class:
 * without it they could be validated only after the write (JSON:API
 * 1.1, Inclusion of Related Resources: an endpoint need not support `include`,
 * and then has to answer 400).
 *
 * @throws {InvalidParameter} 400
 */
export function assertSelection(request: HttpRequest, { resource, include }: RouteSelection) {
  const query = request.qs()
  const asked = ['include', 'fields'].find((name) => query[name] !== undefined)
  if (asked && !resource && !SAFE_METHODS.includes(request.method())) {
    throw new InvalidParameter(asked, 'This endpoint has no such query parameter.')
  }
  readFields(query)
  const paths = readInclude(query) ?? []
  if (include) {
    assertAllowed(paths, include)
  }
  if (resource) {
    const resourceClass = resource()
    const tree = includeTree(paths, resourceClass.maxIncludeDepth)
    assertPaths(new DeclaredShapes(), [resourceClass], tree)
  }
}

/** A longer path brings its intermediates: they are allowed with it. */
function assertAllowed(paths: string[], allowed: readonly string[]) {
  const isAllowed = (path: string) =>
    allowed.some((known) => known === path || known.startsWith(`${path}.`))
  if (!paths.every(isAllowed)) {
    throw new InvalidParameter(
      'include',
      allowed.length > 0
        ? `These relationship paths can be included here: ${allowed.join(', ')}.`
        : 'Nothing can be included here.'
    )
  }
}
