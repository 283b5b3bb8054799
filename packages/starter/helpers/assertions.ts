import { type CryptoKey, type JWK, SignJWT, exportJWK, generateKeyPair } from 'jose'

import { ASSERTION_TYPE } from '#kit/oauth2/clients/client_authentication'
import { type Fields, authorizationServer } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'

/** A key pair of a client. */
export interface ClientKey {
  kid: string
  algorithm: string
  privateKey: CryptoKey
  jwk: JWK
}

let made = 0

export async function clientKey(algorithm = 'ES256', kid = `key-${++made}`): Promise<ClientKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { kid, algorithm, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } }
}

/** Registers a client that authenticates with keys, and may use every grant. */
export async function clientWithKeys(keys: { jwks: JWK[] | null; jwksUri?: string | null }) {
  const { clients } = await authorizationServer()
  const [client] = await clients.register(
    'Client with keys',
    ['https://client.example.com/callback'],
    true,
    [],
    [],
    null,
    { keys: { jwksUri: null, ...keys } }
  )
  return client
}

/** An assertion that nothing is wrong with; undefined takes a claim out. */
export async function assertion(
  id: string,
  key: ClientKey,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {}
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const all = {
    iss: id,
    sub: id,
    aud: await serverUrl(),
    iat: now,
    exp: now + 60,
    jti: `jti-${++made}-${Math.random()}`,
    ...claims,
  }
  return new SignJWT(all)
    .setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header } as never)
    .sign(key.privateKey)
}

/** The fields by which a client authenticates with an assertion. */
export const asserted = (text: string): Fields => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion: text,
})
