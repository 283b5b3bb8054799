import { createHash, randomUUID } from 'node:crypto'

import { getActiveTest } from '@japa/runner'
import {
  type CryptoKey,
  type JWK,
  SignJWT,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
} from 'jose'

import type { OAuth2Config } from '#kit/oauth2/define_config'
import type { DpopConfig } from '#kit/oauth2/settings'
import {
  type Fields,
  type TestClient,
  authorizationServer,
  obtainCode,
  postToken,
  redemption,
  useConfig,
} from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

/**
 * Lets clients bind tokens to keys until the test ends. The guards of routes have the settings
 * of the application's own server, so they are changed there.
 */
export async function useDpop(dpop: DpopConfig = {}, more?: OAuth2Config) {
  const { config } = await authorizationServer()
  const original = { ...config.dpop }
  Object.assign(config.dpop, { enabled: true, ...dpop })
  getActiveTest()!.cleanup(() => {
    Object.assign(config.dpop, original)
  })
  return more ? useConfig({ ...more, dpop: { enabled: true, ...dpop } }) : authorizationServer()
}

/** Gives the application's own server an issuer and resources until the test ends. */
export async function useNames(names: { issuer: string | null; resources?: string[] }) {
  const { config } = await authorizationServer()
  const { issuer, resources } = config
  Object.assign(config, names)
  getActiveTest()!.cleanup(() => {
    Object.assign(config, { issuer, resources })
  })
}

/** A key of a client. */
export interface ClientKey {
  privateKey: CryptoKey
  jwk: JWK
  jkt: string
  alg: string
}

export async function createKey(alg = 'ES256'): Promise<ClientKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { privateKey, jwk, jkt: await calculateJwkThumbprint(jwk), alg }
}

/** The members of a proof that a test changes; undefined takes one out. */
export interface ProofOptions {
  method?: string
  url?: string
  token?: string
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
}

/** A proof of a key (RFC 9449 §4.2); for the token endpoint unless told otherwise. */
export async function createProof(key: ClientKey, options: ProofOptions = {}): Promise<string> {
  const { method = 'POST', url = await serverUrl('/oauth/token'), token } = options
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: url,
    iat: Math.floor(Date.now() / 1000),
    ...(token !== undefined && { ath: athOf(token) }),
    ...options.claims,
  }
  const header = { typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...options.header }
  /* jose signs no critical extension that it is not told of. */
  const crit = { exp: true }
  return new SignJWT(claims).setProtectedHeader(header as any).sign(key.privateKey, { crit })
}

export function athOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** The token response for a code that the user has approved, bound to a key. */
export async function obtainBound(
  visitor: Visitor,
  client: TestClient,
  key: ClientKey,
  more: Record<string, unknown> = {}
) {
  const code = await obtainCode(visitor, client, more)
  return postWithProof(redemption(client, code), await createProof(key))
}

export function postWithProof(fields: Fields, proof: string) {
  return postToken(fields, { dpop: proof })
}

/** Calls a protected route with a bound token, and a proof unless there is none. */
export async function callWith(token: string, proof: string | null, scheme = 'DPoP') {
  return new Visitor().get('/api/me', {
    headers: { authorization: `${scheme} ${token}`, ...(proof !== null && { dpop: proof }) },
  })
}

/** A proof for the protected route that `callWith` calls. */
export async function resourceProof(key: ClientKey, token: string, options: ProofOptions = {}) {
  return createProof(key, { method: 'GET', url: await serverUrl('/api/me'), token, ...options })
}
