import encryption from '@adonisjs/core/services/encryption'
import { type CryptoKey, decodeProtectedHeader } from 'jose'

import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { KeySet } from '#kit/oauth2/keys/key_set'
import { type KeyStore, MemoryKeyStore, StoredKeys } from '#kit/oauth2/keys/key_store'
import type { SigningKey } from '#kit/oauth2/keys/signing_key'
import type { SubjectOf } from '#kit/oauth2/openid/subjects'
import { AccessTokens } from '#kit/oauth2/tokens/access_tokens'

/** A JWT with ES256, signed again as one whose payload is not encoded: JWTs must not be so (RFC 7797 §7). */
export async function unencoded(jwt: string, key: CryptoKey): Promise<string> {
  const header = { ...decodeProtectedHeader(jwt), crit: ['b64'], b64: false }
  const encoded = Buffer.from(JSON.stringify(header)).toString('base64url')
  const text = `${encoded}.${jwt.split('.')[1]}`
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
  const signature = await crypto.subtle.sign(algorithm, key, Buffer.from(text))
  return `${text}.${Buffer.from(signature).toString('base64url')}`
}

/** Remembers what was logged as an error. */
export class ErrorLines {
  readonly lines: string[] = []

  error(_details: unknown, message: string) {
    this.lines.push(message)
  }
}

/** A set of keys as a process has it. */
export function keySet({
  configured = null,
  store = new MemoryKeyStore(),
  publishFor = 3600,
  logger = new ErrorLines(),
}: {
  configured?: SigningKey | null
  store?: KeyStore
  publishFor?: number
  logger?: ErrorLines
} = {}) {
  const stored = new StoredKeys(store, encryption, logger)
  return { keys: new KeySet({ configured, stored, publishFor, logger }), stored, store, logger }
}

/** The access tokens of a server with these keys, which knows users by their ids unless told otherwise. */
export function accessTokensOf(
  keys: KeySet,
  issuer: string | null = null,
  subjectOf: SubjectOf = ({ userId }) => userId
) {
  const config = { issuer, defaultAudience: null }
  return new AccessTokens({ keys, config, subjectOf } as AuthorizationServer)
}
