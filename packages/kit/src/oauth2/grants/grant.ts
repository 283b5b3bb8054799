import { UnauthorizedClient } from '#auth/errors'
import type { AuthManager } from '#auth/manager'
import type { Client } from '#oauth2/clients/client'
import type { ClientAuthentication, ClientRequest } from '#oauth2/clients/client_authentication'
import type { Clients } from '#oauth2/clients/clients'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import type { Dpop } from '#oauth2/dpop/dpop'
import type { Announce } from '#oauth2/events'
import type { KeySet } from '#oauth2/keys/key_set'
import type { OpenId } from '#oauth2/openid/openid'
import type { TokenOwners } from '#oauth2/token_owners'
import type { ScopeCatalogue } from '#oauth2/scopes'
import type { AccessTokens } from '#oauth2/tokens/access_tokens'
import type { Issuance } from '#oauth2/tokens/issuance'
import type { TokenIssuer, TokenResponse } from '#oauth2/tokens/token_issuer'
import type { TokenStore } from '#oauth2/tokens/token_store'
import type { ChosenContexts } from '#oauth2/user_grants/chosen_context'

/**
 * A way to obtain tokens (RFC 6749 §1.3). One of your own is added by the setting
 * `grants` of `config/oauth2.ts`, or by `server.grants.register()` when a
 * provider boots, and enabled by the setting `grantTypes`.
 */
export interface Grant {
  /** The `grant_type` that names it. */
  readonly identifier: string

  /** @throws {AuthError} when the tokens are not granted */
  handle(request: ClientRequest): Promise<TokenResponse>
}

/** A grant class, or a function that makes a grant. */
export type GrantSource =
  (new (services: GrantServices) => Grant) | ((services: GrantServices) => Grant)

/** What grants are made of; `server.services`. */
export interface GrantServices {
  config: ResolvedOAuth2Config
  /** The user providers and what the features offer. */
  manager: AuthManager
  clients: Clients
  authentication: ClientAuthentication
  catalogue: ScopeCatalogue
  keys: KeySet
  /** What the proof of a request binds its tokens to: `await dpop.bind(request, client)`. */
  dpop: Dpop
  accessTokens: AccessTokens
  tokenIssuer: TokenIssuer
  issuance: Issuance
  owners: TokenOwners
  tokens: TokenStore
  /** What approvals are for, where people can choose. */
  contexts: ChosenContexts
  /** null while OpenID Connect is off. */
  openid: OpenId | null
  announce: Announce
}

/** Whether a grant is enabled and the client's allow-list has it. */
export function mayUse(config: ResolvedOAuth2Config, client: Client, grantType: string): boolean {
  return config.grantTypes.includes(grantType) && client.allowsGrant(grantType)
}

/** @throws {UnauthorizedClient} when the client may not use the grant */
export function assertMayUse(config: ResolvedOAuth2Config, client: Client, grantType: string) {
  if (!mayUse(config, client, grantType)) {
    throw new UnauthorizedClient('The grant is not allowed to this client.')
  }
}
