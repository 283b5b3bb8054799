import type { HttpRouterService } from '@adonisjs/core/types'

import { explainedChallenges } from '#auth/challenge'
import { METADATA_CORS } from '#oauth2/cors'
import { issuerPath } from '#oauth2/issuer'
import { oauthForm } from '#oauth2/marks'
import { oauthEndpoint } from '#oauth2/protocol_error'
import { cors } from '#http/cors'
import { clientEndpoint, combineMarks, csrfExempt, smallBody } from '#http/route_marks'

const Discovery = () => import('#oauth2/openid/controllers/discovery_controller')
const UserInfo = () => import('#oauth2/openid/controllers/user_info_controller')
const Logout = () => import('#oauth2/openid/controllers/logout_controller')
const AccountSelection = () => import('#oauth2/openid/controllers/account_selection_controller')

const WELL_KNOWN = '/.well-known/openid-configuration'

/** Clients in browsers ask with an access token, never with a cookie. Their challenges can be read. */
const USERINFO_CORS = cors({
  origins: '*',
  methods: ['GET', 'POST'],
  headers: ['*'],
  exposed: ['WWW-Authenticate'],
})

/**
 * The endpoints of OpenID Connect. An issuer with a path has its document below
 * the path (OpenID Connect Discovery 1.0 §4.1), and where RFC 8414 §5 puts it.
 */
export function openIdRoutes(router: HttpRouterService, config: { issuer: string | null }): void {
  const path = issuerPath(config.issuer)
  router.get(WELL_KNOWN, [Discovery, 'show']).as('openid.discovery').use(METADATA_CORS)
  endpoints(router)
  if (path) {
    router
      .get(`${WELL_KNOWN}${path}`, [Discovery, 'show'])
      .as('openid.discovery.inserted')
      .use(METADATA_CORS)
    router
      .group(() => {
        router.get(WELL_KNOWN, [Discovery, 'show']).as('openid.discovery').use(METADATA_CORS)
        endpoints(router)
      })
      .prefix(path)
      .as('issuer')
  }
}

function endpoints(router: HttpRouterService): void {
  const client = combineMarks(
    oauthEndpoint,
    clientEndpoint,
    smallBody,
    csrfExempt,
    explainedChallenges,
    USERINFO_CORS
  )
  router.get('/oauth/userinfo', [UserInfo, 'show']).as('openid.userinfo').use(client)
  router.post('/oauth/userinfo', [UserInfo, 'show']).as('openid.userinfo.post').use(client)

  const logout = '/oauth/logout'
  router.get(logout, [Logout, 'show']).as('openid.logout').use(oauthEndpoint)
  router
    .post(logout, [Logout, 'store'])
    .as('openid.logout.post')
    .use([oauthEndpoint, smallBody, csrfExempt])
  router.post(`${logout}/confirm`, [Logout, 'confirm']).as('openid.logout.confirm').use(oauthForm)

  router
    .post('/oauth/authorizations/:handle/select', [AccountSelection, 'store'])
    .as('openid.select_account')
    .use(oauthForm)
}
