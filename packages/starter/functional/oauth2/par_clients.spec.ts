import { test } from '@japa/runner'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'

import { allowAt } from '#starter/helpers/consent'
import { REDIRECT_URI, isolate, opens, registerClient } from '#starter/helpers/oauth'
import { usePushedRequests } from '#starter/helpers/par'
import { serverUrl } from '#starter/helpers/server_url'
import { signedIn } from '#starter/helpers/visitor'

const HTTP = { [oauth.allowInsecureRequests]: true } as const

test.group('Clients that push their requests', (group) => {
  group.each.setup(isolate)

  test('openid-client', async ({ assert }) => {
    await usePushedRequests({ required: true })
    const { visitor } = await signedIn()
    const redirectUri = 'https://client.example.com/callback'
    const client = await registerClient({ redirectUris: [redirectUri] })
    const config = await openid.discovery(
      new URL(await serverUrl()),
      client.id,
      client.secret!,
      undefined,
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] }
    )
    const verifier = openid.randomPKCECodeVerifier()
    const state = openid.randomState()
    const url = await openid.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: redirectUri,
      scope: 'posts:read',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    })
    assert.sameMembers([...url.searchParams.keys()], ['client_id', 'request_uri'])
    const granted = await openid.authorizationCodeGrant(config, await allowAt(visitor, url.href), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    })
    assert.isTrue(await opens(granted.access_token))
  })

  test('oauth4webapi, as a public client', async ({ assert }) => {
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client: oauth.Client = { client_id: (await registerClient({ confidential: false })).id }
    const issuer = new URL(await serverUrl())
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...HTTP })
    )
    const verifier = oauth.generateRandomCodeVerifier()
    const request = new URLSearchParams({
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'posts:read',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const { request_uri: requestUri } = await oauth.processPushedAuthorizationResponse(
      server,
      client,
      await oauth.pushedAuthorizationRequest(server, client, oauth.None(), request, HTTP)
    )
    const url = new URL(server.authorization_endpoint!)
    url.search = new URLSearchParams({
      client_id: client.client_id,
      request_uri: requestUri,
    }).toString()
    const callback = oauth.validateAuthResponse(server, client, await allowAt(visitor, url.href))
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      callback,
      REDIRECT_URI,
      verifier,
      HTTP
    )
    const granted = await oauth.processAuthorizationCodeResponse(server, client, response)
    assert.isTrue(await opens(granted.access_token))
  })
})
