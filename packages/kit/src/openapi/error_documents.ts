import { MEDIA_TYPE } from '#json_api/media_types'
import { listOf, object, text } from '#openapi/describe'
import type { Schema } from '#openapi/types'

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** The forms that errors have. */
export const ERROR_SCHEMAS: Record<string, Schema> = {
  Refusal: {
    ...object({ error: text, error_description: text }),
    description: 'A refusal (RFC 6749 §5.2)',
  },
  ValidationErrors: {
    ...object({
      errors: listOf({
        type: 'object',
        properties: { field: text, rule: text, message: text },
        required: ['field', 'rule', 'message'],
      }),
    }),
    description: 'Fields that are not valid',
  },
  Message: {
    type: 'object',
    properties: { message: text },
    required: ['message'],
    description: 'Any other error',
  },
  JsonApiErrors: {
    ...object({
      errors: {
        ...listOf({
          ...object(
            { status: { type: 'string', pattern: '^[45]\\d\\d$' }, title: text },
            {
              code: text,
              detail: text,
              source: { type: 'object' },
              links: { type: 'object' },
              meta: { type: 'object' },
            }
          ),
        }),
        minItems: 1,
      },
    }),
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

const ERRORS = {
  Unauthenticated: {
    description: 'Nobody is signed in, or the credentials are wrong',
    headers: {},
  },
  Forbidden: { description: 'The caller may not do this', headers: {} },
  Invalid: { description: 'A field is not valid', headers: {} },
  TooMany: { description: 'Too many attempts', headers: RETRY_AFTER },
  Unavailable: { description: 'The server is busy', headers: RETRY_AFTER },
  Failure: { description: 'Any other error', headers: {} },
} as const

export type ErrorName = keyof typeof ERRORS

const STATUSES: Record<ErrorName, string> = {
  Unauthenticated: '401',
  Forbidden: '403',
  Invalid: '422',
  TooMany: '429',
  Unavailable: '503',
  Failure: 'default',
}

/** All errors as responses; those of JSON:API routes have a name of their own. */
export function errorResponses(): Record<string, Schema> {
  const plain = { schema: { anyOf: ['Refusal', 'ValidationErrors', 'Message'].map(ref) } }
  const jsonApi = { [MEDIA_TYPE]: { schema: ref('JsonApiErrors') } }
  return Object.fromEntries(
    Object.entries(ERRORS).flatMap(([name, { description, headers }]) => [
      [name, { description, headers, content: { 'application/json': plain, ...jsonApi } }],
      [`JsonApi${name}`, { description, headers, content: jsonApi }],
    ])
  )
}

/** References to errors by their status. */
export function errorReferences(names: readonly ErrorName[], isJsonApi: boolean) {
  const prefix = isJsonApi ? 'JsonApi' : ''
  return Object.fromEntries(
    names.map((name) => [STATUSES[name], { $ref: `#/components/responses/${prefix}${name}` }])
  )
}
