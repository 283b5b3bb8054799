import type { HttpRouterService } from '@adonisjs/core/types'

import { METADATA_CORS } from '#oauth2/cors'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { deviceRoutes } from '#oauth2/device/routes'
import { authorizationEndpoint, calledByClients, oauthForm } from '#oauth2/marks'
import { parRoutes } from '#oauth2/par/routes'
import { oauthEndpoint } from '#oauth2/protocol_error'
import { issuerPath } from '#oauth2/issuer'
import { clientEndpoint, combineMarks, csrfExempt, smallBody } from '#http/route_marks'

const Authorize = () => import('#oauth2/controllers/authorize_controller')
const Registration = () => import('#oauth2/controllers/registration_controller')
const PendingAuthorizations = () => import('#oauth2/controllers/pending_authorizations_controller')
const Token = () => import('#oauth2/controllers/token_controller')
const Keys = () => import('#oauth2/controllers/keys_controller')
const Metadata = () => import('#oauth2/controllers/metadata_controller')
const UserTokens = () => import('#oauth2/controllers/user_tokens_controller')
const PersonalAccessTokens = () => import('#oauth2/controllers/personal_access_tokens_controller')

const WELL_KNOWN = '/.well-known/oauth-authorization-server'

/**
 * The metadata document and the endpoints. An issuer with a path has its
 * endpoints below the path, and its metadata below the well-known one
 * (RFC 8414 §3.1); all answer at the root as well.
 */
export function oauth2Routes(router: HttpRouterService, config: ResolvedOAuth2Config): void {
  const path = issuerPath(config.issuer)
  router.get(WELL_KNOWN, [Metadata, 'show']).use(METADATA_CORS)
  endpoints(router)
  if (path) {
    router
      .get(`${WELL_KNOWN}${path}`, [Metadata, 'show'])
      .as('issuer.metadata.show')
      .use(METADATA_CORS)
    router
      .group(() => endpoints(router))
      .prefix(path)
      .as('issuer')
  }
}

function endpoints(router: HttpRouterService): void {
  router.get('/.well-known/jwks.json', [Keys, 'show']).use(METADATA_CORS)

  router.get('/oauth/authorize', [Authorize, 'show']).use(oauthEndpoint)
  router.post('/oauth/authorize', [Authorize, 'store']).use(authorizationEndpoint)

  const pending = '/oauth/authorizations/:handle'
  router.get(pending, [PendingAuthorizations, 'show']).use(oauthEndpoint)
  for (const decision of ['approve', 'deny', 'switch'] as const) {
    router.post(`${pending}/${decision}`, [PendingAuthorizations, decision]).use(oauthForm)
  }

  /* Clients authenticate by themselves here, never by the cookie of a session. */
  const api = [oauthEndpoint, clientEndpoint, smallBody]
  router.post('/oauth/token', [Token, 'store']).use(calledByClients)
  router.post('/oauth/introspect', [Token, 'introspect']).use(combineMarks(...api, csrfExempt))
  router.post('/oauth/revoke', [Token, 'revoke']).use(calledByClients)
  router.post('/oauth/register', [Registration, 'store']).use(calledByClients)
  router.post('/token', [Token, 'password']).use(combineMarks(...api))
  deviceRoutes(router)
  parRoutes(router)

  router.get('/oauth/tokens', [UserTokens, 'index'])
  router.delete('/oauth/tokens', [UserTokens, 'destroyAll'])
  router.delete('/oauth/tokens/:jti', [UserTokens, 'destroy'])

  router.get('/oauth/personal-access-tokens', [PersonalAccessTokens, 'index'])
  router.post('/oauth/personal-access-tokens', [PersonalAccessTokens, 'store']).use(smallBody)
  router.delete('/oauth/personal-access-tokens', [PersonalAccessTokens, 'destroyAll'])
  router.delete('/oauth/personal-access-tokens/:jti', [PersonalAccessTokens, 'destroy'])
}
