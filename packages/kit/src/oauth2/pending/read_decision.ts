import type { HttpContext } from '@adonisjs/core/http'

import { InvalidRequest } from '#auth/errors'
import type { Decision } from '#oauth2/authorize/code_issuer'
import { readJsonObject } from '#oauth2/parameters'

/** A decision of a page that is shown again, with what was ticked on it. */
export interface RefusedDecision {
  problem: string
  ticked: readonly string[]
}

/**
 * What a person decided, from JSON or from the consent page's form. In the form a
 * scope that is not ticked is not allowed; JSON without `scopes` allows all.
 *
 * @throws {InvalidRequest} for a malformed body
 */
export function readDecision({ request }: HttpContext): Decision {
  if (request.is(['application/x-www-form-urlencoded'])) {
    const { scopes = [], context: choice } = request.body()
    return {
      scopes: toScopes(scopes),
      ...(choice !== undefined && { choice: typeof choice === 'string' ? choice : '' }),
    }
  }
  const { scopes, context } = readJsonObject(request)
  return {
    ...(scopes !== undefined && scopes !== null && { scopes: toScopes(scopes) }),
    context: context as Decision['context'],
  }
}

function toScopes(value: unknown): string[] {
  if (!Array.isArray(value) || !value.every((scope) => typeof scope === 'string')) {
    throw new InvalidRequest('The member scopes must be a list of texts.')
  }
  return [...new Set<string>(value)]
}
