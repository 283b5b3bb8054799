import { InvalidClientMetadata, InvalidRedirectUri } from '#auth/errors'
import { type RegisteredKeys, readRegisteredKeys } from '#oauth2/clients/assertions/registered_keys'
import { isClientName } from '#oauth2/clients/client_name'
import { assertRedirectUri } from '#oauth2/clients/redirect_uri'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { readOpenIdMetadata } from '#oauth2/openid/client_registration'
import type { OpenIdRegistration } from '#oauth2/openid/client_settings'

/**
 * What a client that nobody here registered can get. Client credentials are not
 * among it: a stranger would get tokens that no user approved.
 */
const GRANT_TYPES = ['authorization_code', 'refresh_token']

/** More redirect URIs than a client has a use for. */
const MAX_REDIRECT_URIS = 50
const MAX_URI_LENGTH = 2000

/** What of the configuration says what such clients can have. */
export type MetadataRules = Pick<
  ResolvedOAuth2Config,
  'clientAssertions' | 'pushedRequests' | 'openid'
>

/** What a client says about itself (RFC 7591 §2), as far as it has a meaning here. */
export interface ClientMetadata {
  /** null when it gives none. */
  name: string | null
  redirectUris: string[]
  grantTypes: string[]
  /** null when it gives none. */
  authMethod: string | null
  /** What it says of OpenID Connect, where that is on. */
  openid?: OpenIdRegistration
  /** Whether it makes no authorization request but by pushing it (RFC 9126 §6). */
  requirePushed: boolean
  /** null unless it authenticates by `private_key_jwt`. */
  keys: RegisteredKeys | null
}

/**
 * Reads the metadata of a client that nobody here registered. Other members are
 * ignored (RFC 7591 §2), `scope` among them: the user decides about scopes.
 *
 * @throws {InvalidRedirectUri} when there is no redirect URI, or one that the command would refuse
 * @throws {InvalidClientMetadata} when another member is malformed, or the client has no use for codes
 */
export function readClientMetadata(
  members: Record<string, unknown>,
  { clientAssertions, pushedRequests, openid }: MetadataRules
): ClientMetadata {
  const responseTypes = readList(members, 'response_types') ?? ['code']
  if (!responseTypes.includes('code')) {
    throw new InvalidClientMetadata('The response_types must have code.')
  }
  const grantTypes = readList(members, 'grant_types') ?? GRANT_TYPES
  if (!grantTypes.includes('authorization_code')) {
    throw new InvalidClientMetadata('The grant_types must have authorization_code.')
  }
  const name = readName(members.client_name)
  const redirectUris = readRedirectUris(members.redirect_uris)
  const authMethod = readText(members, 'token_endpoint_auth_method')
  return {
    name,
    redirectUris,
    grantTypes: GRANT_TYPES.filter((grantType) => grantTypes.includes(grantType)),
    authMethod,
    /* A client that wanted no other requests could make none. */
    requirePushed:
      readFlag(members, 'require_pushed_authorization_requests') && pushedRequests.enabled,
    keys: clientAssertions && authMethod === 'private_key_jwt' ? readKeys(members) : null,
    ...(openid.enabled && {
      openid: readOpenIdMetadata(members, redirectUris, openid.pairwiseSalt !== null),
    }),
  }
}

function readKeys(members: Record<string, unknown>): RegisteredKeys {
  const keys = readRegisteredKeys(members)
  if (typeof keys === 'string') {
    throw new InvalidClientMetadata(keys)
  }
  return keys
}

function readName(name: unknown): string | null {
  if (isAbsent(name)) {
    return null
  }
  if (typeof name !== 'string' || !isClientName(name)) {
    throw new InvalidClientMetadata('The client_name must have 1 to 255 visible characters.')
  }
  return name
}

function readRedirectUris(uris: unknown): string[] {
  if (!isTextList(uris) || !uris.length) {
    throw new InvalidRedirectUri('The redirect_uris must be a list of at least one URI.')
  }
  if (uris.length > MAX_REDIRECT_URIS || uris.some((uri) => uri.length > MAX_URI_LENGTH)) {
    throw new InvalidRedirectUri('The redirect_uris are too many or too long.')
  }
  try {
    uris.forEach(assertRedirectUri)
  } catch {
    throw new InvalidRedirectUri(
      'A redirect URI must be absolute, without fragment, wildcard and user name, and https, http on loopback, or of a private-use scheme.'
    )
  }
  return [...new Set(uris)]
}

/** A list of texts; null when it is absent. */
function readList(members: Record<string, unknown>, name: string): string[] | null {
  const value = members[name]
  if (isAbsent(value)) {
    return null
  }
  if (!isTextList(value)) {
    throw new InvalidClientMetadata(`The ${name} must be a list of texts.`)
  }
  return value
}

/** A text; null when it is absent. */
function readText(members: Record<string, unknown>, name: string): string | null {
  const value = members[name]
  if (isAbsent(value)) {
    return null
  }
  if (typeof value !== 'string') {
    throw new InvalidClientMetadata(`The ${name} must be a text.`)
  }
  return value
}

/** A boolean; false when it is absent. */
function readFlag(members: Record<string, unknown>, name: string): boolean {
  const value = members[name] ?? false
  if (typeof value !== 'boolean') {
    throw new InvalidClientMetadata(`The ${name} must be true or false.`)
  }
  return value
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
