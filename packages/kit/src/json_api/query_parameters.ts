import type { HttpRequest } from '@adonisjs/core/http'

import { InvalidParameter } from '#json_api/errors'
import { MEMBER_NAME } from '#json_api/field_names'

/** What every endpoint that returns a resource understands. */
const ALWAYS_KNOWN = ['include', 'fields']

const RESERVED_NAME = /^[a-z]*$/

/** Members that the query parser drops, because they would lead to a prototype. */
const UNSAFE_MEMBER = /\[(__proto__|constructor|prototype|hasOwnProperty|toString|valueOf)\]/

/**
 * Refuses unknown query parameters of small letters alone, which belong to the specification
 * (JSON:API 1.1, Implementation-Specific Query Parameters), and a name that is given with and
 * without a member below it: of `filter[a]` and `filter[a][in]`, parsing would lose one.
 *
 * @param known families that the endpoint understands besides `include` and `fields`
 * @throws {InvalidParameter} 400
 */
export function assertQueryParameters(request: HttpRequest, known: readonly string[]) {
  const parameters = [...new URLSearchParams(request.parsedUrl.query ?? '').keys()]
  for (const parameter of parameters) {
    const [name = ''] = parameter.split('[', 1)
    const isKnown = ALWAYS_KNOWN.includes(name) || known.includes(name)
    const isForeign = !isKnown && (RESERVED_NAME.test(name) || !MEMBER_NAME.test(name))
    const shown = parameter.slice(0, 100)
    if (isForeign || UNSAFE_MEMBER.test(parameter)) {
      throw new InvalidParameter(shown, 'This endpoint has no such query parameter.')
    }
    if (isKnown && parameters.some((other) => other.startsWith(`${parameter}[`))) {
      throw new InvalidParameter(shown, 'It is given with and without a member in brackets.')
    }
  }
}

/** The texts of a parameter, which AdonisJS parses to one or to an array. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') {
    return [value]
  }
  return Array.isArray(value) ? value.flatMap(textsOf) : []
}

/**
 * The members of a comma-separated list. AdonisJS parses `a,b` to an array and
 * `a%2Cb` to one text; all spellings give the same names.
 */
export function listValues(value: unknown): string[] {
  return textsOf(value).flatMap((text) => text.split(',').map((name) => name.trim()))
}
