import {
  AccessDenied,
  InvalidClient,
  InvalidRequest,
  UnauthorizedClient,
  UnsupportedResponseType,
} from '#auth/errors'
import type { GrantedScope } from '#auth/scopes'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import {
  checkOpenIdParameters,
  checkPresence,
  checkPrompt,
  checkSignIn,
  checkUser,
  demandSignIn,
} from '#oauth2/authorize/sign_in_checks'
import { isRegistered } from '#oauth2/clients/redirect_uri'
import { assertMayUse } from '#oauth2/grants/grant'
import { readChallenge } from '#oauth2/pkce'
import { splitScopes } from '#oauth2/scopes'
import { resolveResource } from '#oauth2/served_resources'

/**
 * One rule about authorization requests. It throws an AuthError, or passes
 * and fills in what it has established.
 */
export type Check = (
  request: AuthorizationRequest,
  server: AuthorizationServer
) => void | Promise<void>

/**
 * The metadata document of a client is fetched for a person who is signed in. Otherwise anyone
 * could use up the fetches of a minute, and make this server send requests.
 */
const checkFetch: Check = async (request, server) => {
  if (await server.clients.needsFetch(request.parameters.require('client_id'))) {
    await checkPrompt(request, server)
    await checkPresence(request, server)
  }
}

/** The client must be registered and not revoked. */
const checkClient: Check = async (request, { clients }) => {
  const { ctx, parameters } = request
  const client = await clients.findForAuthorization(parameters.require('client_id'), ctx)
  if (!client) {
    throw new InvalidClient('The client_id is that of no active client.')
  }
  request.client = client
}

/**
 * The redirect URI must be registered (RFC 6749 §3.1.2.3). Where one need not
 * be sent, a browser goes to the client's only one.
 */
const checkRedirectUri: Check = (request, { config }) => {
  const { client } = request
  const uri = request.parameters.get('redirect_uri')
  if (uri === null) {
    if (config.requireRedirectUri) {
      throw new InvalidRequest('The parameter redirect_uri is missing.')
    }
    const [only = null, ...others] = client.redirectUris
    request.redirectTarget = others.length === 0 ? only : null
    return
  }
  if (!isRegistered(client, uri)) {
    throw new InvalidRequest('The redirect_uri is not registered for this client.')
  }
  request.redirectUri = uri
  request.redirectTarget = uri
}

/** A browser must have somewhere to go. */
const checkRedirectTarget: Check = ({ redirectTarget }) => {
  if (redirectTarget === null) {
    throw new InvalidRequest('The parameter redirect_uri is missing.', {
      reason: 'no redirect_uri, and the client has none or several',
    })
  }
}

/** A client that has to push its requests makes none by the browser alone (RFC 9126 §5, §6). */
const checkPushed: Check = ({ client, requestUri }, { config }) => {
  if (requestUri === null && (config.pushedRequests.required || client.requirePushed)) {
    throw new InvalidRequest('The client has to push its authorization requests.')
  }
}

/** Only codes are handed out (RFC 6749 §3.1.1). A POST for a code may omit it. */
const checkResponseType: Check = ({ parameters, asksForCode }) => {
  const responseType = asksForCode
    ? (parameters.get('response_type') ?? 'code')
    : parameters.require('response_type')
  if (responseType !== 'code') {
    throw new UnsupportedResponseType('The response_type must be code.')
  }
}

/** The client must be allowed to redeem codes. */
const checkGrantType: Check = ({ client }, { config }) =>
  assertMayUse(config, client, 'authorization_code')

/**
 * The scopes must be known and allowed to the client (RFC 6749 §3.3). A request for an endpoint that
 * names none asks for those of the endpoint.
 */
const checkScope: Check = async (request, { catalogue, config }) => {
  const { parameters, client } = request
  const ofResource = await config.served.scopesOf(parameters.get('resource'))
  const requested = splitScopes(parameters.get('scope') ?? '')
  request.scopes = catalogue.resolve(requested, client, ofResource)
}

/** Someone who approves with a token can grant only its scopes. */
const checkApprover: Check = ({ context, scopes }) => {
  if (!context.canAll(...(scopes as GrantedScope[]))) {
    throw new AccessDenied('The approving token carries fewer scopes than were requested.')
  }
}

/** The code must be bound to its requester (RFC 7636 §4.4.1): public clients have no other proof. */
const checkPkce: Check = (request, { config }) => {
  const { client, parameters } = request
  request.challenge = readChallenge(
    parameters.get('code_challenge'),
    parameters.get('code_challenge_method'),
    { methods: config.pkceMethods, required: config.requirePkce || !client.confidential }
  )
}

/** The resource must be served here (RFC 8707 §2). */
const checkResource: Check = (request, { config }) => {
  request.resource = resolveResource(request.parameters.get('resource'), config.served)
}

/** RFC 7638: SHA-256 in base64url. */
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/

/** The key that the code is bound to: named by `dpop_jkt` (RFC 9449 §10), or by the proof of a push (§10.1). */
const checkDpopJkt: Check = async (request, { dpop }) => {
  if (!dpop.isEnabled) {
    return
  }
  const named = request.parameters.get('dpop_jkt')
  if (named !== null && !THUMBPRINT.test(named)) {
    throw new InvalidRequest('The dpop_jkt is malformed.')
  }
  const proven = request.isPush ? await dpop.keyOf(request.ctx) : null
  if (named !== null && proven !== null && named !== proven) {
    throw new InvalidRequest('The dpop_jkt is not the key of the DPoP proof.')
  }
  request.dpopJkt = named ?? proven
}

/** A client that acts for the users of one user provider gets no code for those of another. */
const checkProvider: Check = ({ client, user }) => {
  if (client.provider !== null && client.provider !== user.provider) {
    throw new UnauthorizedClient('The client acts for users of another user provider.')
  }
}

/** The user must have said yes. */
const checkApproval: Check = (request, { announce }) => {
  if (request.approved === true) {
    return
  }
  if (request.approved === false) {
    announce('oauth2:consent_denied', request.consentEvent)
    throw new AccessDenied('The user denied the request.')
  }
  throw new AccessDenied('The parameter approved is not true.')
}

/** A rule only for requests for a code, not for those that only show what would be approved. */
const whenAsked =
  (check: Check): Check =>
  (request, server) =>
    request.asksForCode ? check(request, server) : undefined

/** The rules of `/oauth/authorize`, in order: the first violation is reported. */
const JSON_CHECKS = [
  checkUser,
  checkResponseType,
  checkClient,
  checkPushed,
  checkGrantType,
  checkRedirectUri,
  checkOpenIdParameters,
  checkScope,
  checkApprover,
  checkPkce,
  checkResource,
  demandSignIn,
  checkDpopJkt,
  whenAsked(checkApproval),
  whenAsked(checkProvider),
]

/**
 * The same for a browser. Errors are redirected, but only after the client and its redirect URI are
 * verified (RFC 6749 §4.1.2.1). The approval comes later.
 */
const BROWSER_CHECKS = [
  checkFetch,
  checkClient,
  checkRedirectUri,
  checkRedirectTarget,
  checkPushed,
  checkOpenIdParameters,
  checkPrompt,
  checkPresence,
  checkResponseType,
  checkGrantType,
  checkScope,
  checkApprover,
  checkPkce,
  checkResource,
  checkDpopJkt,
  checkProvider,
  checkSignIn,
]

/** Those that need no person, for a request that an authenticated client pushes (RFC 9126 §2.1). */
const PUSH_CHECKS = [
  checkResponseType,
  checkGrantType,
  checkRedirectUri,
  checkOpenIdParameters,
  checkPrompt,
  checkScope,
  checkPkce,
  checkResource,
  checkDpopJkt,
]

export const CHECKS = { json: JSON_CHECKS, browser: BROWSER_CHECKS, push: PUSH_CHECKS }
