import { assertArgument } from '#config/checks'
import { InvalidClientMetadata } from '#auth/errors'
import { type Client, MAX_URIS, MAX_URI_LENGTH } from '#oauth2/clients/client'
import { assertRedirectUri, destinationOf } from '#oauth2/clients/redirect_uri'
import { parseDocumentUrl } from '#oauth2/clients/documents/client_urls'

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
  assertArgument(
    backchannelLogoutUri === null || parseDocumentUrl(backchannelLogoutUri) !== null,
    `The back-channel logout URI "${backchannelLogoutUri}" must be an https URL with a host name and a path, without query and fragment`
  )
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
  assertArgument(
    !others.length,
    'Pairwise subjects need redirect URIs of one host (OpenID Connect Core 1.0 §8.1)'
  )
  return parseDocumentUrl(id)?.host ?? host
}

/**
 * What a client says of itself (OpenID Connect Dynamic Client Registration 1.0 §2, RP-Initiated
 * Logout 1.0 §3.1, Back-Channel Logout 1.0 §2.2).
 * @param pairwise whether clients can have pairwise subjects here
 * @throws {InvalidClientMetadata} when a member is malformed or cannot be served
 */
export function readOpenIdMetadata(
  members: Record<string, unknown>,
  redirectUris: readonly string[],
  pairwise: boolean
): OpenIdRegistration {
  if (pairwise && (members.sector_identifier_uri ?? null) !== null) {
    /* It must list the redirect URIs (§5), and nobody fetches it. */
    throw new InvalidClientMetadata('A sector_identifier_uri is not supported.')
  }
  const registration = {
    postLogoutRedirectUris: readUris(members.post_logout_redirect_uris),
    backchannelLogoutUri: readUri(members.backchannel_logout_uri),
    pairwise: readSubjectType(members.subject_type, pairwise),
  }
  try {
    toClientOpenId(registration, { id: '', redirectUris })
  } catch {
    throw new InvalidClientMetadata(
      'The logout URIs are not acceptable, or pairwise subjects were asked for with redirect URIs of several hosts.'
    )
  }
  return registration
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

function readUris(given: unknown): string[] {
  const value = given ?? []
  if (!Array.isArray(value) || value.length > MAX_URIS) {
    throw new InvalidClientMetadata('The post_logout_redirect_uris must be a short list of texts.')
  }
  return value.map((uri) => readUri(uri) ?? '')
}

function readUri(given: unknown): string | null {
  const value = given ?? null
  if (value !== null && (typeof value !== 'string' || value.length > MAX_URI_LENGTH)) {
    throw new InvalidClientMetadata('A logout URI must be a text that is not too long.')
  }
  return value as string | null
}

function readSubjectType(given: unknown, pairwise: boolean): boolean {
  const value = given ?? 'public'
  if (value !== 'public' && !(value === 'pairwise' && pairwise)) {
    throw new InvalidClientMetadata('The subject_type is not one of subject_types_supported.')
  }
  return value === 'pairwise'
}
