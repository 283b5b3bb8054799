import type { HttpContext } from '@adonisjs/core/http'

import type { ResourceClass } from '#json_api/types'

/** A JSON Schema, draft 2020-12. */
export type Schema = Record<string, unknown>

/** What `vine.create()` returns. */
export interface Validator {
  toJSONSchema(): object
}

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

export interface Operation {
  [member: string]: unknown
  responses: Record<string, unknown>
}

export interface OpenApiDocument {
  [member: string]: unknown
  openapi: '3.1.0'
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}
