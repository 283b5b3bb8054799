import { assertArgument, positiveNumber } from '#config/checks'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { NewClient } from '#oauth2/clients/clients'
import { assertRedirectUri } from '#oauth2/clients/redirect_uri'
import type { OpenIdRegistration } from '#oauth2/openid/client_settings'
import { type ScopeCatalogue, ANY_SCOPE } from '#oauth2/scopes'

/** No control characters, and none that are invisible or turn the text around: zero-width, bidirectional, fillers. */
const NAME =
  /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]{1,255}$/u

/** Whether a text can be the name of a client: 1 to 255 characters that everybody can see. */
export function isClientName(text: string): boolean {
  return NAME.test(text) && text.trim() !== ''
}

/** Checks what the command or code registers a client with. @throws {InvalidArgumentsException} */
export function assertRegistrable(
  { name, redirectUris, grantTypes, scopes, provider, refreshGracePeriod }: NewClient,
  openid: OpenIdRegistration | undefined,
  { grants, catalogue, manager, config }: AuthorizationServer
): void {
  assertArgument(isClientName(name), 'A client needs a name of 1 to 255 visible characters')
  redirectUris.forEach(assertRedirectUri)
  const unknown = grantTypes.find((grantType) => !grants.identifiers.includes(grantType))
  assertArgument(
    unknown === undefined,
    `There is no grant type "${unknown}". Use ${grants.identifiers.join(', ')}`
  )
  assertArgument(
    !scopes.includes(ANY_SCOPE),
    'A client must never be given the scope "*": it satisfies every scope check'
  )
  const foreign = scopes.find((scope) => !isKnown(scope, catalogue))
  assertArgument(
    foreign === undefined,
    `The scope "${foreign}" is not in the scope catalogue of config/scopes.ts`
  )
  const hasUsers = typeof provider !== 'string' || manager.hasUsers(provider)
  assertArgument(hasUsers, `There is no user provider "${provider}" in config/auth.ts`)
  const hasSalt = !openid?.pairwise || config.openid.pairwiseSalt !== null
  assertArgument(hasSalt, 'Pairwise subjects need a salt: set OAUTH_PAIRWISE_SALT')
  if (typeof refreshGracePeriod === 'number') {
    const rule = { whole: true, orZero: true }
    positiveNumber('Client', 'refreshGracePeriod', refreshGracePeriod, rule)
  }
}

function isKnown(scope: string, catalogue: ScopeCatalogue): boolean {
  try {
    catalogue.assertKnown([scope])
    return true
  } catch {
    return false
  }
}
