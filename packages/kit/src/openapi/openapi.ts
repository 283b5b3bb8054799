import type { Router } from '@adonisjs/core/http'

import { ERROR_SCHEMAS, errorResponses } from '#openapi/error_documents'
import { refuseChange } from '#json_api/resource_routes'
import { JsonApiRoutes, jsonApiOptions } from '#openapi/json_api_routes'
import { operationOf, pathOf } from '#openapi/operation'
import { type SecuritySources, securitySchemes } from '#openapi/security'
import type { DescribedRoutes, Descriptions, KnownRoute, OpenApiDocument } from '#openapi/describe'

type Described = () => Promise<{ default: DescribedRoutes | readonly DescribedRoutes[] }>

type Found = { title: string; description: Descriptions[string] }

export interface OpenApiSources extends SecuritySources {
  router: Router
  name: string
  version: string
  url: string
  /** The path of the issuer, below which routes of the OAuth server are mounted again. */
  issuerPath: string
}

/** The description of the HTTP interface (OpenAPI 3.1), from the router and from what is said of routes. */
export class OpenApi {
  readonly #described: Described[] = []
  #document: Promise<OpenApiDocument> | undefined

  /** @param sources what it describes; asked when a document is made */
  constructor(
    readonly isServed: boolean,
    private sources: () => Promise<OpenApiSources>
  ) {}

  describe(described: readonly Described[]): this {
    this.#described.push(...described)
    this.#document = undefined
    return this
  }

  /** The document. Routes of which nothing is known are not in it. */
  document(): Promise<OpenApiDocument> {
    return (this.#document ??= this.#make())
  }

  /** Routes of which nothing is known, as `METHOD /pattern`. */
  async unknown(): Promise<string[]> {
    const sources = await this.sources()
    const find = finder(await this.#read(), sources)
    return routesOf(sources.router)
      .filter((known) => !find(known) && !jsonApiOptions(known))
      .map(({ method, pattern }) => `${method} ${pattern}`)
  }

  async #make(): Promise<OpenApiDocument> {
    const sources = await this.sources()
    const groups = await this.#read()
    const find = finder(groups, sources)
    const routes = routesOf(sources.router)
    const attributes = new Map(groups.flatMap((group) => [...group.attributes]))
    const jsonApi = new JsonApiRoutes(routes, attributes)
    const paths: OpenApiDocument['paths'] = {}
    for (const known of routes) {
      const { title, description = 'page' } = withJsonApi(known, find(known), jsonApi) ?? {}
      if (description !== 'page') {
        const path = (paths[pathOf(known.pattern)] ??= {})
        const about = { title: title!, description }
        path[known.method.toLowerCase()] = operationOf(known, about, jsonApi, sources)
      }
    }
    const schemas = { ...ERROR_SCHEMAS, ...jsonApi.schemas, Included: jsonApi.included }
    const schemes = await securitySchemes(sources)
    const components = { schemas, responses: errorResponses(), securitySchemes: schemes }
    return {
      openapi: '3.1.0',
      info: { title: sources.name, version: sources.version },
      servers: [{ url: sources.url }],
      security: [],
      paths,
      components,
    }
  }

  async #read(): Promise<DescribedRoutes[]> {
    const modules = await Promise.all(this.#described.map((load) => load()))
    return modules.flatMap((module) => module.default)
  }
}

/** What middleware.jsonApi tells, and more of it where something is said; whoever says the answers says all. */
function withJsonApi(known: KnownRoute, found: Found | null, jsonApi: JsonApiRoutes): Found | null {
  const options = jsonApiOptions(known)
  if (!options || found?.description === 'page' || found?.description.answers) {
    return found
  }
  const derived = jsonApi.describe(known, options, found?.description.body)
  const description = { ...derived, ...found?.description, body: derived.body }
  return { title: 'JSON:API', description }
}

/** Finds what is said of a route; those below the path of an issuer are the same as at the root. */
function finder(groups: readonly DescribedRoutes[], { issuerPath }: OpenApiSources) {
  const all = new Map<string, Found>(
    groups.flatMap(({ title, routes }) =>
      Object.entries(routes).map(([route, description]) => [route, { title, description }] as const)
    )
  )
  return ({ method, pattern }: KnownRoute): Found | null => {
    const atRoot = issuerPath ? pattern.replace(issuerPath, '') : pattern
    return all.get(`${method} ${pattern}`) ?? all.get(`${method} ${atRoot}`) ?? null
  }
}

/** Every route that does more than refuse, with each of its methods; HEAD goes with GET. Commands have no server that would commit them. */
function routesOf(router: Router): KnownRoute[] {
  router.commit()
  const all = Object.values(router.toJSON()).flat()
  const routes = all.filter(({ handler }) => handler !== refuseChange)
  return routes.flatMap((found) => {
    const route = found as unknown as KnownRoute['route']
    const methods = found.methods.filter((method) => method !== 'HEAD')
    return methods.map((method) => ({ method, pattern: found.pattern, route }))
  })
}
