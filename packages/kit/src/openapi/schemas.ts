import type { Schema } from '#openapi/describe'

export const text: Schema = { type: 'string' }
export const url: Schema = { type: 'string', format: 'uri' }
export const yesNo: Schema = { type: 'boolean' }
export const count: Schema = { type: 'integer', minimum: 0 }

export const instant: Schema = { type: 'integer', description: 'Epoch seconds' }
/** An instant as text (RFC 3339). */
export const dateTime: Schema = { type: 'string', format: 'date-time' }
/** Whatever another specification says of it. */
export const anyObject: Schema = { type: 'object', additionalProperties: true }
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
export function open(required: string[], properties: Record<string, Schema>): Schema {
  return { type: 'object', properties, required }
}

const each =
  (schema: Schema) =>
  (...names: string[]): Record<string, Schema> =>
    Object.fromEntries(names.map((name) => [name, schema]))

export const texts = each(text)
export const urls = each(url)
export const instants = each(instant)
/** Texts by these names, each of which may be null. */
export const nullable = each(orNull(text))

/** What a change answers that has nothing to show. */
export const status = (value: string) => object({ status: constant(value) })
