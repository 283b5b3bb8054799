import { KeyObject } from 'node:crypto'

import type { EncryptionService } from '@adonisjs/core/types'
import { type JWK, errors } from 'jose'

import { assertRuntime } from '#config/checks'
import type { ErrorLog } from '#process/background'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { type KeyStore, type PublishedKey, StoredKeys, publish } from '#oauth2/keys/key_store'
import {
  type Json,
  type SigningKey,
  assertAlgorithm,
  defaultAlgorithm,
  loadConfiguredKey,
  readHeader,
  signJwt,
  verifyJwt,
} from '#oauth2/keys/signing_key'
import { assertOr } from '#process/assert_or'

/** Milliseconds between two reads for tokens with an unknown `kid`, which anybody can send. */
const UNKNOWN_KEY_INTERVAL = 1000

/** Milliseconds after which a process reads the keys again. */
const MAX_AGE = 60_000

/** The configured key and those of the store: one signs, all verify, each by its own algorithm. */
export class KeySet {
  /** The asymmetric keys at rest; null when `OAuth2Config.keys` is off. */
  readonly stored: StoredKeys | null
  /** Milliseconds within which every process knows a key that was stored. */
  readonly delay: number
  #published: PublishedKey[] = []
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(
    protected parts: {
      configured: SigningKey | null
      stored?: StoredKeys | null
      publishFor?: number
      logger: ErrorLog
    }
  ) {
    this.stored = parts.stored ?? null
    this.delay = Math.min(MAX_AGE, ((parts.publishFor ?? 0) * 1000) / 2)
  }

  /* What follows says what is known: `ready` has to be awaited before. */

  get signingAlgorithm(): string {
    return this.#current().algorithm
  }

  /** `kid` of the key that signs; null for a key that is not published, and without any. */
  get signingKid(): string | null {
    const key = this.#latest()
    return key && 'kid' in key ? key.kid : null
  }

  /** Whether the key that signs is asymmetric and published: clients can verify tokens. */
  get isAsymmetric(): boolean {
    return this.signingKid !== null
  }

  get algorithms(): string[] {
    return [...new Set(this.#published.map(({ algorithm }) => algorithm))]
  }

  /** @throws {RuntimeException} when there is no key at all */
  assertCanSign(): void {
    this.#current()
  }

  accepts(kid: string | null): boolean {
    return this.#find(kid) !== undefined
  }

  /** The public parts of all asymmetric keys, also of those that do not sign any more, or not yet. */
  async publicKeys(): Promise<JWK[]> {
    await this.ready()
    return this.#published.map(({ jwk }) => jwk)
  }

  /** Reads the keys again when they are too old. @throws when they were never read and cannot be */
  ready(): Promise<void> | void {
    if (this.stored && performance.now() - this.#readAt >= this.delay) {
      return this.refresh()
    }
  }

  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null))
    return this.#reading
  }

  /** Signs claims with the key that signs now. The header gets its `alg`, and its `kid` if it is published. */
  async sign(claims: object, header: Json = {}): Promise<string> {
    await this.ready()
    const key = this.#current()
    return signJwt('kid' in key ? { ...header, kid: key.kid } : header, claims, key)
  }

  /**
   * The header and the claims of a token that one of these keys has signed; the caller judges the
   * claims. `kid` is null for the key of the configuration, unless it is published.
   * @param options.typ media type that the header has to name, e.g. `at+jwt` (RFC 8725 §3.11)
   * @throws {errors.JOSEError} for anything else
   */
  async verify(token: string, { typ }: { typ?: string } = {}) {
    await this.ready()
    const { key, kid } = await this.#keyOf(token)
    const { header, claims } = await verifyJwt(token, key)
    const isTyped = typ === undefined || namesType(header.typ, typ)
    const problem = '"typ" claim check failed'
    assertOr(isTyped, errors.JWTClaimValidationFailed, problem, claims, 'typ')
    return { header, claims, kid }
  }

  /** Tokens name their key; those from before there was a set, and those of a secret, do not. */
  async #keyOf(token: string) {
    const kid = this.stored ? (readHeader(token).kid ?? null) : null
    const isName = kid === null || typeof kid === 'string'
    assertOr(isName, errors.JWSInvalid, '"kid" (Key ID) Header Parameter must be a string')
    let key = this.#find(kid)
    if (!key && kid !== null && performance.now() - this.#readAt >= UNKNOWN_KEY_INTERVAL) {
      /* Another process may already sign with a new key. */
      await this.refresh()
      key = this.#find(kid)
    }
    assertOr(key, errors.JWKSNoMatchingKey)
    return { key, kid }
  }

  #find(kid: string | null): SigningKey | undefined {
    return kid === null
      ? (this.parts.configured ?? undefined)
      : this.#published.find((key) => key.kid === kid)
  }

  /** The latest key whose time has come. Before the first one's, that of the configuration. */
  #latest(): SigningKey | PublishedKey | undefined {
    const now = Date.now()
    return (
      this.#published.findLast(({ signsAt }) => signsAt <= now) ??
      this.parts.configured ??
      this.#published[0]
    )
  }

  #current(): SigningKey | PublishedKey {
    const key = this.#latest()
    const missing =
      'OAuth2Config: there is no key that signs tokens. Make one with "node ace auth:key make", or set OAUTH_KEY'
    assertRuntime(key, missing)
    return key
  }

  /** Known keys stay in use while reading fails. */
  async #read() {
    /* Before the read, which may miss a key that is stored meanwhile. */
    const startedAt = performance.now()
    try {
      const stored = await this.stored!.read()
      const { configured: own } = this.parts
      /* An asymmetric key of the configuration is a member of the set, the oldest one. */
      const isPublic = own && !(own.verify instanceof KeyObject)
      this.#published = isPublic
        ? [await publish(own, Number.NEGATIVE_INFINITY), ...stored]
        : stored
    } catch (error) {
      if (this.#readAt === Number.NEGATIVE_INFINITY) {
        throw error
      }
      this.parts.logger.error({ err: error }, 'Cannot read the OAuth keys again')
    }
    this.#readAt = startedAt
  }
}

/** `application/` may be left out, and the case is no matter (RFC 7515 §4.1.9). */
function namesType(value: unknown, typ: string) {
  return typeof value === 'string' && value.toLowerCase().replace(/^application\//, '') === typ
}

/** @throws {RuntimeException | InvalidArgumentsException} when the key of the configuration is missing or does not fit */
export async function createKeySet(parts: {
  config: Pick<ResolvedOAuth2Config, 'key' | 'algorithm' | 'keys' | 'openid'>
  /** null when the setting `keys` is off. */
  store: KeyStore | null
  encryption: EncryptionService
  inProduction: boolean
  logger: ErrorLog & { warn(message: string): void }
}): Promise<KeySet> {
  const { config, store, encryption, inProduction, logger } = parts
  const warn = (message: string) => logger.warn(message)
  const stored = store && new StoredKeys(store, encryption, logger)
  if (stored && config.keys.store === 'memory') {
    await stored.add(defaultAlgorithm(config), Date.now())
    warn(
      'OAuthKeysConfig: the key in the store "memory" ends with the process, and access tokens with it'
    )
  }
  assertAlgorithm(config.algorithm)
  const configured =
    stored && !config.key ? null : await loadConfiguredKey(config, { inProduction, warn })
  return new KeySet({ configured, stored, publishFor: config.keys.publishFor, logger })
}
