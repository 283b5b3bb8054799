import type { EncryptionService } from '@adonisjs/core/types'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'
import { createPrivateKey } from 'node:crypto'
import { type JWK, calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair } from 'jose'

import { MemoryRecords } from '#database/records'
import { affectedRows, modelOptions } from '#database/raw_query'
import OAuthKey from '#oauth2/models/oauth_key'
import type { MaybePromise } from '#process/maybe_promise'
import { assertArgument } from '#config/checks'
import type { ErrorLog } from '#process/background'
import { type SigningKey, ASYMMETRIC_ALGORITHMS, importPrivateKey } from '#oauth2/keys/signing_key'

/**
 * A key at rest: `kid` is the thumbprint of the public key (RFC 7638), `sealed` the private key in PEM, encrypted
 * under APP_KEY. From `signsAt` on it signs, until a later one does; before that it is only published.
 */
export type KeyRecord = ModelAttributes<OAuthKey>

/** Where asymmetric keys live. Methods may be sync or async, and are atomic. */
export interface KeyStore {
  /** Every key, the one that signs first before the others. */
  list(): MaybePromise<KeyRecord[]>
  insert(record: KeyRecord): MaybePromise<void>
  /** Deletes a key; false when it is unknown. */
  delete(kid: string): MaybePromise<boolean>
}

export class MemoryKeyStore extends MemoryRecords<KeyRecord> implements KeyStore {
  constructor() {
    super(({ kid }) => kid)
  }

  list() {
    return this.where().sort((a, b) => a.signsAt - b.signsAt)
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
    return affectedRows(await OAuthKey.query({ client: this.client() }).where({ kid }).delete()) > 0
  }
}

/** An asymmetric key whose public part (RFC 7517) anybody can read. It signs from `signsAt` on, in epoch milliseconds. */
export type PublishedKey = Awaited<ReturnType<typeof publish>>

/** The keys of a store. Each is decrypted and imported once. */
export class StoredKeys {
  readonly #opened = new Map<string, Promise<PublishedKey | null>>()

  constructor(
    readonly store: KeyStore,
    protected encryption: EncryptionService,
    protected logger: ErrorLog
  ) {}

  /** Every key that can be used, the one that signs first before the others. */
  async read(): Promise<PublishedKey[]> {
    const records = await this.store.list()
    const opened = records.map((record) => {
      const opening = this.#opened.get(record.kid) ?? this.#open(record)
      this.#opened.set(record.kid, opening)
      return opening
    })
    const keys = await Promise.all(opened)
    return keys.filter((key) => key !== null)
  }

  /**
   * Stores a key, a new one without a `pem`, that signs from an instant on (epoch milliseconds). @returns its `kid`
   * @param known what is published already, e.g. the key of the configuration
   * @throws {InvalidArgumentsException} for an unknown algorithm, and for a key that is too weak, does not fit it or is in the set already
   */
  async add(algorithm: string, signsAt: number, pem: string | null = null, known: JWK[] = []) {
    const unknown = `There is no asymmetric algorithm "${algorithm}". Use ${ASYMMETRIC_ALGORITHMS.join(', ')}`
    assertArgument(ASYMMETRIC_ALGORITHMS.includes(algorithm), unknown)
    const text = pem ?? (await generatePem(algorithm))
    const key = await importPrivateKey(text, algorithm)
    const unusable = `The key must be a private one in PEM that fits the algorithm ${algorithm}; RSA keys have at least 2048 bits`
    assertArgument(key !== null, unusable)
    const { kid } = await publish(key, signsAt)
    const others = pem === null ? [] : [...known, ...(await this.store.list())]
    const twice = 'The set has this key already: it is OAUTH_KEY, or "auth:key list" names it'
    assertArgument(!others.some((one) => one.kid === kid), twice)
    const pkcs8 = createPrivateKey(text).export({ type: 'pkcs8', format: 'pem' }) as string
    const sealed = this.encryption.encrypt(pkcs8, { purpose: purposeOf({ kid, algorithm }) })
    await this.store.insert({ kid, algorithm, sealed, createdAt: Date.now(), signsAt })
    return kid
  }

  /** A key that cannot be used is told to operators, and is no reason to do without the others. */
  async #open(record: KeyRecord): Promise<PublishedKey | null> {
    const pem = this.encryption.decrypt<string>(record.sealed, purposeOf(record))
    const key = pem === null ? null : await importPrivateKey(pem, record.algorithm)
    if (key) {
      return publish(key, record.signsAt)
    }
    const err = new Error('It was encrypted under another APP_KEY, altered, or is too weak')
    this.logger.error({ err }, `Cannot use the OAuth key ${record.kid}`)
    return null
  }
}

/** A key together with its public part, which is named by its thumbprint. */
export async function publish(key: SigningKey, signsAt: number) {
  const jwk = await exportJWK(key.verify)
  const kid = await calculateJwkThumbprint(jwk)
  return { ...key, kid, jwk: { ...jwk, kid, alg: key.algorithm, use: 'sig' }, signsAt }
}

/** What is encrypted for one key and algorithm cannot stand for another. */
function purposeOf({ kid, algorithm }: { kid: string; algorithm: string }) {
  return `oauth key ${kid} ${algorithm}`
}

/** A command line takes a name that begins with a hyphen for a flag, so that no new key gets one. */
async function generatePem(algorithm: string): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  const kid = await calculateJwkThumbprint(await exportJWK(publicKey))
  return kid.startsWith('-') ? generatePem(algorithm) : exportPKCS8(privateKey)
}
