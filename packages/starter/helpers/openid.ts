import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import { getActiveTest } from '@japa/runner'
import { type JWTPayload, createLocalJWKSet, jwtVerify } from 'jose'

import { openIdClaims } from '#services/openid_claims'
import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import type { OpenIdRegistration } from '#kit/oauth2/openid/client_settings'
import { loginHint } from '#kit/oauth2/features'
import type { OAuth2Config } from '#kit/oauth2/define_config'
import {
  REDIRECT_URI,
  type TestClient,
  authorizationServer,
  createPkce,
  obtainTokens,
  postToken,
  redemption,
  useConfig,
} from '#starter/helpers/oauth'
import { allow } from '#starter/helpers/consent'
import { serverUrl } from '#starter/helpers/server_url'
import { type Visitor, signedIn } from '#starter/helpers/visitor'

export const SALT = 'a salt of the tests that never changes'

/** What the tests ask for, unless they say otherwise. */
export const SCOPE = 'openid profile email posts:read'

/** Runs the server with OpenID Connect and keys of its own, until the test ends. */
export async function useOpenId(overrides: OAuth2Config = {}): Promise<AuthorizationServer> {
  const { openid, ...others } = overrides
  const server = await useConfig({
    issuer: await serverUrl(),
    keys: { store: 'memory' },
    openid: { enabled: true, claims: openIdClaims, pairwiseSalt: SALT, ...openid },
    ...others,
  })
  await server.keys.ready()
  const manager = await app.container.make('auth_manager')
  manager.registerFeature('openid', { loginHint })
  getActiveTest()!.cleanup(() => {
    manager.registerFeature('openid', undefined as never)
  })
  getActiveTest()!.cleanup(server.openid!.backChannel.listen(emitter))
  return server
}

/** Registers a client with what OpenID Connect adds. */
export async function registerRelyingParty(
  openid: OpenIdRegistration = {},
  options: { redirectUris?: string[]; confidential?: boolean; firstParty?: boolean } = {}
): Promise<TestClient> {
  const { redirectUris = [REDIRECT_URI], confidential = true, firstParty } = options
  const server = await authorizationServer()
  const [client, secret] = await server.clients.register(
    'Relying party',
    redirectUris,
    confidential,
    [],
    [],
    null,
    { openid, firstParty }
  )
  return { client, id: client.id, secret }
}

/** OpenID Connect is on until the test ends: somebody who is signed in, and a client that asks who they are. */
export async function parties(overrides: OAuth2Config = {}) {
  await useOpenId(overrides)
  return { ...(await signedIn()), client: await registerRelyingParty() }
}

export interface OpenIdTokens {
  access_token: string
  refresh_token: string
  id_token: string
  scope: string
}

/** The tokens that a person allows a client, through the JSON pair. */
export async function signInTo(
  visitor: Visitor,
  client: TestClient,
  more: Record<string, unknown> = {}
): Promise<OpenIdTokens> {
  return (await obtainTokens(visitor, client, { scope: SCOPE, ...more })) as any
}

/**
 * The same through the pages.
 *
 * @param scopes those that the person leaves ticked
 */
export async function signInByPages(
  visitor: Visitor,
  client: TestClient,
  more: Record<string, unknown> = {},
  scopes?: string[]
): Promise<OpenIdTokens> {
  const { verifier, challenge } = createPkce()
  const fields = { scope: SCOPE, code_challenge: challenge, ...more }
  const answer = await allow(visitor, client, fields, scopes)
  const code = answer.searchParams.get('code')!
  const { body } = await postToken(redemption(client, { code, verifier }))
  return body
}

/** The claims of a token that the published keys verify, and its header. */
export async function verified(
  token: string,
  options: { audience?: string; typ?: string } = {}
): Promise<{ claims: JWTPayload & Record<string, any>; header: Record<string, any> }> {
  const server = await authorizationServer()
  const keys = createLocalJWKSet({ keys: await server.keys.publicKeys() })
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: await serverUrl(),
    ...options,
  })
  return { claims: payload, header: protectedHeader }
}
