import type { HttpRouterService } from '@adonisjs/core/types'

import { explainedChallenges } from '#auth/challenge'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { issuerPath } from '#oauth2/settings'
import { oauthEndpoint, tellsSize } from '#oauth2/protocol_error'
import { cors } from '#http/cors'
import {
  clientEndpoint,
  combineMarks,
  csrfExempt,
  rawForm,
  redirectsForms,
  smallBody,
} from '#http/route_marks'

const Authorize = () => import('adonis-auth-kit/oauth2/controllers/authorize_controller')
const PendingAuthorizations = () =>
  import('adonis-auth-kit/oauth2/controllers/pending_authorizations_controller')
const Token = () => import('adonis-auth-kit/oauth2/controllers/token_controller')
const Metadata = () => import('adonis-auth-kit/oauth2/controllers/metadata_controller')
const UserTokens = () => import('adonis-auth-kit/oauth2/controllers/user_tokens_controller')
const PersonalAccessTokens = () =>
  import('adonis-auth-kit/oauth2/controllers/personal_access_tokens_controller')
const DevicePage = () => import('adonis-auth-kit/oauth2/device/device_page_controller')
const Logout = () => import('adonis-auth-kit/oauth2/openid/logout/logout_controller')

const WELL_KNOWN = '/.well-known/oauth-authorization-server'
const OPENID_WELL_KNOWN = '/.well-known/openid-configuration'

/* Clients in browsers run on any origin. These endpoints neither read nor allow cookies. */

const fromAnywhere = (methods: string[], exposed?: string[]) =>
  cors({ origins: '*', methods, headers: ['*'], ...(exposed && { exposed }) })

/** The metadata documents, and the public keys. */
const METADATA_CORS = fromAnywhere(['GET'])

/** Clients can read the challenges of the endpoints that they call themselves. */
const ENDPOINT_CORS = fromAnywhere(['POST'], ['WWW-Authenticate', 'Retry-After'])
const USERINFO_CORS = fromAnywhere(['GET', 'POST'], ['WWW-Authenticate'])

/** An endpoint at which clients authenticate by themselves, never by the cookie of a session. */
const API = [oauthEndpoint, clientEndpoint, smallBody]
/** Such an endpoint that reads forms, and for clients on any origin. */
const FORMS = [...API, csrfExempt, rawForm]
const calledByClients = combineMarks(...FORMS, ENDPOINT_CORS)
const userInfo = combineMarks(...API, csrfExempt, explainedChallenges, USERINFO_CORS)

/** The authorization endpoint: JSON of an application's own consent page, and forms of clients, which are redirected. */
const authorizationEndpoint = combineMarks(oauthEndpoint, smallBody, redirectsForms)

/** A form that this application rendered. */
const oauthForm = combineMarks(oauthEndpoint, smallBody)

/**
 * The metadata document and the endpoints. An issuer with a path has its endpoints below the path,
 * and its metadata below the well-known one (RFC 8414 §3.1); all answer at the root as well.
 */
export function oauth2Routes(router: HttpRouterService, config: ResolvedOAuth2Config): void {
  const path = issuerPath(config.issuer)
  router.get(WELL_KNOWN, [Metadata, 'show']).use(METADATA_CORS)
  endpoints(router)
  if (path) {
    const inserted = router.get(`${WELL_KNOWN}${path}`, [Metadata, 'show'])
    inserted.as('issuer.metadata.show').use(METADATA_CORS)
    const group = router.group(() => endpoints(router))
    group.prefix(path).as('issuer')
  }
}

function endpoints(router: HttpRouterService): void {
  router.get('/.well-known/jwks.json', [Metadata, 'keys']).as('keys.show').use(METADATA_CORS)

  router.get('/oauth/authorize', [Authorize, 'show']).use(oauthEndpoint)
  router.post('/oauth/authorize', [Authorize, 'store']).use(authorizationEndpoint)

  const pending = '/oauth/authorizations/:handle'
  router.get(pending, [PendingAuthorizations, 'show']).use(oauthEndpoint)
  for (const decision of ['approve', 'deny', 'switch'] as const) {
    router.post(`${pending}/${decision}`, [PendingAuthorizations, decision]).use(oauthForm)
  }

  router.post('/oauth/token', [Token, 'store']).use(calledByClients)
  router.post('/oauth/introspect', [Token, 'introspect']).use(combineMarks(...FORMS))
  router.post('/oauth/revoke', [Token, 'revoke']).use(calledByClients)
  router.post('/oauth/register', [Token, 'register']).as('registration.store').use(calledByClients)
  router.post('/token', [Token, 'password']).use(combineMarks(...API))
  const device = router.post('/oauth/device_authorization', [Token, 'authorizeDevice'])
  device.as('device_authorization.store').use(calledByClients)
  router.get('/device', [DevicePage, 'show']).use(oauthEndpoint)
  router.post('/device/approve', [DevicePage, 'approve']).use(oauthForm)
  router.post('/device/deny', [DevicePage, 'deny']).use(oauthForm)
  const pushed = router.post('/oauth/par', [Token, 'push']).as('par.store')
  pushed.use(combineMarks(...FORMS, tellsSize, ENDPOINT_CORS))

  router.get('/oauth/tokens', [UserTokens, 'index'])
  router.delete('/oauth/tokens', [UserTokens, 'destroyAll'])
  router.delete('/oauth/tokens/:jti', [UserTokens, 'destroy'])

  router.get('/oauth/personal-access-tokens', [PersonalAccessTokens, 'index'])
  router.post('/oauth/personal-access-tokens', [PersonalAccessTokens, 'store']).use(smallBody)
  router.delete('/oauth/personal-access-tokens', [PersonalAccessTokens, 'destroyAll'])
  router.delete('/oauth/personal-access-tokens/:jti', [PersonalAccessTokens, 'destroy'])
}

/** An issuer's document is below its path (Discovery 1.0 §4.1), and where RFC 8414 §5 puts it. */
export function openIdRoutes(router: HttpRouterService, config: { issuer: string | null }): void {
  const path = issuerPath(config.issuer)
  openIdEndpoints(router)
  if (path) {
    const inserted = router.get(`${OPENID_WELL_KNOWN}${path}`, [Metadata, 'discover'])
    inserted.as('openid.discovery.inserted').use(METADATA_CORS)
    const group = router.group(() => openIdEndpoints(router))
    group.prefix(path).as('issuer')
  }
}

function openIdEndpoints(router: HttpRouterService): void {
  router.get(OPENID_WELL_KNOWN, [Metadata, 'discover']).as('openid.discovery').use(METADATA_CORS)
  router.get('/oauth/userinfo', [Token, 'userInfo']).as('openid.userinfo').use(userInfo)
  router.post('/oauth/userinfo', [Token, 'userInfo']).as('openid.userinfo.post').use(userInfo)

  const logout = '/oauth/logout'
  router.get(logout, [Logout, 'show']).as('openid.logout').use(oauthEndpoint)
  const foreignForm = combineMarks(oauthEndpoint, smallBody, csrfExempt)
  router.post(logout, [Logout, 'store']).as('openid.logout.post').use(foreignForm)
  router.post(`${logout}/confirm`, [Logout, 'confirm']).as('openid.logout.confirm').use(oauthForm)

  const select = '/oauth/authorizations/:handle/select'
  const route = router.post(select, [PendingAuthorizations, 'select'])
  route.as('openid.select_account').use(oauthForm)
}
