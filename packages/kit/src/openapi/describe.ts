import type { ResourceClass } from '#json_api/types'
import type { DescribedRoutes, Descriptions, Page, RouteDescription, Schema } from '#openapi/types'

/** A route for people or browsers alone: a page, a redirect, a file. */
export const PAGE: Page = 'page'

/**
 * Says of routes what the router does not know:
 *
 *     export default describeRoutes('Sessions', {
 *       'GET /login': PAGE,
 *       'POST /login': {
 *         summary: 'Sign in',
 *         body: loginValidator,
 *         answers: { 200: object({ user }) },
 *       },
 *     })
 *
 * Middleware tells who may call, and `middleware.jsonApi` what the documents are.
 */
export function describeRoutes(
  title: string,
  routes: Descriptions,
  resources: readonly (readonly [ResourceClass, Record<string, Schema>])[] = []
): DescribedRoutes {
  return { title, routes, attributes: new Map(resources) }
}

export const text: Schema = { type: 'string' }
export const url: Schema = { type: 'string', format: 'uri' }
export const yesNo: Schema = { type: 'boolean' }
export const count: Schema = { type: 'integer', minimum: 0 }

/** Epoch seconds. */
export const instant: Schema = { type: 'integer', description: 'Epoch seconds' }

/** An instant as text (RFC 3339). */
export const dateTime: Schema = { type: 'string', format: 'date-time' }

/** Whatever another specification says of it. */
export const anyObject: Schema = { type: 'object' }

/** The key of a row. */
export const key: Schema = { type: ['integer', 'string'] }

export const listOf = (items: Schema): Schema => ({ type: 'array', items })

export const constant = (value: unknown): Schema => ({ const: value })

/** One of several, or null. */
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })

export const oneOf = (...schemas: Schema[]): Schema => ({ anyOf: schemas })

/** An object with these members and no others. */
export function object(required: Record<string, Schema>, optional: Record<string, Schema> = {}) {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }
}

/** An object that may have other members, too. */
export const open = (required: string[], properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  required,
})

const each =
  (schema: Schema) =>
  (...names: string[]): Record<string, Schema> =>
    Object.fromEntries(names.map((name) => [name, schema]))

/** Texts by these names. */
export const texts = each(text)

/** Texts by these names, each of which may be null. */
export const nullable = each(orNull(text))

/** What a change answers that has nothing to show. */
export const status = (value: string) => object({ status: constant(value) })

type More = Omit<RouteDescription, 'summary' | 'answers'>

const answering =
  (code: number) =>
  (summary: string, answer: Schema | null, more: More = {}): RouteDescription => ({
    summary,
    answers: { [code]: answer },
    ...more,
  })

/** A route whose success is 200 with a body. */
export const ok = answering(200)

/** A route whose success is 201 with what it has made. */
export const created = answering(201)

/** A route whose success is 204. */
export const noContent = (summary: string, more?: More) => answering(204)(summary, null, more)
