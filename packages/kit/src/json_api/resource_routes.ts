import type { HttpContext, RouteGroup, Router } from '@adonisjs/core/http'

import { type RouteMark, lacksRelated } from '#http/route_marks'
import { classesOf, declarationOf } from '#json_api/declared_relationships'
import { JsonApiError } from '#json_api/errors'
import type { JsonApiOptions } from '#json_api/middleware/json_api_middleware'
import { NO_SUCH_CHANGE } from '#json_api/resource_writes'
import type { ResourceClass } from '#json_api/types'

/* Whatever `router.get` takes as the controller of a handler, and as a middleware. */
type Controller = any
type Middleware = any

const ACTIONS = {
  index: ['GET', ''],
  store: ['POST', ''],
  show: ['GET', '/:id'],
  update: ['PATCH', '/:id'],
  destroy: ['DELETE', '/:id'],
} as const

/** Methods of a relationship's own address, under the names of a controller's methods. */
const RELATIONSHIP_ACTIONS = { show: 'GET', store: 'POST', update: 'PATCH', destroy: 'DELETE' }

export type ResourceAction = keyof typeof ACTIONS
export type RelationshipAction = keyof typeof RELATIONSHIP_ACTIONS | 'related'

export interface RelationshipRoutes extends Pick<JsonApiOptions, 'query'> {
  controller: Controller
  only: readonly RelationshipAction[]
  /**
   * Paths that may be included, from the related resources on. Without it those of the resource's own
   * `include` that lead through the relationship, or all when the resource names none.
   */
  include?: readonly string[]
}

export interface ResourceRoutes extends Pick<JsonApiOptions, 'writes' | 'include' | 'query'> {
  resource: () => ResourceClass
  /** `middleware.jsonApi` of the application. */
  jsonApi(options: JsonApiOptions): Middleware
  /** Middleware behind it, for routes that read and for routes that write. */
  use: { read: readonly Middleware[]; write: readonly Middleware[] }
  only?: readonly ResourceAction[]
  relationships?: Readonly<Record<string, RelationshipRoutes>>
}

/**
 * Mounts the routes of a resource (JSON:API 1.1, Fetching and Updating Resources) over a controller
 * with AdonisJS's usual methods: `index`, `store`, `show`, `update`, `destroy`. A relationship has
 * a controller of its own, with `show`, `store`, `update` and `destroy` for its linkage at
 * `/:id/relationships/name`, and `related` for the resources at `/:id/name`. A change that `only`
 * leaves out is refused (403), as the specification has it.
 */
export function jsonApiResource(
  router: Router,
  name: string,
  controller: Controller,
  options: ResourceRoutes
): RouteGroup {
  const { resource, writes, jsonApi, use, query, include, relationships = {} } = options
  const actions = options.only ?? (Object.keys(ACTIONS) as ResourceAction[])
  const own = actions.map((action): Entry => {
    const [method, path] = ACTIONS[action]
    const selection = action === 'destroy' ? {} : { resource, writes, include }
    const families = action === 'index' ? query : []
    return [method, path, action, [controller, action], { ...selection, query: families }]
  })
  const linked = Object.entries(relationships).flatMap((one) => relationshipRoutes(...one, options))

  return router.group(() => {
    for (const [method, path, as, handler, selection, ...marks] of [...own, ...linked]) {
      const isRead = method === 'GET'
      router
        /* HEAD goes with GET, as for `router.get`. */
        .route(`/${name}${path}`, isRead ? ['GET', 'HEAD'] : [method], handler)
        .as(`${name}.${as}`)
        .use([jsonApi(selection), ...(isRead ? use.read : use.write), ...marks])
    }
  })
}

/** A handler below the address of a resource. */
type Entry = [
  ...[method: string, path: string, as: string, handler: Controller, asked: JsonApiOptions],
  ...marks: RouteMark[],
]

function relationshipRoutes(name: string, routes: RelationshipRoutes, options: ResourceRoutes) {
  const { controller, only, query } = routes
  const { resource } = options
  const { related, linkage } = includesOf(name, routes, options)
  const marks = only.includes('related') ? [] : [lacksRelated]
  const entries: Entry[] = []
  if (only.includes('related')) {
    const selection = { resource: relatedClass(resource, name), include: related, query }
    entries.push(['GET', `/:id/${name}`, `${name}.related`, [controller, 'related'], selection])
  }
  for (const [action, method] of Object.entries(RELATIONSHIP_ACTIONS)) {
    const isEntry = only.includes(action as RelationshipAction)
    const isRead = method === 'GET'
    if (isEntry || !isRead) {
      const handler = isEntry ? [controller, action] : refuseChange
      const selection = isRead ? { resource, include: linkage } : {}
      const as = `${name}.relationship.${action}`
      entries.push([method, `/:id/relationships/${name}`, as, handler, selection, ...marks])
    }
  }
  return entries
}

/** What may be included at a relationship's two addresses; a document of linkage starts at the resource. */
function includesOf(name: string, routes: RelationshipRoutes, { include }: ResourceRoutes) {
  const through = `${name}.`
  const related =
    routes.include ??
    include?.filter((path) => path.startsWith(through)).map((path) => path.slice(through.length))
  return { related, linkage: related && [name, ...related.map((path) => through + path)] }
}

/** The class that a relationship leads to; undefined when there are several. */
function relatedClass(resource: () => ResourceClass, name: string) {
  const classes = classesOf(declarationOf(resource(), name))
  return classes?.length === 1 ? () => classes[0]! : undefined
}

export function refuseChange(_: HttpContext): never {
  throw new JsonApiError({ status: 403, detail: NO_SUCH_CHANGE })
}
