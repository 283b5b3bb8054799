import { test } from '@japa/runner'
import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'

import {
  REDIRECT_URI,
  RESOURCE,
  type TestClient,
  isolate,
  opens,
  registerClient,
} from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { type Visitor, signedIn } from '#starter/helpers/visitor'

const HTTP = { [oauth.allowInsecureRequests]: true } as const

/** Approves what an authorization URL asks for, as an application's own consent page does. */
async function approve(visitor: Visitor, url: URL): Promise<URL> {
  const fields = Object.fromEntries(url.searchParams)
  const response = await visitor.send(url.pathname, { ...fields, approved: true })
  const { redirect_to: location } = (await response.json()) as any
  return new URL(location)
}

test.group('oauth4webapi', (group) => {
  group.each.setup(isolate)

  async function discover() {
    const issuer = new URL(await serverUrl())
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...HTTP })
    return oauth.processDiscoveryResponse(issuer, response)
  }

  const authentication: [string, (client: TestClient) => oauth.ClientAuth, boolean][] = [
    ['client_secret_basic', ({ secret }) => oauth.ClientSecretBasic(secret!), true],
    ['client_secret_post', ({ secret }) => oauth.ClientSecretPost(secret!), true],
    ['none', () => oauth.None(), false],
  ]
  for (const [method, createAuth, confidential] of authentication) {
    test(`the whole code flow with ${method}`, async ({ assert }) => {
      const server = await discover()
      const { visitor, user } = await signedIn()
      const registered = await registerClient({ confidential })
      const client: oauth.Client = { client_id: registered.id }
      const auth = createAuth(registered)

      const verifier = oauth.generateRandomCodeVerifier()
      const state = oauth.generateRandomState()
      const url = new URL(server.authorization_endpoint!)
      url.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope: 'posts:read posts:write',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        resource: RESOURCE,
      }).toString()

      const callback = oauth.validateAuthResponse(
        server,
        client,
        await approve(visitor, url),
        state
      )
      const granted = await oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(
          server,
          client,
          auth,
          callback,
          REDIRECT_URI,
          verifier,
          HTTP
        )
      )
      const claims = decodeJwt(granted.access_token)
      assert.equal(claims.aud, RESOURCE)
      assert.equal(claims.sub, String(user.id))

      const refreshed = await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, auth, granted.refresh_token!, {
          additionalParameters: { scope: 'posts:read' },
          ...HTTP,
        })
      )
      assert.equal(refreshed.scope, 'posts:read')

      const introspect = async (token: string) =>
        oauth.processIntrospectionResponse(
          server,
          client,
          await oauth.introspectionRequest(server, client, auth, token, HTTP)
        )
      if (confidential) {
        assert.isTrue((await introspect(refreshed.access_token)).active)
      }
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, auth, refreshed.refresh_token!, HTTP)
      )
      if (confidential) {
        assert.isFalse((await introspect(refreshed.access_token)).active)
      }

      const reused = await oauth
        .processRefreshTokenResponse(
          server,
          client,
          await oauth.refreshTokenGrantRequest(server, client, auth, refreshed.refresh_token!, HTTP)
        )
        .catch((error: unknown) => error)
      assert.instanceOf(reused, oauth.ResponseBodyError)
      assert.equal((reused as oauth.ResponseBodyError).error, 'invalid_grant')
    })
  }

  for (const [method, createAuth] of authentication.slice(0, 2)) {
    test(`client credentials with ${method}`, async ({ assert }) => {
      const server = await discover()
      const registered = await registerClient()
      const client: oauth.Client = { client_id: registered.id }
      const granted = await oauth.processClientCredentialsResponse(
        server,
        client,
        await oauth.clientCredentialsGrantRequest(
          server,
          client,
          createAuth(registered),
          { scope: 'posts:read' },
          HTTP
        )
      )
      assert.equal(granted.scope, 'posts:read')
      assert.notProperty(granted, 'refresh_token')
    })
  }
})

test.group('openid-client in OAuth-only mode', (group) => {
  group.each.setup(isolate)

  const discover = async ({ id, secret }: TestClient, auth?: openid.ClientAuth) =>
    openid.discovery(new URL(await serverUrl()), id, secret ?? undefined, auth, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    })

  test('the whole code flow of a confidential client', async ({ assert }) => {
    const { visitor } = await signedIn()
    const redirectUri = 'https://client.example.com/callback'
    const client = await registerClient({ redirectUris: [redirectUri] })
    const config = await discover(client, openid.ClientSecretBasic(client.secret!))

    const verifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'posts:read',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    })
    const granted = await openid.authorizationCodeGrant(config, await approve(visitor, url), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    })
    assert.isTrue(await opens(granted.access_token))

    const refreshed = await openid.refreshTokenGrant(config, granted.refresh_token!)
    assert.isTrue(await opens(refreshed.access_token))
    const introspected = await openid.tokenIntrospection(config, refreshed.access_token)
    assert.isTrue(introspected.active)
    await openid.tokenRevocation(config, refreshed.access_token)
    assert.isFalse(await opens(refreshed.access_token))
  })

  test('the whole code flow of a public client', async ({ assert }) => {
    const { visitor } = await signedIn()
    const redirectUri = 'http://127.0.0.1:51004/callback'
    const client = await registerClient({
      confidential: false,
      redirectUris: ['http://127.0.0.1/callback'],
    })
    const config = await discover(client, openid.None())
    const verifier = openid.randomPKCECodeVerifier()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'posts:read',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const granted = await openid.authorizationCodeGrant(config, await approve(visitor, url), {
      pkceCodeVerifier: verifier,
    })
    assert.isTrue(await opens(granted.access_token))
    const refreshed = await openid.refreshTokenGrant(config, granted.refresh_token!)
    assert.isTrue(await opens(refreshed.access_token))
  })

  test('client credentials', async ({ assert }) => {
    const client = await registerClient()
    const config = await discover(client)
    const granted = await openid.clientCredentialsGrant(config, { scope: 'posts:read' })
    assert.equal(granted.scope, 'posts:read')
  })
})
