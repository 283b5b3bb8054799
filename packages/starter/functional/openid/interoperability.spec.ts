import { test } from '@japa/runner'
import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'

import { allow } from '#starter/helpers/consent'
import { isolate } from '#starter/helpers/oauth'
import { registerRelyingParty, useOpenId } from '#starter/helpers/openid'
import { serverUrl } from '#starter/helpers/server_url'
import { type Visitor, signedIn } from '#starter/helpers/visitor'

const HTTP = { [oauth.allowInsecureRequests]: true } as const
/* The library takes the URI from the answer, without its query. */
const REDIRECT_URI = 'https://client.example.com/callback'
const GOODBYE = 'https://client.example.com/goodbye'
const SCOPE = 'openid profile email'

/** Goes where a client sends a browser, and allows what it asks for. */
function approve(visitor: Visitor, client: Parameters<typeof allow>[1], url: URL) {
  return allow(visitor, client, Object.fromEntries(url.searchParams))
}

async function party() {
  await useOpenId()
  const registered = await registerRelyingParty(
    { postLogoutRedirectUris: [GOODBYE] },
    { redirectUris: [REDIRECT_URI] }
  )
  const { visitor, user } = await signedIn({ fullName: 'Ann Example' })
  return { registered, visitor, user, issuer: new URL(await serverUrl()) }
}

test.group('openid-client', (group) => {
  group.each.setup(isolate)

  test('discovery, code with nonce and max_age, UserInfo, refresh and logout', async ({
    assert,
  }) => {
    const { registered, visitor, user, issuer } = await party()
    const config = await openid.discovery(issuer, registered.id, registered.secret!, undefined, {
      execute: [openid.allowInsecureRequests],
    })
    const verifier = openid.randomPKCECodeVerifier()
    const [state, nonce] = [openid.randomState(), openid.randomNonce()]
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      state,
      nonce,
      max_age: '300',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const tokens = await openid.authorizationCodeGrant(
      config,
      await approve(visitor, registered, url),
      {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        maxAge: 300,
        idTokenExpected: true,
      }
    )
    const { sub, sid } = tokens.claims()!
    assert.equal(sub, String(user.id))

    const info = await openid.fetchUserInfo(config, tokens.access_token, sub)
    assert.equal(info.name, 'Ann Example')
    assert.isFalse(info.email_verified)

    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!)
    assert.equal(refreshed.claims()!.sub, sub)
    assert.equal(refreshed.claims()!.sid, sid)

    const logout = openid.buildEndSessionUrl(config, {
      id_token_hint: refreshed.id_token!,
      post_logout_redirect_uri: GOODBYE,
      state: 'after',
    })
    const response = await visitor.get(logout.href, { headers: { accept: 'text/html' } })
    assert.equal(response.headers.get('location'), `${GOODBYE}?state=after`)
    assert.equal((await visitor.get('/api/me')).status, 401)
  })

  test('refuses an answer to another nonce', async ({ assert }) => {
    const { registered, visitor, issuer } = await party()
    const config = await openid.discovery(issuer, registered.id, registered.secret!, undefined, {
      execute: [openid.allowInsecureRequests],
    })
    const verifier = openid.randomPKCECodeVerifier()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      nonce: 'of another request',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const callback = await approve(visitor, registered, url)
    await assert.rejects(() =>
      openid.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier: verifier,
        expectedNonce: 'mine',
        expectedState: openid.skipStateCheck,
      })
    )
  })
})

test.group('oauth4webapi', (group) => {
  group.each.setup(isolate)

  test('discovery, code with nonce and max_age, its signature, UserInfo and refresh', async ({
    assert,
  }) => {
    const { registered, visitor, user, issuer } = await party()
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...HTTP })
    )
    const client: oauth.Client = { client_id: registered.id, default_max_age: 300 }
    const auth = oauth.ClientSecretBasic(registered.secret!)
    const verifier = oauth.generateRandomCodeVerifier()
    const nonce = oauth.generateRandomNonce()
    const url = new URL(server.authorization_endpoint!)
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: SCOPE,
      nonce,
      max_age: '300',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString()
    const callback = oauth.validateAuthResponse(
      server,
      client,
      await approve(visitor, registered, url),
      'a state'
    )
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      callback,
      REDIRECT_URI,
      verifier,
      HTTP
    )
    const granted = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      maxAge: 300,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, HTTP)
    assert.equal(oauth.getValidatedIdTokenClaims(granted)!.sub, String(user.id))

    const info = await oauth.processUserInfoResponse(
      server,
      client,
      String(user.id),
      await oauth.userInfoRequest(server, client, granted.access_token, HTTP)
    )
    assert.equal(info.email, user.email)

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, granted.refresh_token!, HTTP)
    )
    assert.equal(decodeJwt(refreshed.id_token!).auth_time, decodeJwt(granted.id_token!).auth_time)
  })
})
