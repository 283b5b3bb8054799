import { portableSchema, vineSchema } from '#mcp/definition/json_schema'
import type { RouteDescription, Schema, Validator } from '#openapi/describe'

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

export function requestBody({ body, fields, form, example }: RouteDescription, type = JSON_TYPE) {
  if (!body) {
    return undefined
  }
  const schema = withFields(schemaOf(body), fields)
  return {
    required: ((schema.required as string[] | undefined) ?? []).length > 0,
    content: { [form ? FORM_TYPE : type]: { schema, ...(example && { example }) } },
  }
}

/** The schema of a body, as requests may be; without patterns that the engine of another language cannot read. */
export function schemaOf(body: Validator | Schema): Schema {
  return portableSchema(
    typeof body.toJSONSchema === 'function'
      ? asAccepted(vineSchema(body as Validator))
      : (body as Schema)
  )
}

function withFields(schema: Schema, fields: Record<string, Schema> = {}): Schema {
  return {
    ...schema,
    properties: { ...(schema.properties as object), ...fields },
    required: [...new Set([...((schema.required as string[]) ?? []), ...Object.keys(fields)])],
  }
}

/**
 * A validator's schema as requests may be: unknown fields are ignored, and addresses may be of any
 * language, with spaces around them.
 */
function asAccepted(schema: Schema): Schema {
  const isLeftOut = (name: string, value: unknown) =>
    (name === 'additionalProperties' && value === false) || (name === 'format' && value === 'email')
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    isLeftOut(name, value) ? undefined : value
  ) as Schema
}
