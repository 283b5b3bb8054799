import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { positiveNumber } from '#config/checks'
import type { Services } from '#oauth2/authorization_server'
import { isClientName } from '#oauth2/clients/client_name'
import { assertRedirectUri } from '#oauth2/clients/redirect_uri'
import { ANY_SCOPE, type ScopeCatalogue } from '#oauth2/scopes'

/**
 * Checks what the command or code registers a client with.
 *
 * @throws {InvalidArgumentsException} when a value is not acceptable
 */
export function assertRegistrable(
  fields: {
    name: string
    redirectUris: string[]
    grantTypes: string[]
    scopes: string[]
    provider: string | null
  },
  { grants, catalogue, manager }: Services<'grants' | 'catalogue' | 'manager'>
): void {
  const { name, redirectUris, grantTypes, scopes, provider } = fields
  if (!isClientName(name)) {
    throw new InvalidArgumentsException('A client needs a name of 1 to 255 visible characters')
  }
  redirectUris.forEach(assertRedirectUri)
  assertGrantTypes(grantTypes, grants.identifiers)
  assertScopes(scopes, catalogue)
  if (provider !== null && !manager.hasUsers(provider)) {
    throw new InvalidArgumentsException(`There is no user provider "${provider}" in config/auth.ts`)
  }
}

/** @throws {InvalidArgumentsException} when it is no number of seconds */
export function assertGracePeriod(seconds: number | undefined): void {
  if (seconds !== undefined) {
    positiveNumber('Client', 'refreshGracePeriod', seconds, { whole: true, orZero: true })
  }
}

function assertGrantTypes(grantTypes: string[], known: string[]) {
  const unknown = grantTypes.find((grantType) => !known.includes(grantType))
  if (unknown !== undefined) {
    throw new InvalidArgumentsException(
      `There is no grant type "${unknown}". Use ${known.join(', ')}`
    )
  }
}

function assertScopes(scopes: string[], catalogue: ScopeCatalogue) {
  if (scopes.includes(ANY_SCOPE)) {
    throw new InvalidArgumentsException(
      'A client must never be given the scope "*": it satisfies every scope check'
    )
  }
  for (const scope of scopes) {
    try {
      catalogue.assertKnown([scope])
    } catch {
      throw new InvalidArgumentsException(
        `The scope "${scope}" is not in the scope catalogue of config/scopes.ts`
      )
    }
  }
}
