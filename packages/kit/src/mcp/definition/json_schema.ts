import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { errors, VineValidator } from '@vinejs/vine'
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import { portableSchema } from '#mcp/definition/portable_schema'
import type { JsonSchema, SchemaSource } from '#mcp/types'

/** The result of a validation: the validated value, or the problems in words for the caller. */
export type Validation = { value: unknown } | { problems: string[] }
export type Validate = (value: unknown) => Validation | Promise<Validation>

/** A schema: the JSON that clients get, and the function that validates against it. */
export interface CompiledSchema {
  json: JsonSchema
  validate: Validate
}

const DRAFT_07 = /^http:\/\/json-schema\.org\/draft-07\/schema#?$/
const DRAFT_2020_12 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/

/**
 * Ajv loads no remote `$ref` (an unresolved one fails at start), changes no value (no defaults, no
 * coercion), and stops at the first error. `addUsedSchema: false` allows two schemas with one `$id`.
 */
const OPTIONS: Options = {
  strict: false,
  allErrors: false,
  logger: false,
  addUsedSchema: false,
}

/**
 * Compiles what `schema()` or `outputSchema()` returned.
 *
 * @throws {InvalidArgumentsException} for an invalid schema, or one of a dialect other than 2020-12 and draft-07
 */
export function compileSchema(source: SchemaSource, owner: string): CompiledSchema {
  if (source instanceof VineValidator) {
    return {
      json: portableSchema({ ...source.toJSONSchema() }),
      validate: (value) => validateByVine(source, value),
    }
  }

  const ajv = dialectOf(source, owner)
  let validate
  try {
    validate = ajv.compile(source)
  } catch (error) {
    throw new InvalidArgumentsException(
      `The JSON Schema of ${owner} cannot be used: ${(error as Error).message}`
    )
  } finally {
    /* Ajv caches compiled schemas for good; forms of elicitations are compiled while the app runs. */
    ajv.removeSchema(source)
  }
  return {
    json: portableSchema(source),
    validate: (value) =>
      validate(value) ? { value } : { problems: validate.errors!.map(describe) },
  }
}

const dialects = [
  { uri: DRAFT_2020_12, ajv: withFormats(new Ajv2020(OPTIONS)) },
  { uri: DRAFT_07, ajv: withFormats(new Ajv(OPTIONS)) },
]

function withFormats<Dialect extends Ajv>(ajv: Dialect): Dialect {
  addFormats.default(ajv)
  return ajv
}

/** The default dialect is 2020-12 (2026-07-28, "JSON Schema Usage"). */
function dialectOf({ $schema }: JsonSchema, owner: string): Ajv {
  const dialect =
    $schema === undefined ? dialects[0] : dialects.find(({ uri }) => uri.test(String($schema)))
  if (!dialect) {
    throw new InvalidArgumentsException(
      `The JSON Schema of ${owner} has a dialect other than 2020-12 and draft-07: ${$schema}`
    )
  }
  return dialect.ajv
}

function describe(error: ErrorObject): string {
  const at = error.instancePath === '' ? '' : `${error.instancePath} `
  const { additionalProperty, allowedValues } = error.params
  const which = additionalProperty ?? allowedValues?.join(', ')
  return `${at}${error.message}${which === undefined ? '' : `: ${which}`}`
}

/** Each problem with the path of its field (`items.1.quantity`), which the message does not tell. */
export function vineProblems({ messages }: { messages: any }): string[] {
  return messages.map(({ field, message }: Record<string, string>) => `${field}: ${message}`)
}

async function validateByVine(
  validator: VineValidator<any, any>,
  value: unknown
): Promise<Validation> {
  const [error, output] = await validator.tryValidate(value)
  if (!error) {
    return { value: output }
  }
  if (!(error instanceof errors.E_VALIDATION_ERROR)) {
    throw error
  }
  return { problems: vineProblems(error) }
}
