import type { ResourceClass } from '#json_api/types'
import type { DescribedRoutes, Descriptions, Page, RouteDescription, Schema } from '#openapi/types'

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

export const text: Schema = { type: 'string' }
export const url: Schema = { type: 'string', format: 'uri' }
export const yesNo: Schema = { type: 'boolean' }
export const count: Schema = { type: 'integer', minimum: 0 }

export const instant: Schema = { type: 'integer', description: 'Epoch seconds' }
/** An instant as text (RFC 3339). */
export const dateTime: Schema = { type: 'string', format: 'date-time' }
/** Whatever another specification says of it. */
export const anyObject: Schema = { type: 'object' }
/** The key of a row. */
export const key: Schema = { type: ['integer', 'string'] }

export const listOf = (items: Schema): Schema => ({ type: 'array', items })
export const constant = (value: unknown): Schema => ({ const: value })
export const oneOf = (...schemas: Schema[]): Schema => ({ anyOf: schemas })
export const orNull = (schema: Schema): Schema => oneOf(schema, { type: 'null' })

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

/** Members of these names that are alike. */
export const texts = each(text)
export const urls = each(url)
export const instants = each(instant)
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

/** Routes by the status of their success; 204 has no body. */
export const ok = answering(200)
export const created = answering(201)
export const noContent = (summary: string, more?: More) => answering(204)(summary, null, more)
