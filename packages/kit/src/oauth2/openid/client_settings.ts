import { assertArgument } from '#config/checks'
import type { Client } from '#oauth2/clients/client'
import {
  assertRedirectUri,
  destinationOf,
  parseDocumentUrl,
  parseOutgoingUrl,
} from '#oauth2/clients/client_urls'

export type ClientOpenId = {
  /** Where a person may be sent after a logout that the client asked for. */
  postLogoutRedirectUris: readonly string[]
  /** Where the client hears of the end of a session; null when it does not want to. */
  backchannelLogoutUri: string | null
  /** Who shares pairwise subjects: a host, or the client's id (Core §8.1); null for public ones. */
  pairwiseSector: string | null
}

export interface OpenIdRegistration {
  postLogoutRedirectUris?: string[]
  backchannelLogoutUri?: string | null
  /** Whether users get subjects that no other client knows. Default false. */
  pairwise?: boolean
}

/** Checked; null when the registration says nothing of it. @throws {InvalidArgumentsException} */
export function toClientOpenId(
  registration: OpenIdRegistration,
  client: { id: string; redirectUris: readonly string[] }
): ClientOpenId | null {
  const { postLogoutRedirectUris = [], backchannelLogoutUri = null, pairwise } = registration
  if (!postLogoutRedirectUris.length && backchannelLogoutUri === null && !pairwise) {
    return null
  }
  postLogoutRedirectUris.forEach(assertRedirectUri)
  const unusable = `The back-channel logout URI "${backchannelLogoutUri}" must be an https URL with a host name, without user name and fragment`
  const isUsable = backchannelLogoutUri === null || parseOutgoingUrl(backchannelLogoutUri)
  assertArgument(isUsable, unusable)
  return {
    postLogoutRedirectUris: [...new Set(postLogoutRedirectUris)],
    backchannelLogoutUri,
    pairwiseSector: pairwise ? sectorOf(client) : null,
  }
}

/**
 * A program on the person's own computer, which shares its address, is a sector by itself. The sector of a metadata document
 * is its own host: once it has tokens, it may name the redirect URIs of somebody else.
 */
function sectorOf({ id, redirectUris }: { id: string; redirectUris: readonly string[] }): string {
  const destinations = redirectUris.map(destinationOf)
  const [host = id, ...others] = new Set(destinations.map((destination) => destination.host))
  if (destinations.some(({ kind }) => kind !== 'web')) {
    return id
  }
  const ambiguous =
    'Pairwise subjects need redirect URIs of one host (OpenID Connect Core 1.0 §8.1)'
  assertArgument(!others.length, ambiguous)
  return parseDocumentUrl(id)?.host ?? host
}

/**
 * The members that a registered client is told (RFC 7591 §3.2.1).
 * @param algorithm of ID tokens, whatever the client has asked for: it expects RS256 unless told otherwise
 */
export function describeOpenId({ openid }: Client, algorithm: string) {
  return {
    id_token_signed_response_alg: algorithm,
    subject_type: openid?.pairwiseSector ? 'pairwise' : 'public',
    ...(openid?.postLogoutRedirectUris.length && {
      post_logout_redirect_uris: openid.postLogoutRedirectUris,
    }),
    ...(openid?.backchannelLogoutUri && { backchannel_logout_uri: openid.backchannelLogoutUri }),
  }
}
