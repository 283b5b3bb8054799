import { assertArgument } from '#config/checks'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { KeySet } from '#oauth2/keys/key_set'
import type { KeyRecord, StoredKeys } from '#oauth2/keys/key_store'

/**
 * The state `unusable` is that of a key that cannot be decrypted, or is too weak. From `replacedAt` on the next key signs,
 * in epoch milliseconds; null without one.
 */
export type ListedKey = Awaited<ReturnType<KeyChanges['list']>>[number]

interface NewKey {
  /** Default: the one of the constructor; of a rotation, that of the key that signs. */
  algorithm?: string | null
  /** Whether it signs at once, although copies of the public keys do not have it. Default false. */
  immediately?: boolean
  /** A private key of yours, in PEM. Default: a new one. */
  pem?: string | null
}

/** What operators do with the asymmetric keys: `node ace auth:key`. */
export class KeyChanges {
  readonly #stored: StoredKeys

  /**
   * @param publishFor seconds for which a new key is published before it signs
   * @param algorithm of a key that names none; `defaultAlgorithm` knows it
   * @throws {InvalidArgumentsException} when the setting `keys` is off
   */
  constructor(
    protected keys: KeySet,
    protected publishFor: number,
    protected algorithm = 'ES256'
  ) {
    const noSet =
      'There is no set of keys: set OAUTH_KEYS_STORE=database (config/oauth2.ts, "keys")'
    assertArgument(keys.stored !== null, noSet)
    this.#stored = keys.stored
  }

  async list() {
    const records = await this.#stored.store.list()
    const readable = await this.#stored.read()
    const usable = new Set(readable.map(({ kid }) => kid))
    const current = await this.#current()
    const stateOf = ({ kid, signsAt }: KeyRecord) => {
      const asTime = signsAt > Date.now() ? 'waits' : 'verifies'
      return !usable.has(kid) ? 'unusable' : kid === current ? 'signs' : asTime
    }
    return records.map((record, index) => ({
      ...record,
      replacedAt: records.slice(index + 1).find(({ kid }) => usable.has(kid))?.signsAt ?? null,
      state: stateOf(record),
    }))
  }

  /**
   * Adds a key. It signs once it has been published for long enough, the first asymmetric one at
   * once: nobody has a copy of the public keys yet. It throws as `StoredKeys.add` does.
   */
  async make({ algorithm, immediately = false, pem = null }: NewKey = {}): Promise<ListedKey> {
    await this.keys.refresh()
    const delay = immediately || !this.keys.isAsymmetric ? 0 : this.publishFor * 1000
    const known = await this.keys.publicKeys()
    const kid = await this.#stored.add(algorithm ?? this.algorithm, Date.now() + delay, pem, known)
    const keys = await this.list()
    return keys.find((key) => key.kid === kid)!
  }

  /** Adds the successor of the key that signs. @throws {InvalidArgumentsException} without one */
  async rotate(key: NewKey = {}): Promise<ListedKey> {
    const keys = await this.list()
    const current = keys.find(({ state }) => state === 'signs')
    assertArgument(current !== undefined, 'No key of the set signs yet: "auth:key make" makes one')
    return this.make({ ...key, algorithm: key.algorithm ?? current.algorithm })
  }

  /** Every process refuses its tokens within `KeySet.delay`. @throws {InvalidArgumentsException} */
  async retire(kid: string): Promise<void> {
    const inUse = 'This key signs. Let another one sign first: "auth:key rotate --now"'
    assertArgument(kid !== (await this.#current()), inUse)
    const unknown = 'There is no key with this id: "auth:key list" names them'
    assertArgument(await this.#stored.store.delete(kid), unknown)
    await this.keys.refresh()
  }

  async #current(): Promise<string | null> {
    await this.keys.refresh()
    return this.keys.signingKid
  }
}

/** Takes out replaced keys whose access tokens have all expired, and returns how many. */
export async function purgeExpiredKeys(
  { keys, config, tokens }: Pick<AuthorizationServer, 'keys' | 'config' | 'tokens'>,
  now: number
): Promise<number> {
  const changes = new KeyChanges(keys, config.keys.publishFor)
  let retired = 0
  for (const { kid, state, replacedAt } of await changes.list()) {
    if (state !== 'verifies' || replacedAt === null) {
      continue
    }
    /* Until then a process may have signed with it that had not heard of its successor. */
    const last = replacedAt + keys.delay
    const isOver = now >= last + config.accessTokenTtl * 1000
    if (isOver && !(await tokens.hasActiveFrom(last, now))) {
      await changes.retire(kid)
      retired++
    }
  }
  return retired
}
