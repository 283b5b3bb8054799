import type { HttpRouterService } from '@adonisjs/core/types'

import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { oauthEndpoint } from '#oauth2/protocol_error'
import { clientEndpoint, csrfExempt, smallBody } from '#support/route_marks'

const Authorize = () => import('#oauth2/controllers/authorize_controller')
const Token = () => import('#oauth2/controllers/token_controller')
const Metadata = () => import('#oauth2/controllers/metadata_controller')
const UserTokens = () => import('#oauth2/controllers/user_tokens_controller')
const PersonalAccessTokens = () => import('#oauth2/controllers/personal_access_tokens_controller')

/** The metadata document and the `/oauth/*` endpoints. */
export function oauth2Routes(router: HttpRouterService, config: ResolvedOAuth2Config): void {
  /* An issuer with a path has it behind the well-known one (RFC 8414 §3.1). */
  const path = config.issuer === null ? '' : new URL(config.issuer).pathname.replace(/\/$/, '')
  for (const suffix of new Set(['', path])) {
    router.get(`/.well-known/oauth-authorization-server${suffix}`, [Metadata, 'show'])
  }

  router.get('/oauth/authorize', [Authorize, 'show']).use(oauthEndpoint)
  router.post('/oauth/authorize', [Authorize, 'store']).use([oauthEndpoint, smallBody])

  /* Clients authenticate by themselves here, never by the cookie of a session. */
  const client = [oauthEndpoint, clientEndpoint, smallBody]
  router.post('/oauth/token', [Token, 'store']).use([...client, csrfExempt])
  router.post('/oauth/introspect', [Token, 'introspect']).use([...client, csrfExempt])
  router.post('/oauth/revoke', [Token, 'revoke']).use([...client, csrfExempt])
  router.post('/token', [Token, 'password']).use(client)

  router.get('/oauth/tokens', [UserTokens, 'index'])
  router.delete('/oauth/tokens', [UserTokens, 'destroyAll'])
  router.delete('/oauth/tokens/:jti', [UserTokens, 'destroy'])

  router.get('/oauth/personal-access-tokens', [PersonalAccessTokens, 'index'])
  router.post('/oauth/personal-access-tokens', [PersonalAccessTokens, 'store']).use(smallBody)
  router.delete('/oauth/personal-access-tokens', [PersonalAccessTokens, 'destroyAll'])
  router.delete('/oauth/personal-access-tokens/:jti', [PersonalAccessTokens, 'destroy'])
}
