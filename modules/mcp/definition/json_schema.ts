import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { errors, VineValidator } from '@vinejs/vine'
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import type { JsonSchema, SchemaSource } from '#mcp/types'

/** What a validator says: the value to go on with, or what is wrong in words for the caller. */
export type Verdict = { value: unknown } | { problems: string[] }
export type Validate = (value: unknown) => Verdict | Promise<Verdict>

/** A schema as clients see it and as the server applies it. */
export interface CompiledSchema {
  json: JsonSchema
  validate: Validate
}

const DRAFT_07 = /^http:\/\/json-schema\.org\/draft-07\/schema#?$/
const DRAFT_2020_12 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/

/**
 * Nothing is loaded from a `$ref` (an unknown one fails here, at start), nothing in a value is
 * changed, the first error ends a validation, and two schemas may carry the same `$id`.
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
 * @throws InvalidArgumentsException for a schema that is not valid, or of a dialect other than 2020-12 and draft-07
 */
export function compileSchema(source: SchemaSource, owner: string): CompiledSchema {
  if (source instanceof VineValidator) {
    return { json: { ...source.toJSONSchema() }, validate: (value) => judgeByVine(source, value) }
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
    /* It would keep every schema it ever saw. */
    ajv.removeSchema(source)
  }
  return {
    json: source,
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

/** Without `$schema` it is 2020-12 (2026-07-28, "JSON Schema Usage"). */
function dialectOf({ $schema }: JsonSchema, owner: string): Ajv {
  const dialect =
    $schema === undefined ? dialects[0] : dialects.find(({ uri }) => uri.test(String($schema)))
  if (!dialect) {
    throw new InvalidArgumentsException(
      `The JSON Schema of ${owner} is of a dialect other than 2020-12 and draft-07: ${$schema}`
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

async function judgeByVine(validator: VineValidator<any, any>, value: unknown): Promise<Verdict> {
  const [error, output] = await validator.tryValidate(value)
  if (!error) {
    return { value: output }
  }
  if (!(error instanceof errors.E_VALIDATION_ERROR)) {
    throw error
  }
  return { problems: error.messages.map(({ message }: { message: string }) => message) }
}
