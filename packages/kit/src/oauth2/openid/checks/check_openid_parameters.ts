import { RequestNotSupported } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** What OpenID Connect adds to a request (OpenID Connect Core 1.0 §3.1.2.1). */
const PARAMETERS = [
  'nonce',
  'max_age',
  'login_hint',
  'id_token_hint',
  'acr_values',
  'ui_locales',
  'display',
]

/** Request objects are refused (OpenID Connect Core 1.0 §6), and the request keeps what it is made of. */
export const checkOpenIdParameters: Check = (request, { openid }) => {
  if (openid === null) {
    return
  }
  for (const name of ['request', 'request_uri'] as const) {
    if (request.parameters.get(name) !== null) {
      throw new RequestNotSupported(name)
    }
  }
  request.keep(PARAMETERS)
}
