import type { HttpContext } from '@adonisjs/core/http'

import { InvalidClientMetadata, InvalidRedirectUri } from '#auth/errors'
import { toSeconds } from '#database/records'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { hasPrivateMembers, readRegisteredKeys } from '#oauth2/clients/assertions'
import { Client, isClientName } from '#oauth2/clients/client'
import { authMethodsOf } from '#oauth2/clients/client_authentication'
import { assertRedirectUri } from '#oauth2/clients/client_urls'
import { freshFor } from '#oauth2/clients/documents/fetches'
import { purgeAtOf } from '#oauth2/clients/unused_clients'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { describeOpenId, toClientOpenId } from '#oauth2/openid/client_settings'
import { isObject } from '#process/objects'
import { assertOr } from '#process/assert_or'

/** What a client that nobody here registered can get: no tokens that no user approved. */
const GRANT_TYPES = ['authorization_code', 'refresh_token']

/** More addresses of a kind, and longer ones, than a client has a use for. */
const MAX_URIS = 50
const MAX_URI_LENGTH = 2000

/** Secret members, which a public document must not contain (§4.1). */
const SECRETS = ['client_secret', 'client_secret_expires_at']

type MetadataRules = Pick<ResolvedOAuth2Config, 'clientAssertions' | 'pushedRequests' | 'openid'>

type Members = Record<string, unknown>

/** What a client says about itself (RFC 7591 §2), as far as it has a meaning here. */
export type ClientMetadata = ReturnType<typeof readClientMetadata>

/**
 * Reads the metadata of a client that nobody here registered. Other members are
 * ignored (RFC 7591 §2), `scope` among them: the user decides about scopes.
 * @returns name and method are null when the client gives none; `openid` is left out while that is off
 * @throws {InvalidRedirectUri} when there is no redirect URI, or one that the command would refuse
 * @throws {InvalidClientMetadata} when another member is malformed, or the client has no use for codes
 */
export function readClientMetadata(
  members: Members,
  { clientAssertions, pushedRequests, openid }: MetadataRules
) {
  const responseTypes = read(members, 'response_types', isTextList, 'be a list of texts')
  const getsCodes = responseTypes === null || responseTypes.includes('code')
  assertMetadata(getsCodes, 'The response_types must have code.')
  const grantTypes = read(members, 'grant_types', isTextList, 'be a list of texts') ?? GRANT_TYPES
  const usesCodes = grantTypes.includes('authorization_code')
  assertMetadata(usesCodes, 'The grant_types must have authorization_code.')
  const name = read(members, 'client_name', isName, 'have 1 to 255 visible characters')
  const redirectUris = readRedirectUris(members.redirect_uris)
  const authMethod = read(members, 'token_endpoint_auth_method', isText, 'be a text')
  const pushes = read(members, 'require_pushed_authorization_requests', isFlag, 'be true or false')
  const pairwise = openid.pairwiseSalt !== null
  const usesKeys = clientAssertions && authMethod === 'private_key_jwt'
  const keys = usesKeys ? readRegisteredKeys(members) : null
  assertMetadata(typeof keys !== 'string', String(keys))
  return {
    name,
    redirectUris,
    grantTypes: GRANT_TYPES.filter((grantType) => grantTypes.includes(grantType)),
    authMethod,
    /* Otherwise the client could make no request. */
    requirePushed: pushes === true && pushedRequests.enabled,
    keys,
    ...(openid.enabled && { openid: readOpenId(members, redirectUris, pairwise) }),
  }
}

/**
 * What a client says of itself in OpenID Connect (Dynamic Client Registration 1.0 §2, RP-Initiated
 * Logout 1.0 §3.1, Back-Channel Logout 1.0 §2.2).
 * @param pairwise whether clients can have pairwise subjects here
 */
function readOpenId(members: Members, redirectUris: string[], pairwise: boolean) {
  /* It must list the redirect URIs (§5), and nobody fetches it. */
  const hasSector = pairwise && (members.sector_identifier_uri ?? null) !== null
  assertMetadata(!hasSector, 'A sector_identifier_uri is not supported.')
  const { subject_type: subjectType = null } = members
  const isKnown = [null, 'public', ...(pairwise ? ['pairwise'] : [])].includes(
    subjectType as string
  )
  assertMetadata(isKnown, 'The subject_type is not one of subject_types_supported.')
  const uris = read(members, 'post_logout_redirect_uris', areUris, 'be a short list of short texts')
  const registration = {
    postLogoutRedirectUris: uris ?? [],
    backchannelLogoutUri: read(members, 'backchannel_logout_uri', isUri, 'be a short text'),
    pairwise: subjectType === 'pairwise',
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
 * The client that a document describes (draft-ietf-oauth-client-id-metadata-document-02 §4).
 * @param maxAge seconds for which the document may be kept, as its headers say
 * @throws {InvalidClientMetadata | InvalidRedirectUri} when it does not describe a client that works here
 */
export function readClientDocument(
  id: string,
  members: unknown,
  maxAge: number,
  rules: MetadataRules
): Client {
  assertMetadata(isObject(members), 'The document must be a JSON object.')
  assertMetadata(members.client_id === id, 'The client_id must be the URL of the document.')
  const { keys: published } = Object(members.jwks)
  const hasPrivateKey = Array.isArray(published) && published.some(hasPrivateMembers)
  const isPublic = !hasPrivateKey && !SECRETS.some((secret) => Object.hasOwn(members, secret))
  assertMetadata(isPublic, 'The document must not have secrets.')
  const { name, authMethod, keys, openid, ...metadata } = readClientMetadata(members, rules)
  assertMetadata(name !== null, 'The client_name is missing.')
  const unusable = `The token_endpoint_auth_method must be ${rules.clientAssertions ? 'private_key_jwt or ' : ''}none.`
  assertMetadata(authMethod === null || authMethod === 'none' || keys !== null, unusable)
  const now = Date.now()
  return new Client({
    id,
    name,
    ...keys,
    ...metadata,
    scopes: [],
    createdAt: now,
    source: 'document',
    documentExpiresAt: now + freshFor(maxAge),
    purgeAt: purgeAtOf(now),
    openid: openid && toClientOpenId(openid, { id, redirectUris: metadata.redirectUris }),
  })
}

/**
 * Registers a client by what it says itself (RFC 7591). Every request counts against the address of
 * its caller, because each may leave a row.
 * @returns what the client is told (RFC 7591 §3.2.1), instants in epoch seconds
 * @throws {Throttled} when there were too many
 * @throws {InvalidRedirectUri | InvalidClientMetadata} when the metadata are not acceptable
 */
export async function registerClient(
  { config, manager, clients, catalogue, keys }: AuthorizationServer,
  ctx: HttpContext,
  members: Members
) {
  await manager.feature('throttle')?.penalize('clientRegistrations', null, ctx)

  const metadata = readClientMetadata(members, config)
  const authMethod = metadata.authMethod ?? 'client_secret_basic'
  const methods = authMethodsOf(config)
  const unsupported = `The token_endpoint_auth_method must be one of ${methods.join(', ')}.`
  assertMetadata(methods.includes(authMethod), unsupported)
  const [client, secret] = await clients.registerDynamically(metadata, authMethod !== 'none')
  await keys.ready()
  return {
    client_id: client.id,
    client_id_issued_at: toSeconds(client.createdAt),
    /* 0: the secret does not expire. */
    ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    response_types: ['code'],
    token_endpoint_auth_method: authMethod,
    ...(client.requirePushed && { require_pushed_authorization_requests: true }),
    /* No client is held to its proofs, so that one that asks for it (RFC 9449 §5.2) has to know. */
    ...(members.dpop_bound_access_tokens === true && { dpop_bound_access_tokens: false }),
    ...(client.jwks && { jwks: { keys: client.jwks } }),
    ...(client.jwksUri !== null && { jwks_uri: client.jwksUri }),
    ...(config.openid.enabled && describeOpenId(client, keys.signingAlgorithm)),
    ...(catalogue.names.length && { scope: catalogue.offered(client.grantTypes).join(' ') }),
  }
}

function readRedirectUris(uris: unknown): string[] {
  const isList = isTextList(uris) && uris.length > 0
  assertOr(isList, InvalidRedirectUri, 'The redirect_uris must be a list of at least one URI.')
  assertOr(areUris(uris), InvalidRedirectUri, 'The redirect_uris are too many or too long.')
  try {
    uris.forEach(assertRedirectUri)
  } catch {
    throw new InvalidRedirectUri(
      'A redirect URI must be absolute, without fragment, wildcard and user name, and https, http on loopback, or of a private-use scheme.'
    )
  }
  return [...new Set(uris)]
}

function read<Value>(
  members: Members,
  name: string,
  isKind: (value: unknown) => value is Value,
  rule: string
): Value | null {
  const value = members[name] ?? null
  assertMetadata(value === null || isKind(value), `The ${name} must ${rule}.`)
  return value as Value | null
}

function assertMetadata(isRight: boolean, complaint: string): asserts isRight {
  assertOr(isRight, InvalidClientMetadata, complaint)
}

const isText = (value: unknown) => typeof value === 'string'
const isFlag = (value: unknown) => typeof value === 'boolean'
const isName = (value: unknown): value is string => isText(value) && isClientName(value)
const isUri = (value: unknown): value is string => isText(value) && value.length <= MAX_URI_LENGTH
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText)
const areUris = (value: unknown): value is string[] =>
  isTextList(value) && value.length <= MAX_URIS && value.every(isUri)
