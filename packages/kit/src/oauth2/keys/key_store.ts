import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { modelOptions } from '#database/models'
import { affectedRows } from '#database/raw_query'
import OAuthKey from '#oauth2/models/oauth_key'
import type { MaybePromise } from '#process/maybe_promise'

/** A key at rest. Instants are epoch milliseconds. */
export interface KeyRecord {
  /** The `kid`: the thumbprint of the public key (RFC 7638). */
  kid: string
  /** The only algorithm that it signs and verifies with. */
  algorithm: string
  /** The private key in PEM, encrypted under APP_KEY. Its public part is computed from it. */
  sealed: string
  createdAt: number
  /** From when on it signs, until a later one does. Before that it is only published. */
  signsAt: number
}

/** Where asymmetric keys live. Methods may be sync or async, and are atomic. */
export interface KeyStore {
  /** Every key, the one that signs first before the others. */
  list(): MaybePromise<KeyRecord[]>
  insert(record: KeyRecord): MaybePromise<void>
  /** Deletes a key; false when it is unknown. */
  delete(kid: string): MaybePromise<boolean>
}

/** Keys of this process alone. */
export class MemoryKeyStore implements KeyStore {
  readonly #records = new Map<string, KeyRecord>()

  list() {
    const records = [...this.#records.values()].sort((a, b) => a.signsAt - b.signsAt)
    return records.map((record) => ({ ...record }))
  }

  insert(record: KeyRecord) {
    this.#records.set(record.kid, { ...record })
  }

  delete(kid: string) {
    return this.#records.delete(kid)
  }
}

/** Keys in the table `oauth_keys`, which all processes read. */
export class DatabaseKeyStore implements KeyStore {
  constructor(protected client: () => QueryClientContract) {}

  async list() {
    const rows = await OAuthKey.query({ client: this.client() }).orderBy('signsAt')
    return rows.map((row) => row.$attributes as KeyRecord)
  }

  async insert(record: KeyRecord) {
    await OAuthKey.create(record, modelOptions(this.client()))
  }

  async delete(kid: string) {
    const query = OAuthKey.query({ client: this.client() }).where({ kid })
    return affectedRows(await query.delete()) > 0
  }
}
