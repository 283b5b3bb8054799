import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { errors, VineValidator } from '@vinejs/vine'
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import { assertArgument } from '#config/checks'
import { isObject, objectOr, ownMember } from '#process/objects'
import type { JsonSchema, SchemaSource } from '#mcp/types'

type AnySchema = Record<string, any>
type Validation = { value: unknown } | { problems: string[] }

/**
 * Ajv loads no remote `$ref` (an unresolved one fails at start), changes no value (no defaults, no
 * coercion), and stops at the first error. `addUsedSchema: false` allows two schemas with one `$id`.
 */
const OPTIONS: Options = { strict: false, allErrors: false, logger: false, addUsedSchema: false }

/** The first one is the default (2026-07-28, "JSON Schema Usage"). */
const DIALECTS = [
  { uri: /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, ajv: new Ajv2020(OPTIONS) },
  { uri: /^http:\/\/json-schema\.org\/draft-07\/schema#?$/, ajv: new Ajv(OPTIONS) },
]
DIALECTS.forEach(({ ajv }) => addFormats.default(ajv))

/**
 * The JSON that clients get of a schema, and the function that validates against it.
 * @throws {InvalidArgumentsException} for an invalid schema, or an unknown dialect
 */
export function compileSchema(source: SchemaSource, owner: string) {
  if (source instanceof VineValidator) {
    const json = portableSchema(vineSchema(source))
    return { json, validate: (value: unknown) => validateByVine(source, json, value) }
  }

  const ajv = ajvFor(source, owner)
  let validate
  try {
    validate = ajv.compile(source)
  } catch (error) {
    const { message } = error as Error
    throw new InvalidArgumentsException(`The JSON Schema of ${owner} cannot be used: ${message}`)
  } finally {
    /* Ajv caches compiled schemas for good; forms of elicitations are compiled while the app runs. */
    ajv.removeSchema(source)
  }
  const problemsOf = () => ({ problems: validate.errors!.map(describe) })
  return {
    json: portableSchema(source),
    validate: (value: unknown): Validation => (validate(value) ? { value } : problemsOf()),
  }
}

/**
 * What a validator says of its fields, in JSON Schema 2020-12: VineJS lists the items of a tuple as draft-07 does.
 * Of a nullable field that VineJS has no JSON type for, a date, it says that null alone is allowed: here it
 * may be anything, as without `nullable()`. It does not say that a nullable field is required, and says it of an
 * optional union. A boolean is one, not a choice of what forms send for it.
 */
export function vineSchema(validator: { toJSONSchema(): object }): JsonSchema {
  const schema = validator.toJSONSchema()
  validator instanceof VineValidator && markRequired(schema, validator.toJSON().schema.schema)
  return JSON.parse(JSON.stringify(schema), function (this: unknown, _, value) {
    if (!isObject(value)) {
      return value as unknown
    }
    const { type, items, additionalItems, enum: values, ...others } = value
    if (additionalItems === false && Array.isArray(items)) {
      return { type, ...others, prefixItems: items }
    }
    if (Array.isArray(values) && [true, false, 'on'].every((one) => values.includes(one))) {
      return { type: 'boolean', ...others }
    }
    return type === 'null' && !Array.isArray(this) ? others : value
  }) as JsonSchema
}

/** Whether a compiled field has to be there. An optional union has a condition for its absence. */
const isRequired = ({ isOptional, conditions = [] }: AnySchema) =>
  !isOptional && !conditions.some((one: AnySchema) => one.schema.isOptional)

/** Says of the fields of objects which ones are required, by what VineJS has compiled. */
function markRequired(schema: AnySchema = {}, node: AnySchema): void {
  const { type, properties = [], each, conditions = [] } = node
  const own = schema.properties ? schema : schema.anyOf?.find((one: AnySchema) => one.properties)
  if (type === 'object' && own) {
    own.required = properties.filter(isRequired).map((one: AnySchema) => one.fieldName)
  }
  for (const one of properties) {
    markRequired((type === 'object' ? own?.properties : schema.items)?.[one.fieldName], one)
  }
  each && markRequired(schema.items ?? schema.additionalProperties, each)
  conditions.forEach((one: AnySchema, at: number) => markRequired(schema.anyOf?.[at], one.schema))
}

function ajvFor({ $schema }: JsonSchema, owner: string): Ajv {
  const dialect =
    $schema === undefined ? DIALECTS[0] : DIALECTS.find(({ uri }) => uri.test(String($schema)))
  const fault = `The JSON Schema of ${owner} has a dialect other than 2020-12 and draft-07: ${$schema}`
  assertArgument(dialect, fault)
  return dialect.ajv
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const at = instancePath === '' ? '' : `${instancePath} `
  const which = params.additionalProperty ?? params.allowedValues?.join(', ')
  return `${at}${message}${which === undefined ? '' : `: ${which}`}`
}

/** Each problem with the path of its field (`items.1.quantity`), which the message does not tell. */
export function vineProblems({ messages }: { messages: any }): string[] {
  return messages.map(({ field, message }: Record<string, string>) => `${field}: ${message}`)
}

async function validateByVine(
  schema: VineValidator<any, any>,
  json: JsonSchema,
  value: unknown
): Promise<Validation> {
  const wrong = wrongNumbers(json, value)
  if (wrong.length) {
    return { problems: wrong.map((field) => `${field}: must be a number`) }
  }
  const [error, output] = await schema.tryValidate(value)
  if (error && !(error instanceof errors.E_VALIDATION_ERROR)) {
    throw error
  }
  return error ? { problems: vineProblems(error) } : { value: output }
}

/**
 * The fields with a value that VineJS would make a number of although it is none: a list, a truth
 * value, an empty text. Numbers in texts are welcome, because models write them.
 */
function wrongNumbers(schema: JsonSchema, value: unknown, at = ''): string[] {
  const { type, properties, additionalProperties, items, prefixItems } = schema as AnySchema
  if ([type].flat().includes('number')) {
    const isNone = Array.isArray(value) || typeof value === 'boolean' || value === ''
    return isNone ? [at] : []
  }
  const below = (own: unknown, name: string | number, one: unknown) =>
    isObject(own) ? wrongNumbers(own, one, at === '' ? String(name) : `${at}.${name}`) : []
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => below(prefixItems?.[index] ?? items, index, one))
  }
  return Object.entries(objectOr(value)).flatMap(([name, one]) =>
    below(ownMember<unknown>(properties, name) ?? additionalProperties, name, one)
  )
}

/** Keywords whose value is a schema or a list of them (JSON Schema 2020-12, section 10). */
const NESTED = new Set([
  ...['additionalProperties', 'allOf', 'anyOf', 'contains', 'else', 'if', 'items', 'not', 'oneOf'],
  ...['prefixItems', 'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
])

/** Keywords whose value has schemas by name. */
const NAMED = /^(\$defs|definitions|dependentSchemas|patternProperties|properties)$/

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
  const isForeign = ([keyword, value]: [string, unknown]) =>
    keyword === 'pattern' && typeof value === 'string' && !isPortablePattern(value)
  const kept = Object.entries(schema).filter((one) => !isForeign(one))
  const portables = kept.map(([keyword, value]) => [keyword, portableValue(keyword, value)])
  return withPortableNames(Object.fromEntries(portables))
}

function portableValue(keyword: string, value: unknown): unknown {
  if (NAMED.test(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, portable(one)]))
  }
  return NESTED.has(keyword) ? portable(value) : value
}

function portable(value: unknown): unknown {
  const schema = isObject(value) ? portableSchema(value) : value
  return Array.isArray(value) ? value.map(portable) : schema
}

/** Without the names of properties that a pattern gives, nothing can be said of other properties either. */
function withPortableNames(schema: JsonSchema): JsonSchema {
  const { patternProperties, additionalProperties, unevaluatedProperties, ...others } = schema
  if (!isObject(patternProperties) || Object.keys(patternProperties).every(isPortablePattern)) {
    return schema
  }
  const kept = Object.entries(patternProperties).filter(([pattern]) => isPortablePattern(pattern))
  return { ...others, patternProperties: Object.fromEntries(kept) }
}
