import { namedMiddleware } from '#http/route_marks'
import { classesOf, declarationOf, isToManyOf, shapeOf } from '#json_api/declared_relationships'
import { ATOMIC_EXTENSION } from '#json_api/media_types'
import type { JsonApiOptions } from '#json_api/middleware/json_api_middleware'
import { settable } from '#json_api/resource_writes'
import type { ResourceClass } from '#json_api/types'
import type { KnownRoute, RouteDescription, Schema } from '#openapi/describe'
import { reference } from '#openapi/error_documents'
import { schemaOf } from '#openapi/request_body'
import * as s from '#openapi/schemas'

/** The address of a resource, and of its relationship or the linkage of that. */
const RELATIONSHIP = /^(.*?)(\/relationships)?\/([^/]+)$/

/** JSON:API 1.1, Links. */
const link = s.oneOf(s.text, s.anyObject, { type: 'null' })
const links: Schema = { type: 'object', additionalProperties: link }

/** JSON:API 1.1, Pagination. */
const pageLinks: Schema = { ...links, properties: s.nullable('first', 'last', 'prev', 'next') }

const identifier = s.object({ type: s.text, id: s.text }, { meta: s.anyObject })

/** The data of a linkage; anything where its kind is not known. */
const linkage = (isToMany: boolean | null): Schema =>
  isToMany === null ? {} : isToMany ? s.listOf(identifier) : s.orNull(identifier)

const op = s.oneOf(s.constant('add'), s.constant('update'), s.constant('remove'))
const operations = s.listOf(s.open(['op'], { op, ref: s.anyObject, href: s.text, data: {} }))
const results = s.listOf(s.open([], { data: s.anyObject }))

/** What `atomicOperations` has mounted. */
const OPERATIONS: RouteDescription = {
  summary: 'Several writes at once, or none of them',
  body: s.open(['atomic:operations'], { 'atomic:operations': operations }),
  answers: { 200: s.open(['atomic:results'], { 'atomic:results': results }) },
}

/** What `middleware.jsonApi` of a route was given; null for another route. */
export function jsonApiOptions({ route }: KnownRoute): JsonApiOptions | null {
  const named = namedMiddleware(route)
  return named.has('jsonApi') ? ((named.get('jsonApi') as JsonApiOptions) ?? {}) : null
}

type Body = RouteDescription['body']

/** The documents of JSON:API routes, by what `jsonApiResource` has mounted. */
export class JsonApiRoutes {
  /** Classes that a document may hold, with their schemas. */
  readonly #classes = new Map<ResourceClass, Schema>()

  constructor(
    private routes: readonly KnownRoute[],
    private attributes: Map<ResourceClass, Record<string, Schema>>
  ) {}

  get schemas(): Record<string, Schema> {
    return Object.fromEntries([...this.#classes].map(([{ name }, schema]) => [name, schema]))
  }

  /** What is known of a route without a word about it. */
  describe(known: KnownRoute, options: JsonApiOptions, body?: Body): RouteDescription {
    if (options.extension === ATOMIC_EXTENSION) {
      return OPERATIONS
    }
    const { method, pattern } = known
    const [, owner = '', isLinkage, name = ''] = RELATIONSHIP.exec(pattern) ?? []
    const parent = this.#resourceAt(owner)
    const declared = parent && declarationOf(parent, name)
    const isToMany = isToManyOf(declared)
    if (isLinkage) {
      return describeLinkage(method, name, linkage(isToMany))
    }
    const { query = [] } = options
    const resource = options.resource?.() ?? null
    const about = resource?.type ?? pattern
    if (method === 'DELETE') {
      return { summary: `Delete ${about}`, answers: { 204: null } }
    }
    /* AdonisJS names routes after the methods of controllers, where nothing else does. */
    const isOne = /:\w+$/.test(pattern) || known.route.name?.endsWith('.show')
    const isList = isToMany ?? (method === 'GET' && (query.includes('page') || !isOne))
    const one = resource ? this.#reference(resource) : s.anyObject
    const document = isList
      ? documentOf(s.listOf(one), pageLinks)
      : documentOf(declared ? s.orNull(one) : one)
    return {
      summary: `${{ GET: 'Read', POST: 'Create', PATCH: 'Change' }[method] ?? method} ${about}`,
      ...(method !== 'GET' && { body: this.#requestDocument(options, method, body) }),
      answers: { [method === 'POST' ? 201 : 200]: document },
    }
  }

  /** The parameters that a route understands (JSON:API 1.1, Query Parameters). */
  parameters({ method }: KnownRoute, { resource, query = [] }: JsonApiOptions): Schema[] {
    const families = query.filter((name) => name !== 'sort')
    return [
      ...(resource ? [parameter('include', s.text), family('fields')] : []),
      ...(method === 'GET' && query.includes('sort') ? [parameter('sort', s.text)] : []),
      ...families.map(family),
    ]
  }

  #resourceAt(pattern: string): ResourceClass | null {
    const known = this.routes.find((one) => one.method === 'GET' && one.pattern === pattern)
    return (known && jsonApiOptions(known)?.resource?.()) ?? null
  }

  get included(): Schema {
    const known = [...this.#classes.keys()].map(({ name }) => reference(name))
    return s.listOf(known.length ? s.oneOf(...known) : s.anyObject)
  }

  #reference(resource: ResourceClass): Schema {
    if (!this.#classes.has(resource)) {
      this.#classes.set(resource, {})
      this.#classes.set(resource, this.#resource(resource))
    }
    return reference(resource.name)
  }

  #resource(resource: ResourceClass): Schema {
    const known = this.attributes.get(resource)
    return s.object(
      { type: s.constant(resource.type), id: s.text },
      {
        /* All may be left out: a request says which it wants. */
        attributes: known
          ? { type: 'object', properties: known, additionalProperties: false }
          : s.anyObject,
        relationships: this.#relationships(resource),
        links,
        meta: s.anyObject,
      }
    )
  }

  #relationships(resource: ResourceClass, only?: string[]): Schema {
    const names = only ?? Object.keys(shapeOf(resource)?.relationships ?? {})
    const members = names.map((name) => {
      const declared = declarationOf(resource, name)
      classesOf(declared)?.forEach((one) => this.#reference(one))
      const data = linkage(isToManyOf(declared))
      return [name, { type: 'object', properties: { data, links, meta: s.anyObject } }]
    })
    return { type: 'object', properties: Object.fromEntries(members) }
  }

  /**
   * The document of a change: what its validator says, with the members that JSON:API requires, and the relationships that it
   * may set. Where that is not declared, those that are read: clients send them back.
   */
  #requestDocument({ resource: classOf, writes }: JsonApiOptions, method: string, body: Body) {
    const resource = classOf?.()
    const document = method === 'POST' ? 'create' : 'update'
    const stated = body ?? writes?.[document]?.validator
    const given = stated && (schemaOf(stated).properties as Record<string, Schema>).data
    const type = resource ? s.constant(resource.type) : s.text
    const own: Record<string, Schema> = method === 'POST' ? { type } : { type, id: s.text }
    const names = writes && settable(writes, document)
    const relationships = resource ? this.#relationships(resource, names) : s.anyObject
    const properties = {
      ...own,
      ...(names?.length !== 0 && { relationships }),
      ...((given?.properties as object) ?? { attributes: s.anyObject }),
    }
    const required = [...Object.keys(own), ...((given?.required as string[]) ?? [])]
    return s.open(['data'], { data: { ...given, type: 'object', properties, required } })
  }
}

function describeLinkage(method: string, name: string, data: Schema): RouteDescription {
  const body = s.open(['data'], { data })
  return method === 'GET'
    ? { summary: `Read the linkage of ${name}`, answers: { 200: documentOf(data) } }
    : { summary: `Change the linkage of ${name}`, body, answers: { 204: null } }
}

const documentOf = (data: Schema, ofDocument = links): Schema =>
  s.object(
    { data },
    { included: reference('Included'), links: ofDocument, meta: s.anyObject, jsonapi: s.anyObject }
  )

export const parameter = (name: string, schema: Schema): Schema => ({ name, in: 'query', schema })

/** A family of parameters: `page[number]` (JSON:API 1.1, Query Parameter Families). */
const family = (name: string): Schema => {
  const schema = { type: 'object', additionalProperties: s.key }
  return { ...parameter(name, schema), style: 'deepObject', explode: true }
}
