import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import type { Services } from '#oauth2/authorization_server'

/** What the checks ask. */
export type AuthorizeServices = Services<
  'guard' | 'config' | 'clients' | 'catalogue' | 'dpop' | 'announce' | 'openid'
>

/**
 * One rule about authorization requests. It throws an AuthError, or passes
 * and fills in what it has established.
 */
export type Check = (
  request: AuthorizationRequest,
  services: AuthorizeServices
) => void | Promise<void>
