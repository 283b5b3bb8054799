import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import type { Clients } from '#oauth2/clients/clients'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import type { Dpop } from '#oauth2/dpop/dpop'
import type { Announce } from '#oauth2/events'
import type { OpenId } from '#oauth2/openid/openid'
import type { ScopeCatalogue } from '#oauth2/scopes'

/** What the checks ask. */
export interface AuthorizeServices {
  /** Name of the guard that identifies the approving user. */
  guard: string
  config: ResolvedOAuth2Config
  clients: Clients
  catalogue: ScopeCatalogue
  dpop: Dpop
  announce: Announce
  /** null while OpenID Connect is off. */
  openid: OpenId | null
}

/**
 * One rule about authorization requests. It throws an AuthError, or passes
 * and fills in what it has established.
 */
export type Check = (
  request: AuthorizationRequest,
  services: AuthorizeServices
) => void | Promise<void>
