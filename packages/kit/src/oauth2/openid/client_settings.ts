import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { destinationOf } from '#oauth2/authorize/destination'
import { parseDocumentUrl } from '#oauth2/clients/documents/document_url'
import { assertRedirectUri } from '#oauth2/clients/redirect_uri'
import type { ResolvedOpenIdConfig } from '#oauth2/openid/config'
import type { ClientOpenId } from '#oauth2/openid/client_openid'

/** What a registration says about them. */
export interface OpenIdRegistration {
  postLogoutRedirectUris?: string[]
  backchannelLogoutUri?: string | null
  /** Whether users get subjects that no other client knows. Default false. */
  pairwise?: boolean
}

/**
 * What a client has of OpenID Connect, checked; null when the registration says nothing of it.
 *
 * @throws {InvalidArgumentsException} for a URI that is not acceptable, or pairwise subjects over several hosts
 */
export function toClientOpenId(
  {
    postLogoutRedirectUris = [],
    backchannelLogoutUri = null,
    pairwise = false,
  }: OpenIdRegistration,
  client: { id: string; redirectUris: readonly string[] }
): ClientOpenId | null {
  if (!postLogoutRedirectUris.length && backchannelLogoutUri === null && !pairwise) {
    return null
  }
  postLogoutRedirectUris.forEach(assertRedirectUri)
  if (backchannelLogoutUri !== null && !parseDocumentUrl(backchannelLogoutUri)) {
    throw new InvalidArgumentsException(
      `The back-channel logout URI "${backchannelLogoutUri}" must be an https URL with a host name and a path, without query and fragment`
    )
  }
  return {
    postLogoutRedirectUris: [...new Set(postLogoutRedirectUris)],
    backchannelLogoutUri,
    pairwiseSector: pairwise ? sectorOf(client) : null,
  }
}

/** @throws {InvalidArgumentsException} for pairwise subjects where nothing is there to make them with */
export function assertServed(
  registration: OpenIdRegistration | undefined,
  config: Pick<ResolvedOpenIdConfig, 'pairwiseSalt'>
): void {
  if (registration?.pairwise && config.pairwiseSalt === null) {
    throw new InvalidArgumentsException('Pairwise subjects need a salt: set OAUTH_PAIRWISE_SALT')
  }
}

/** A program on the person's own computer shares its address with every other one: it is a sector by itself. */
function sectorOf({ id, redirectUris }: { id: string; redirectUris: readonly string[] }): string {
  const destinations = redirectUris.map(destinationOf)
  if (!destinations.every(({ kind }) => kind === 'web')) {
    return id
  }
  const [host = id, ...others] = new Set(destinations.map((destination) => destination.host))
  if (others.length) {
    throw new InvalidArgumentsException(
      'Pairwise subjects need redirect URIs of one host (OpenID Connect Core 1.0 §8.1)'
    )
  }
  return host
}
