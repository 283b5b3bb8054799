import { InvalidClientMetadata } from '#auth/errors'
import type { Client } from '#oauth2/clients/client'
import { type OpenIdRegistration, toClientOpenId } from '#oauth2/openid/client_settings'

/** More addresses than a client has a use for. */
const MAX_URIS = 50
const MAX_URI_LENGTH = 2000

/**
 * What a client that nobody here registered says of OpenID Connect (OpenID
 * Connect Dynamic Client Registration 1.0 §2, RP-Initiated Logout 1.0 §3.1,
 * Back-Channel Logout 1.0 §2.2).
 *
 * @param pairwise whether clients can have pairwise subjects here
 * @throws {InvalidClientMetadata} when a member is malformed or cannot be served
 */
export function readOpenIdMetadata(
  members: Record<string, unknown>,
  redirectUris: readonly string[],
  pairwise: boolean
): OpenIdRegistration {
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

/** The members that a registered client is told (RFC 7591 §3.2.1). */
export function describeOpenId({ openid }: Client) {
  return {
    subject_type: openid?.pairwiseSector ? 'pairwise' : 'public',
    ...(openid?.postLogoutRedirectUris.length && {
      post_logout_redirect_uris: openid.postLogoutRedirectUris,
    }),
    ...(openid?.backchannelLogoutUri && { backchannel_logout_uri: openid.backchannelLogoutUri }),
  }
}

function readUris(value: unknown = []): string[] {
  if (!Array.isArray(value) || value.length > MAX_URIS) {
    throw new InvalidClientMetadata('The post_logout_redirect_uris must be a short list of texts.')
  }
  return value.map((uri) => readUri(uri) ?? '')
}

function readUri(value: unknown = null): string | null {
  if (value !== null && (typeof value !== 'string' || value.length > MAX_URI_LENGTH)) {
    throw new InvalidClientMetadata('A logout URI must be a text that is not too long.')
  }
  return value as string | null
}

function readSubjectType(value: unknown = 'public', pairwise: boolean): boolean {
  if (value !== 'public' && !(value === 'pairwise' && pairwise)) {
    throw new InvalidClientMetadata('The subject_type is not one of subject_types_supported.')
  }
  return value === 'pairwise'
}
