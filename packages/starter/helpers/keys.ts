import encryption from '@adonisjs/core/services/encryption'

import { KeySet } from '#kit/oauth2/keys/key_set'
import { type KeyStore, MemoryKeyStore, StoredKeys } from '#kit/oauth2/keys/key_store'
import type { SigningKey } from '#kit/oauth2/keys/signing_key'

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
