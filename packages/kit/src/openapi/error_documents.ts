import { MEDIA_TYPE } from '#json_api/media_types'
import type { Schema } from '#openapi/describe'
import { anyObject, listOf, object, open, text, texts } from '#openapi/schemas'

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const jsonApiError = object(
  { status: { type: 'string', pattern: '^[45]\\d\\d$' }, title: text },
  { code: text, detail: text, source: anyObject, links: anyObject, meta: anyObject }
)

export const ERROR_SCHEMAS: Record<string, Schema> = {
  Refusal: {
    ...object(texts('error', 'error_description'), { sign_in: text }),
    description: 'A refusal (RFC 6749 §5.2)',
  },
  ValidationErrors: {
    ...object({
      errors: listOf(open(['field', 'rule', 'message'], texts('field', 'rule', 'message'))),
    }),
    description: 'Fields that are not valid',
  },
  Message: { ...open(['message'], { message: text }), description: 'Any other error' },
  JsonApiErrors: {
    ...object({ errors: { ...listOf(jsonApiError), minItems: 1 } }),
    description: 'Errors of JSON:API',
  },
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds until the next attempt',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$' },
  },
}

/** The status of each error, what it means, and its headers. */
const ERRORS = {
  Unauthenticated: ['401', 'Nobody is signed in, or the credentials are wrong', {}],
  Forbidden: ['403', 'The caller may not do this', {}],
  Malformed: ['400', 'A parameter is missing or not valid', {}],
  Invalid: ['422', 'A field is not valid', {}],
  TooMany: ['429', 'Too many attempts', RETRY_AFTER],
  Unavailable: ['503', 'The server is busy', RETRY_AFTER],
  Failure: ['default', 'Any other error', {}],
} as const

export type ErrorName = keyof typeof ERRORS

/** All errors as responses; those of JSON:API routes have a name of their own. */
export function errorResponses(): Record<string, Schema> {
  const plain = { schema: { anyOf: ['Refusal', 'ValidationErrors', 'Message'].map(reference) } }
  const jsonApi = { [MEDIA_TYPE]: { schema: reference('JsonApiErrors') } }
  return Object.fromEntries(
    Object.entries(ERRORS).flatMap(([name, [, description, headers]]) => [
      [name, { description, headers, content: { 'application/json': plain, ...jsonApi } }],
      [`JsonApi${name}`, { description, headers, content: jsonApi }],
    ])
  )
}

export function errorReferences(names: readonly ErrorName[], isJsonApi: boolean) {
  const prefix = isJsonApi ? 'JsonApi' : ''
  return Object.fromEntries(
    names.map((name) => [ERRORS[name][0], { $ref: `#/components/responses/${prefix}${name}` }])
  )
}
