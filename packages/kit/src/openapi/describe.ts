import type { HttpContext } from '@adonisjs/core/http'

import type { ResourceClass } from '#json_api/types'

export const PAGE: Page = 'page'

/**
 * Says of routes what the router does not know. Middleware tells who may call, and
 * `middleware.jsonApi` what the documents are.
 *
 *     export default describeRoutes('Sessions', {
 *       'GET /login': PAGE,
 *       'POST /login': {
 *         summary: 'Sign in',
 *         body: loginValidator,
 *         answers: { 200: object({ user }) },
 *       },
 *     })
 */
export function describeRoutes(
  title: string,
  routes: Descriptions,
  resources: readonly (readonly [ResourceClass, Record<string, Schema>])[] = []
): DescribedRoutes {
  return { title, routes, attributes: new Map(resources) }
}

export const pages = (...routes: string[]): Descriptions =>
  Object.fromEntries(routes.map((route) => [route, PAGE]))

type More = Omit<RouteDescription, 'summary' | 'answers'>

const answering =
  (code: number) =>
  (summary: string, answer: Schema | null, more: More = {}): RouteDescription => ({
    summary,
    answers: { [code]: answer },
    ...more,
  })

/** Routes by the status of their success; 204 has no body. */
export const ok = answering(200)
export const created = answering(201)
export const noContent = (summary: string, more?: More) => answering(204)(summary, null, more)

/** A JSON Schema, draft 2020-12. */
export type Schema = Record<string, unknown>

/** What `vine.create()` returns. */
export type Validator = { toJSONSchema(): object }

/** What the router does not know of a route. */
export interface RouteDescription {
  summary: string
  body?: Validator | Schema
  /** Required fields of the body that its validator does not tell, e.g. the confirmation of a password. */
  fields?: Record<string, Schema>
  /** The body is a form and nothing else, as OAuth has it. */
  form?: boolean
  example?: Schema
  /** Parameters of the query; all may be left out. */
  query?: Record<string, Schema>
  /** What answers carry, by status; null for nothing. Errors are known. */
  answers?: Record<number, Schema | null>
  /** The type of these answers. Default `application/json`. */
  type?: string
  /** The handler itself asks the default guard who is there. */
  signedIn?: boolean
  /** The handler itself asks for an access token with these scopes. */
  accessToken?: readonly string[]
  /** Who may call, where neither middleware nor the default guard tells: guards with scopes. `{}` is everybody. */
  security?: readonly Record<string, readonly string[]>[]
}

/** A route for people or browsers alone: a page, a redirect, a file. The description leaves it out. */
export type Page = 'page'

/** Routes as `METHOD /pattern`. */
export type Descriptions = Record<string, RouteDescription | Page>

export interface DescribedRoutes {
  title: string
  routes: Descriptions
  /** Attributes of JSON:API resources, which their models alone know. */
  attributes: Map<ResourceClass, Record<string, Schema>>
}

export interface KnownRoute {
  method: string
  pattern: string
  route: NonNullable<HttpContext['route']>
}

export type Operation = { [member: string]: unknown; responses: Record<string, unknown> }

export interface OpenApiDocument {
  [member: string]: unknown
  openapi: '3.1.0'
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}
