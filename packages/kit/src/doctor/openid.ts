import app from '@adonisjs/core/services/app'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { type Finding, error, ok, warning } from '#doctor/finding'

const ABOUT = 'OpenID Connect'

/** What clients need to trust a sign-in here; nothing while OpenID Connect is off. */
export async function examineOpenId(): Promise<Finding[]> {
  if (!app.container.hasBinding(AuthorizationServer)) {
    return []
  }
  const { openid, keys, issuer } = await app.container.make(AuthorizationServer)
  if (openid === null) {
    return []
  }
  await keys.ready()
  return [judgeOpenId({ isAsymmetric: keys.isAsymmetric, issuer: issuer.configured! })]
}

/** @param sign.isAsymmetric whether the key that signs is published */
export function judgeOpenId(sign: { isAsymmetric: boolean; issuer: string }): Finding {
  if (!sign.isAsymmetric) {
    return error(
      ABOUT,
      'tokens are signed with a secret, which no client can verify. Set OAUTH_KEYS_STORE=database and run "node ace auth:key make"'
    )
  }
  return sign.issuer.startsWith('https://')
    ? ok(ABOUT, `on, as ${sign.issuer}`)
    : warning(ABOUT, `clients refuse an issuer without https: ${sign.issuer}. Set OAUTH_ISSUER`)
}
