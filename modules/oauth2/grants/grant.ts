import { UnauthorizedClient } from '#auth/errors'
import type { Client } from '#oauth2/clients/client'
import type { ClientAuthentication, ClientRequest } from '#oauth2/clients/client_authentication'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import type { Announce } from '#oauth2/events'
import type { Owners } from '#oauth2/owners'
import type { ScopeCatalogue } from '#oauth2/scopes'
import type { TokenIssuer, TokenResponse } from '#oauth2/tokens/token_issuer'
import type { TokenStore } from '#oauth2/tokens/token_store'

/** A way to obtain tokens (RFC 6749 §1.3). A new one is added by registering a class. */
export interface Grant {
  /** The `grant_type` that names it. */
  readonly identifier: string

  /** @throws {AuthError} when the tokens are not granted */
  handle(request: ClientRequest): Promise<TokenResponse>
}

/** What grants are made of. */
export interface GrantServices {
  config: ResolvedOAuth2Config
  authentication: ClientAuthentication
  catalogue: ScopeCatalogue
  issuer: TokenIssuer
  owners: Owners
  tokens: TokenStore
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
