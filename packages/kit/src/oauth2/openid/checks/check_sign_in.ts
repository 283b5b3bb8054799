import { InvalidRequest, LoginRequired } from '#auth/errors'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import type { AuthorizeServices, Check } from '#oauth2/authorize/check'
import type { OpenId } from '#oauth2/openid/openid'

/** Seconds: a century is more than anybody means. */
const MAX_AGE = /^\d{1,10}$/

/** The sign-in must be recent enough, and that of the person the client means; a browser can ask for another one. */
export const checkSignIn: Check = async (request, services) => {
  if (await isGood(request, services)) {
    return
  }
  if (request.prompt.has('none')) {
    throw new LoginRequired()
  }
  request.wantsAnotherSignIn = true
}

/** The same where nobody can be asked. */
export const demandSignIn: Check = async (request, services) => {
  if (!(await isGood(request, services))) {
    throw new LoginRequired()
  }
}

async function isGood(request: AuthorizationRequest, { openid }: AuthorizeServices) {
  return openid === null || (isRecent(request, openid) && (await isMeant(request, openid)))
}

/** `max_age`: the time of a sign-in that is not known is too long ago (OpenID Connect Core 1.0 §3.1.2.1). */
function isRecent({ parameters, ctx }: AuthorizationRequest, openid: OpenId): boolean {
  const maxAge = parameters.get('max_age')
  if (maxAge === null) {
    return true
  }
  if (!MAX_AGE.test(maxAge)) {
    throw new InvalidRequest('The parameter max_age must be a number of seconds.')
  }
  const login = openid.loginOf(ctx)
  return login !== null && Date.now() < login.at + Number(maxAge) * 1000
}

/** `id_token_hint`: the person of the ID token (OpenID Connect Core 1.0 §3.1.2.1). */
async function isMeant({ parameters, client, user }: AuthorizationRequest, openid: OpenId) {
  const hint = parameters.get('id_token_hint')
  if (hint === null) {
    return true
  }
  const { sub } = await openid.idTokens.readHint(hint, client.id)
  return sub === (await openid.subjects.of(user, client.id))
}
