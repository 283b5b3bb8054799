import encryption from '@adonisjs/core/services/encryption'

import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { KeySet } from '#kit/oauth2/keys/key_set'
import { type KeyStore, MemoryKeyStore, StoredKeys } from '#kit/oauth2/keys/key_store'
import type { SigningKey } from '#kit/oauth2/keys/signing_key'
import type { SubjectOf } from '#kit/oauth2/openid/subjects'
import { AccessTokens } from '#kit/oauth2/tokens/access_tokens'

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
