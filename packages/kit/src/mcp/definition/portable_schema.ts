import type { JsonSchema } from '#mcp/types'

/** Keywords whose value is a schema, a list of them, or schemas by name (JSON Schema 2020-12, section 10). */
const ONE = [
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]
const MANY = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']
const NAMED = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']

/** Escapes that mean the same in JavaScript, Python and Go: those of punctuation, and these letters. */
const ESCAPE = /\\(?:[^\p{L}\p{N}]|[dDwWsSbBtnrfv])/gu

/** What is left of a pattern without its escapes, where an engine of the other languages gives up. */
const FOREIGN = /\\|\(\?(?![:i])|\[\^?\]|\{,|\[:|\{\d*,?\d{4,}/

/**
 * Whether the regular expressions of Python (`re`) and Go (RE2) can read a pattern: no look-around,
 * no named groups and back-references, no Unicode properties, no repetition beyond 999.
 */
export function isPortablePattern(pattern: string): boolean {
  const isBackspace = /\[[^\]]*\\b/.test(pattern)
  return !isBackspace && !FOREIGN.test(pattern.replace(ESCAPE, '_'))
}

/**
 * A schema for clients in any language: one that cannot compile a pattern drops the whole tool, or
 * fails. Patterns that only some engines read are left out; arguments are judged by the full schema.
 */
export function portableSchema(schema: JsonSchema): JsonSchema {
  const portable: Record<string, unknown> = { ...schema }
  if (typeof schema.pattern === 'string' && !isPortablePattern(schema.pattern)) {
    delete portable.pattern
  }
  for (const keyword of ONE.filter((name) => isSchema(schema[name]))) {
    portable[keyword] = portableSchema(schema[keyword] as JsonSchema)
  }
  for (const keyword of MANY.filter((name) => Array.isArray(schema[name]))) {
    portable[keyword] = (schema[keyword] as unknown[]).map(portableOrSame)
  }
  for (const keyword of NAMED.filter((name) => isSchema(schema[name]))) {
    const entries = Object.entries(schema[keyword] as object).map(
      ([name, one]) => [name, portableOrSame(one)] as const
    )
    portable[keyword] = Object.fromEntries(entries)
  }
  return withPortableNames(portable)
}

/** Without the names of properties that a pattern gives, nothing can be said of other properties either. */
function withPortableNames(schema: JsonSchema): JsonSchema {
  const { patternProperties, additionalProperties, unevaluatedProperties, ...others } = schema
  if (!isSchema(patternProperties) || Object.keys(patternProperties).every(isPortablePattern)) {
    return schema
  }
  const kept = Object.entries(patternProperties).filter(([pattern]) => isPortablePattern(pattern))
  return { ...others, patternProperties: Object.fromEntries(kept) }
}

function portableOrSame(value: unknown): unknown {
  return isSchema(value) ? portableSchema(value) : value
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
