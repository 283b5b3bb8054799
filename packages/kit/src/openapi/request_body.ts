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
      ? (asAccepted(vineSchema(body as Validator)) as Schema)
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
function asAccepted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(asAccepted)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== 'additionalProperties' || member !== false)
      .filter(([name, member]) => name !== 'format' || member !== 'email')
      .map(([name, member]) => [name, asAccepted(member)])
  )
}
