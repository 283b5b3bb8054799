import { test } from '@japa/runner'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'

import { useDpop } from '#starter/helpers/dpop'
import { SCOPED } from '#starter/helpers/fixtures/scoped_routes'
import { isolate, registerClient } from '#starter/helpers/oauth'
import { allowAt } from '#starter/helpers/consent'
import { serverUrl } from '#starter/helpers/server_url'
import { signedIn } from '#starter/helpers/visitor'

const HTTP = { [oauth.allowInsecureRequests]: true } as const
const REDIRECT_URI = 'http://127.0.0.1:51004/callback'

test.group('Clients that bind their tokens', (group) => {
  group.each.setup(isolate)

  for (const nonce of [false, true]) {
    test(`openid-client, ${nonce ? 'with' : 'without'} nonces: PAR, code, resource, refresh`, async ({
      assert,
    }) => {
      await useDpop({ nonce }, { pushedRequests: { enabled: true } })
      const { visitor } = await signedIn()
      const client = await registerClient({
        confidential: false,
        redirectUris: ['http://127.0.0.1/callback'],
      })
      const config = await openid.discovery(
        new URL(await serverUrl()),
        client.id,
        undefined,
        openid.None(),
        { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] }
      )
      const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair())
      const verifier = openid.randomPKCECodeVerifier()
      const parameters = {
        redirect_uri: REDIRECT_URI,
        scope: 'posts:read',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }
      const url = await openid.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
      const granted = await openid.authorizationCodeGrant(
        config,
        await allowAt(visitor, url.href),
        { pkceCodeVerifier: verifier },
        undefined,
        { DPoP }
      )
      assert.equal(granted.token_type, 'dpop')
      const me = async (token: string) =>
        openid.fetchProtectedResource(
          config,
          token,
          new URL(await serverUrl(SCOPED)),
          'GET',
          null,
          undefined,
          { DPoP }
        )
      assert.equal((await me(granted.access_token)).status, 200)
      const refreshed = await openid.refreshTokenGrant(config, granted.refresh_token!, undefined, {
        DPoP,
      })
      assert.equal((await me(refreshed.access_token)).status, 200)
    })
  }

  test('oauth4webapi asks again with the nonce that it is told, at both kinds of endpoint', async ({
    assert,
  }) => {
    await useDpop({ nonce: true })
    const registered = await registerClient()
    const issuer = new URL(await serverUrl())
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...HTTP })
    )
    const client: oauth.Client = { client_id: registered.id }
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
    const ask = async () =>
      oauth.processClientCredentialsResponse(
        server,
        client,
        await oauth.clientCredentialsGrantRequest(
          server,
          client,
          oauth.ClientSecretBasic(registered.secret!),
          { scope: 'posts:read' },
          { DPoP, ...HTTP }
        )
      )
    const first = await ask().catch((error: unknown) => error)
    assert.isTrue(oauth.isDPoPNonceError(first))
    const granted = await ask()
    assert.equal(granted.token_type, 'dpop')

    const fresh = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
    const call = async (handle: oauth.DPoPHandle) =>
      oauth.protectedResourceRequest(
        granted.access_token,
        'GET',
        new URL(await serverUrl(SCOPED)),
        undefined,
        null,
        { DPoP: handle, ...HTTP }
      )
    const refused = await call(fresh).catch((error: unknown) => error)
    assert.isTrue(oauth.isDPoPNonceError(refused))
    assert.equal((await call(DPoP)).status, 200)
  })
})
