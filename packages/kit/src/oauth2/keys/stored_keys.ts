import { createPrivateKey } from 'node:crypto'

import { type JWK, calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair } from 'jose'

import { assertArgument } from '#config/checks'
import type { ErrorLog } from '#process/background'
import type { KeyRecord, KeyStore } from '#oauth2/keys/key_store'
import { ASYMMETRIC_ALGORITHMS, type SigningKey, importPrivateKey } from '#oauth2/keys/signing_key'

/** An asymmetric key whose public part anybody can read. */
export interface PublishedKey extends SigningKey {
  kid: string
  /** The public part (RFC 7517), with its `kid` and `alg`. */
  jwk: JWK
  /** From when on it signs, in epoch milliseconds. */
  signsAt: number
}

/** Encrypts what is stored, and tells when it was altered; AdonisJS's encryption does. */
export interface Sealer {
  encrypt(value: string, options: { purpose: string }): string
  decrypt<Value>(sealed: string, purpose: string): Value | null
}

/** The keys of a store. Each is decrypted and imported once. */
export class StoredKeys {
  readonly #opened = new Map<string, Promise<PublishedKey | null>>()

  constructor(
    readonly store: KeyStore,
    protected sealer: Sealer,
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
   * Stores a key, a new one without a `pem`, that signs from an instant on, in epoch milliseconds.
   *
   * @returns its `kid`
   * @throws {InvalidArgumentsException} for an unknown algorithm, and for a key that is too weak or
   * does not fit it
   */
  async add(algorithm: string, signsAt: number, pem: string | null = null): Promise<string> {
    assertArgument(
      ASYMMETRIC_ALGORITHMS.includes(algorithm),
      `There is no asymmetric algorithm "${algorithm}". Use ${ASYMMETRIC_ALGORITHMS.join(', ')}`
    )
    const text = pem ?? (await generatePem(algorithm))
    const key = await importPrivateKey(text, algorithm)
    assertArgument(
      key !== null,
      `The key must be a private one in PEM that fits the algorithm ${algorithm}; RSA keys have at least 2048 bits`
    )
    const { kid } = await publish(key, signsAt)
    const pkcs8 = createPrivateKey(text).export({ type: 'pkcs8', format: 'pem' }) as string
    const sealed = this.sealer.encrypt(pkcs8, { purpose: purposeOf({ kid, algorithm }) })
    await this.store.insert({ kid, algorithm, sealed, createdAt: Date.now(), signsAt })
    return kid
  }

  /** A key that cannot be used is told to operators, and is no reason to do without the others. */
  async #open(record: KeyRecord): Promise<PublishedKey | null> {
    const pem = this.sealer.decrypt<string>(record.sealed, purposeOf(record))
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
export async function publish(key: SigningKey, signsAt: number): Promise<PublishedKey> {
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
