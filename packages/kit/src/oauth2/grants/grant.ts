import { InvalidGrant, InvalidTarget, UnauthorizedClient } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import type { ClientCredentials, ClientRequest } from '#oauth2/clients/client_authentication'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { ServerPart } from '#oauth2/server_part'
import { splitScopes } from '#oauth2/scopes'
import type { TokenResponse } from '#oauth2/tokens/token_issuer'
import { assertOr } from '#process/assert_or'

/**
 * A way to obtain tokens (RFC 6749 §1.3). Your own are added by the setting `grants`, or by
 * `server.grants.register()` when a provider boots, and enabled by the setting `grantTypes`.
 */
export interface Grant {
  /** The `grant_type` that names it. */
  readonly identifier: string

  /** @throws {AuthError} when the tokens are not granted */
  handle(request: ClientRequest): Promise<TokenResponse>
}

export type GrantSource =
  (new (server: AuthorizationServer) => Grant) | ((server: AuthorizationServer) => Grant)

/** A request without a client may use every enabled grant. */
export function mayUse(config: ResolvedOAuth2Config, client: Client | null, grantType: string) {
  return config.grantTypes.includes(grantType) && (client === null || client.allowsGrant(grantType))
}

/** @throws {UnauthorizedClient} when the client may not use the grant */
export function assertMayUse(
  config: ResolvedOAuth2Config,
  client: Client | null,
  grantType: string
) {
  const isAllowed = mayUse(config, client, grantType)
  assertOr(isAllowed, UnauthorizedClient, 'The grant is not allowed to this client.')
}

/** The client of a grant for confidential ones. @throws {InvalidClient | UnauthorizedClient} */
export async function authenticateConfidential(
  { config, authentication }: AuthorizationServer,
  request: ClientRequest,
  grantType: string
): Promise<Client> {
  const client = await authentication.authenticate(request)
  assertOr(client.confidential, UnauthorizedClient, 'A public client cannot use this grant.')
  assertMayUse(config, client, grantType)
  return client
}

/** The scopes and the resource that a request asks for, as far as its client may have them. */
export function requestedAccess(
  { catalogue, config }: AuthorizationServer,
  { parameters }: ClientRequest,
  client: Client | null
) {
  return {
    scopes: catalogue.resolve(splitScopes(parameters.get('scope') ?? ''), client),
    resource: config.served.resolve(parameters.get('resource')),
  }
}

/** A confidential client acts for itself (RFC 6749 §4.4); no refresh token goes with the token (§4.4.3). */
export class ClientCredentialsGrant extends ServerPart implements Grant {
  readonly identifier = 'client_credentials'

  async handle(request: ClientRequest) {
    const { dpop, issuance } = this.server
    const client = await authenticateConfidential(this.server, request, this.identifier)
    const access = requestedAccess(this.server, request, client)
    const binding = await dpop.bind(request, client)
    const granted = { user: null, clientId: client.id, ...access, binding }
    return issuance.issue(this.identifier, granted, false)
  }
}

/** A request may repeat the resource of what it presents, and name no other (RFC 8707 §2.2). */
export function assertResource(
  { config }: AuthorizationServer,
  { parameters }: ClientRequest,
  resource: string | null,
  presented: 'code' | 'device_code' | 'assertion'
) {
  const named = config.served.resolve(parameters.get('resource'))
  const isSame = named === null || named === resource
  assertOr(isSame, InvalidTarget, `The resource is not that of the ${presented}.`)
}

export type AssertGrant = (isRight: unknown, reason: string) => asserts isRight

/** Refuses in the same words for every reason: a caller cannot find out what exists. */
export function grantAssertion(description: string): AssertGrant {
  return (isRight, reason) => assertOr(isRight, InvalidGrant, description, { reason })
}

/** Whether a request names no client, as it may for tokens of the password grant. */
export function isAnonymous({ id, secret }: ClientCredentials): boolean {
  return id === null && secret === null
}
