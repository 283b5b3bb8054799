import {
  AccessDenied,
  InvalidClient,
  InvalidRequest,
  UnsupportedResponseType,
  LoginRequired,
  RequestNotSupported,
  Unauthenticated,
} from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { type AuthorizationRequest, PROMPTS } from '#oauth2/authorize/authorization_request'
import { isRegistered } from '#oauth2/clients/client_urls'
import { assertRequest } from '#oauth2/parameters'
import { assertMayUse } from '#oauth2/grants/grant'
import { SHA256, readChallenge } from '#oauth2/pkce'
import { assertCanGrant, splitScopes } from '#oauth2/scopes'
import { assertServes, signedIn } from '#oauth2/token_owners'
import { type OpenId, UnverifiableHint } from '#oauth2/openid/openid'
import { nullFor } from '#process/null_for'
import { assertOr } from '#process/assert_or'

/** A rule about authorization requests. It throws an AuthError, or fills in what it establishes. */
type Check = (request: AuthorizationRequest, server: AuthorizationServer) => void | Promise<void>

/** What OpenID Connect adds to a request (OpenID Connect Core 1.0 §3.1.2.1). */
const PARAMETERS = 'nonce max_age login_hint id_token_hint acr_values ui_locales display'.split(' ')

/** Seconds: a century is more than anybody means. */
const MAX_AGE = /^\d{1,10}$/

const checkUser: Check = async (request, { guard }) => {
  Object.assign(request, await signedIn(request.ctx, guard))
}

/** A person must be signed in; a client that wants nobody to be asked is told so. */
const checkPresence: Check = async (request, server) => {
  try {
    await checkUser(request, server)
  } catch (error) {
    const isUnasked = request.prompt.has('none') && error instanceof Unauthenticated
    throw isUnasked ? new LoginRequired() : error
  }
}

/** What the person has to be asked, or must not be. Values that are not known here are ignored. */
const checkPrompt: Check = (request) => {
  const values = (request.parameters.get('prompt') ?? '').split(' ').filter(Boolean)
  const isAlone = !values.includes('none') || values.length === 1
  assertRequest(isAlone, 'The prompt none must stand alone.')
  request.prompt = new Set(PROMPTS.filter((known) => values.includes(known)))
}

/** Request objects are refused (§6), and the request keeps what it is made of. */
const checkOpenIdParameters: Check = (request, { openid }) => {
  if (openid === null) {
    return
  }
  for (const name of ['request', 'request_uri'] as const) {
    assertOr(request.parameters.get(name) === null, RequestNotSupported, name)
  }
  const maxAge = request.parameters.get('max_age') ?? '0'
  assertRequest(MAX_AGE.test(maxAge), 'The parameter max_age must be a number of seconds.')
  request.keep(PARAMETERS)
}

/** The sign-in must be recent, and of the person the client means; or a browser asks for another. */
const checkSignIn: Check = async (request, server) => {
  request.wantsAnotherSignIn = !(await isGood(request, server))
  assertOr(!request.wantsAnotherSignIn || !request.prompt.has('none'), LoginRequired)
}

/** The same where nobody can be asked. */
const demandSignIn: Check = async (request, server) => {
  assertOr(await isGood(request, server), LoginRequired)
}

async function isGood(request: AuthorizationRequest, server: AuthorizationServer) {
  const { openid } = server
  return openid === null || (isRecent(request, openid) && (await isMeant(request, server)))
}

/** `max_age`: the time of a sign-in that is not known is too long ago. */
function isRecent({ parameters, ctx }: AuthorizationRequest, openid: OpenId): boolean {
  const maxAge = parameters.get('max_age')
  const beganAt = () => openid.loginOf(ctx)?.at ?? Number.NEGATIVE_INFINITY
  return maxAge === null || Date.now() < beganAt() + Number(maxAge) * 1000
}

async function isMeant(
  { parameters, client, user, prompt }: AuthorizationRequest,
  { openid, subjectOf }: AuthorizationServer
) {
  const hint = parameters.get('id_token_hint')
  if (hint === null) {
    return true
  }
  const meant = await openid!.readHint(hint, client.id).catch(nullFor(UnverifiableHint))
  /* Nobody can tell any more whom it meant: it is as none, unless the client wants to rely on it. */
  return meant ? meant.sub === (await subjectOf(user, client.id)) : !prompt.has('none')
}

/** Documents of clients are fetched for people who are signed in: anyone could use up the fetches. */
const checkFetch: Check = async (request, server) => {
  if (await server.clients.needsFetch(request.parameters.require('client_id'))) {
    await checkPrompt(request, server)
    await checkPresence(request, server)
  }
}

const checkClient: Check = async (request, { clients }) => {
  const { ctx, parameters } = request
  const client = await clients.findForAuthorization(parameters.require('client_id'), ctx)
  assertOr(client, InvalidClient, 'The client_id is that of no active client.')
  request.client = client
}

/** It must be registered (RFC 6749 §3.1.2.3). Unless one is sent, it is the client's only one. */
const checkRedirectUri: Check = (request, { config }) => {
  const { client } = request
  const uri = request.parameters.get('redirect_uri')
  if (uri === null) {
    assertRequest(!config.requireRedirectUri, 'The parameter redirect_uri is missing.')
    const [only = null, ...others] = client.redirectUris
    request.redirectTarget = others.length === 0 ? only : null
    return
  }
  assertRequest(isRegistered(client, uri), 'The redirect_uri is not registered for this client.')
  request.redirectUri = uri
  request.redirectTarget = uri
}

const checkRedirectTarget: Check = ({ redirectTarget }) => {
  const reason = 'no redirect_uri, and the client has none or several'
  assertOr(redirectTarget, InvalidRequest, 'The parameter redirect_uri is missing.', { reason })
}

/** A client that has to push its requests makes none by the browser alone (RFC 9126 §5, §6). */
const checkPushed: Check = ({ client, requestUri }, { config }) => {
  const mustPush = config.pushedRequests.required || client.requirePushed
  assertRequest(!mustPush || requestUri, 'The client has to push its authorization requests.')
}

/** Only codes are handed out (RFC 6749 §3.1.1), and in the query alone. A decision by POST may omit the type. */
const checkResponseType: Check = ({ parameters, ctx, isPush }) => {
  const isDecision = ctx.request.method() === 'POST' && !isPush
  const sent = isDecision ? parameters.get('response_type') : parameters.require('response_type')
  const isCode = sent === null || sent === 'code'
  assertOr(isCode, UnsupportedResponseType, 'The response_type must be code.')
  const mode = parameters.get('response_mode') ?? 'query'
  assertRequest(mode === 'query', 'The response_mode must be query.')
}

const checkGrantType: Check = ({ client }, { config }) =>
  assertMayUse(config, client, 'authorization_code')

/** They must be known and allowed to the client (RFC 6749 §3.3). Default: those of the endpoint. */
const checkScope: Check = async (request, { catalogue, config }) => {
  const { parameters, client } = request
  const ofResource = await config.served.scopesOf(parameters.get('resource'))
  const requested = splitScopes(parameters.get('scope') ?? '')
  request.scopes = catalogue.resolve(requested, client, ofResource)
}

const checkApprover: Check = ({ context, scopes }) => assertCanGrant(context, scopes)

/** The code must be bound to its requester (RFC 7636 §4.4.1): public clients have no other proof. */
const checkPkce: Check = (request, { config }) => {
  const { client, parameters } = request
  request.challenge = readChallenge(
    parameters.get('code_challenge'),
    parameters.get('code_challenge_method'),
    { methods: config.pkceMethods, required: config.requirePkce || !client.confidential }
  )
}

const checkResource: Check = (request, { config }) => {
  request.resource = config.served.resolve(request.parameters.get('resource'))
}

/** The key of the code: named by `dpop_jkt` (RFC 9449 §10), or by the proof of a push (§10.1). */
const checkDpopJkt: Check = async (request, { dpop }) => {
  if (!dpop.isEnabled) {
    return
  }
  const named = request.parameters.get('dpop_jkt')
  assertRequest(named === null || SHA256.test(named), 'The dpop_jkt is malformed.')
  const proven = request.isPush ? await dpop.keyOf(request.ctx) : null
  const isSame = named === null || proven === null || named === proven
  assertRequest(isSame, 'The dpop_jkt is not the key of the DPoP proof.')
  request.dpopJkt = named ?? proven
}

const checkProvider: Check = ({ client, user }) => assertServes(client, user)

const checkApproval: Check = async (request, { announce, pushed }) => {
  const { approved, consentEvent } = request
  if (approved === false) {
    await pushed.use(request)
    announce('oauth2:consent_denied', consentEvent)
    throw new AccessDenied('The user denied the request.')
  }
  assertOr(approved === true, AccessDenied, 'The parameter approved is not true.')
}

const JSON_CHECKS = [
  ...[checkUser, checkResponseType, checkClient, checkPushed, checkGrantType, checkRedirectUri],
  ...[checkOpenIdParameters, checkScope, checkApprover, checkPkce, checkResource],
  ...[demandSignIn, checkDpopJkt],
]

/** Whether errors may be redirected: to a redirect URI that is verified alone (RFC 6749 §4.1.2.1). */
const TARGET_CHECKS = [checkFetch, checkClient, checkRedirectUri, checkRedirectTarget]

/** The rules of `/oauth/authorize`, in order: the first violation is reported. */
export const CHECKS = {
  target: TARGET_CHECKS,
  json: JSON_CHECKS,
  /** For a request that brings the decision with it. */
  decision: [...JSON_CHECKS, checkApproval, checkProvider],
  browser: [
    ...TARGET_CHECKS,
    ...[checkPushed, checkOpenIdParameters, checkPrompt, checkPresence],
    ...[checkResponseType, checkGrantType, checkScope, checkApprover, checkPkce, checkResource],
    ...[checkDpopJkt, checkProvider, checkSignIn],
  ],
  /** Those that need no person, for a request that a client pushes (RFC 9126 §2.1). */
  push: [
    ...[checkResponseType, checkGrantType, checkRedirectUri, checkOpenIdParameters, checkPrompt],
    ...[checkScope, checkPkce, checkResource, checkDpopJkt],
  ],
}
