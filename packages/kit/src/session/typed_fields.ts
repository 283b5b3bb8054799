import type { HttpContext } from '@adonisjs/core/http'
import type { VineValidator } from '@vinejs/vine'

import { beforeValidation } from '#http/body/validated_body'
import { isObject } from '#process/objects'
import { rememberedOf } from '#process/remembered'

/** Whether a segment of a path leads to the prototype of the object that it is looked up in. */
export function isUnsafe(segment: string): boolean {
  return segment === '__proto__' || segment === 'constructor' || segment === 'prototype'
}

/** Maximum size of a field's input that is shown again (bytes of JSON). */
const MAX_FIELD_BYTES = 1024

/** Fields whose input is never shown again or stored. */
const SECRET_FIELD =
  /pass(word|phrase|code)|token|secret|\b(otp|pin|cvc|cvv|(mail_|recovery_)?code)\b/i

/** The fields that the validators of a request have asked for so far. */
export const declaredFields = rememberedOf((_ctx: HttpContext) => new Set<string>())

const fieldsOf = rememberedOf((validator: VineValidator<any, any>) =>
  propertiesOf(validator.toJSON().schema.schema)
)

/** Notes which fields a validator declares when a request is validated with it. */
export function observeValidation(): void {
  beforeValidation(({ ctx }, validator, options) => {
    fieldsOf(validator).forEach((field) => declaredFields(ctx!).add(field))
    return options
  })
}

/** What was typed into these fields: no secrets, and no field that is too large. */
export function pickTyped(input: Record<string, unknown>, fields: readonly string[]) {
  const typed: Record<string, unknown> = {}
  for (const field of fields) {
    if (Object.hasOwn(input, field) && isKept(field) && isSmall(input[field])) {
      typed[field] = withoutSecrets(input[field])
    }
  }
  return typed
}

const isKept = (field: string) => !SECRET_FIELD.test(field) && !isUnsafe(field)

const isSmall = (value: unknown) =>
  Buffer.byteLength(JSON.stringify(value) ?? '') <= MAX_FIELD_BYTES

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutSecrets)
  }
  return isObject(value) ? pickTyped(value, Object.keys(value)) : value
}

/** The names of an object's fields, those of conditional groups too. */
function propertiesOf(schema: any): string[] {
  const properties = (schema.properties ?? []).map(({ fieldName }: any) => fieldName)
  const groups = (schema.groups ?? []).flatMap(({ conditions }: any) => conditions)
  return [...properties, ...groups.flatMap((group: any) => propertiesOf(group.schema))]
}
