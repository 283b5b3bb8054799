import { InvalidRequest, LoginRequired, RequestNotSupported, Unauthenticated } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { type AuthorizationRequest, PROMPTS } from '#oauth2/authorize/authorization_request'
import type { Check } from '#oauth2/authorize/checks'
import type { OpenId } from '#oauth2/openid/openid'
import { signedIn } from '#oauth2/token_owners'

/** What OpenID Connect adds to a request (OpenID Connect Core 1.0 §3.1.2.1). */
const PARAMETERS = 'nonce max_age login_hint id_token_hint acr_values ui_locales display'.split(' ')

/** Seconds: a century is more than anybody means. */
const MAX_AGE = /^\d{1,10}$/

/** The approving user is authenticated through the guard `authorizationGuard`. */
export const checkUser: Check = async (request, { guard }) => {
  Object.assign(request, await signedIn(request.ctx, guard))
}

/** A person must be signed in; a client that wants nobody to be asked is told so. */
export const checkPresence: Check = async (request, server) => {
  try {
    await checkUser(request, server)
  } catch (error) {
    const isUnasked = request.prompt.has('none') && error instanceof Unauthenticated
    throw isUnasked ? new LoginRequired() : error
  }
}

/** What the person has to be asked, or must not be. Values that are not known here are ignored. */
export const checkPrompt: Check = (request) => {
  const values = (request.parameters.get('prompt') ?? '').split(' ').filter(Boolean)
  if (values.includes('none') && values.length > 1) {
    throw new InvalidRequest('The prompt none must stand alone.')
  }
  request.prompt = new Set(PROMPTS.filter((known) => values.includes(known)))
}

/** Request objects are refused (§6), and the request keeps what it is made of. */
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

/** The sign-in must be recent, and of the person the client means; or a browser asks for another. */
export const checkSignIn: Check = async (request, server) => {
  request.wantsAnotherSignIn = !(await isGood(request, server))
  if (request.wantsAnotherSignIn && request.prompt.has('none')) {
    throw new LoginRequired()
  }
}

/** The same where nobody can be asked. */
export const demandSignIn: Check = async (request, server) => {
  if (!(await isGood(request, server))) {
    throw new LoginRequired()
  }
}

async function isGood(request: AuthorizationRequest, { openid }: AuthorizationServer) {
  return openid === null || (isRecent(request, openid) && (await isMeant(request, openid)))
}

/** `max_age`: the time of a sign-in that is not known is too long ago. */
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

/** `id_token_hint`: the person of the ID token. */
async function isMeant({ parameters, client, user }: AuthorizationRequest, openid: OpenId) {
  const hint = parameters.get('id_token_hint')
  if (hint === null) {
    return true
  }
  const { sub } = await openid.idTokens.readHint(hint, client.id)
  return sub === (await openid.subjects.of(user, client.id))
}
