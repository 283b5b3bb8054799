import type { HttpRequest } from '@adonisjs/core/http'

import { InvalidParameter } from '#json_api/errors'
import { MEMBER_NAME } from '#json_api/field_names'

/** What every endpoint that returns a resource understands. */
const ALWAYS_KNOWN = ['include', 'fields']

const RESERVED_NAME = /^[a-z]*$/

/**
 * Refuses query parameters that JSON:API does not allow (JSON:API 1.1,
 * Implementation-Specific Query Parameters): names of small letters alone belong
 * to the specification, so one that the endpoint does not understand is an error.
 *
 * @param known families that the endpoint understands besides `include` and `fields`
 * @throws {InvalidParameter} 400
 */
export function assertQueryParameters(request: HttpRequest, known: readonly string[]) {
  for (const parameter of new URLSearchParams(request.parsedUrl.query ?? '').keys()) {
    const [name = ''] = parameter.split('[', 1)
    const isKnown = ALWAYS_KNOWN.includes(name) || known.includes(name)
    if (!isKnown && (RESERVED_NAME.test(name) || !MEMBER_NAME.test(name))) {
      throw new InvalidParameter(
        parameter.slice(0, 100),
        'This endpoint has no such query parameter.'
      )
    }
  }
}

/**
 * The members of a comma-separated list. AdonisJS parses `a,b` to an array and
 * `a%2Cb` to one text; all spellings give the same names.
 */
export function listValues(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.split(',').map((name) => name.trim())
  }
  return Array.isArray(value) ? value.flatMap(listValues) : []
}
