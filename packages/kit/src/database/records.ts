import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'

import { type IsSpent, purging } from '#database/expired_rows'
import { affectedRows, insertion, modelOptions, selectRows } from '#database/raw_query'
import type { MaybePromise } from '#process/maybe_promise'
import { hashSecret } from '#security/secrets'

/** Whether the instant `expiresAt` has come; null never expires. Both are epoch milliseconds. */
export function isExpired(expiresAt: number | null, now: number = Date.now()): boolean {
  return expiresAt !== null && now >= expiresAt
}

/** Epoch seconds, which answers to programs carry, of epoch milliseconds. */
export const toSeconds = (instant: number): number => Math.floor(instant / 1000)

/** Records in the memory of the process, in the order of their insertion. What comes out are copies. */
export class MemoryRecords<Kept extends object> {
  readonly #records = new Map<unknown, Kept>()

  /** @param keyOf what no two records have in common */
  constructor(protected readonly keyOf: (record: Kept) => unknown) {}

  get size(): number {
    return this.#records.size
  }

  /** A record with the same key is replaced. */
  insert(record: Kept): void {
    this.#records.set(this.keyOf(record), { ...record })
  }

  find(key: unknown): Kept | null {
    const record = this.#records.get(key)
    return record ? { ...record } : null
  }

  where(matches: (record: Kept) => boolean = () => true): Kept[] {
    return [...this.#records.values()].filter(matches).map((record) => ({ ...record }))
  }

  /** Changes the records that match, and returns how many. */
  change(matches: (record: Kept) => boolean, changes: Partial<Kept>): number {
    const found = [...this.#records.values()].filter(matches)
    found.forEach((record) => Object.assign(record, changes))
    return found.length
  }

  delete(key: unknown): boolean {
    return this.#records.delete(key)
  }

  /** Deletes the records that match, and returns them. */
  deleteWhere(matches: (record: Kept) => boolean): Kept[] {
    const found = this.where(matches)
    found.forEach((record) => this.delete(this.keyOf(record)))
    return found
  }
}

/** Records that know when they were last used. */
export class MemoryUsedRecords<
  Kept extends { lastUsedAt: number | null },
> extends MemoryRecords<Kept> {
  /** Notes a use at `now`, unless one later than `before` is noted; both are epoch milliseconds. */
  recordUse(key: string, now: number, before: number): void {
    const record = this.find(key)
    if (record && (record.lastUsedAt ?? -Infinity) <= before) {
      this.insert({ ...record, lastUsedAt: now })
    }
  }
}

/** What is kept of a record: until when, in epoch milliseconds. */
type Expiring = { expiresAt: number }

/** Records that wait under a key until somebody uses them. Methods may be sync or async, and are atomic. */
export interface KeptRecords<Kept extends Expiring> {
  insert(record: Kept): MaybePromise<void>

  /** The record with this key, expired or not. */
  find(key: string): MaybePromise<Kept | null>

  /** Lets a record that is still there expire later. */
  extend(key: string, expiresAt: number): MaybePromise<void>

  /** Deletes a record for the one who uses it; false when somebody else has. */
  take(key: string): MaybePromise<boolean>

  purge(now: number, isSpent?: IsSpent): MaybePromise<number>
}

export class MemoryKeptRecords<Kept extends Expiring>
  extends MemoryRecords<Kept>
  implements KeptRecords<Kept>
{
  extend(key: string, expiresAt: number): void {
    const record = this.find(key)
    record && this.insert({ ...record, expiresAt })
  }

  take(key: string): boolean {
    return this.delete(key)
  }

  purge(now: number): number {
    return this.deleteWhere(({ expiresAt }) => isExpired(expiresAt, now)).length
  }
}

export class DatabaseKeptRecords<Kept extends Expiring> implements KeptRecords<Kept> {
  readonly purge: ReturnType<typeof purging>

  constructor(
    protected client: () => QueryClientContract,
    protected model: LucidModel
  ) {
    const { columnName: key } = model.$getColumn(model.primaryKey)!
    this.purge = purging(client, { table: model.table, key })
  }

  async insert(record: Kept) {
    await this.model.create(record, modelOptions(this.client()))
  }

  async find(key: string): Promise<Kept | null> {
    const [row] = await this.#with(key)
    return row ? (row.$attributes as Kept) : null
  }

  async extend(key: string, expiresAt: number) {
    await this.#with(key).update({ expiresAt })
  }

  async take(key: string) {
    return affectedRows(await this.#with(key).delete()) > 0
  }

  #with(key: string) {
    return this.model.query({ client: this.client() }).where(this.model.primaryKey, key)
  }
}

/** What is accepted once. Equal values of two kinds are different. */
export type UsedOnceKind =
  | 'client_assertion'
  | 'dpop_proof'
  | 'identity_assertion'
  | 'logout_token'
  | 'passkey_challenge'
  | 'social_state'
  | 'token_revocation'

/** Milliseconds that a used value is kept longer: the clock of the process that deletes it may be ahead of another's. */
const LEEWAY = 60_000

/** Values that are accepted once. Methods may be sync or async, and are atomic over all processes. */
export interface UsedOnce {
  /**
   * Uses a value up; false when it was used before.
   * @param expiresAt from when on it is refused for its age, and so need not be remembered for long, in epoch milliseconds
   */
  use(kind: UsedOnceKind, value: string, expiresAt: number): MaybePromise<boolean>

  /** Whether a value was used before, for work that has to be done before the value is used up. */
  isUsed(kind: UsedOnceKind, value: string): MaybePromise<boolean>

  purge(now: number, isSpent?: IsSpent): MaybePromise<number>
}

export class MemoryUsedOnce implements UsedOnce {
  readonly #used = new MemoryKeptRecords<Expiring & { digest: string }>(({ digest }) => digest)

  use(kind: UsedOnceKind, value: string, expiresAt: number): boolean {
    const isNew = !this.isUsed(kind, value)
    isNew && this.#used.insert({ digest: digestOf(kind, value), expiresAt: expiresAt + LEEWAY })
    return isNew
  }

  isUsed(kind: UsedOnceKind, value: string): boolean {
    return this.#used.find(digestOf(kind, value)) !== null
  }

  purge(now: number): number {
    return this.#used.purge(now)
  }
}

/** Used values in the table `used_once`, whose primary key decides between processes. */
export class DatabaseUsedOnce implements UsedOnce {
  readonly purge = purging(() => this.client(), { table: 'used_once', key: 'digest' })

  /** @param client gives the connection that the table is on, or the transaction that the use is part of */
  constructor(protected client: () => QueryClientContract) {}

  async use(kind: UsedOnceKind, value: string, expiresAt: number) {
    const row = { digest: digestOf(kind, value), expires_at: Math.ceil(expiresAt) + LEEWAY }
    const unlessThere = { conflict: 'ON CONFLICT (digest) DO NOTHING' }
    const { sql, bindings } = insertion('used_once', row, unlessThere)
    const rows = await selectRows(this.client(), sql, bindings)
    return rows.length > 0
  }

  async isUsed(kind: UsedOnceKind, value: string) {
    const sql = 'SELECT 1 AS used FROM used_once WHERE digest = ?'
    const rows = await selectRows(this.client(), sql, [digestOf(kind, value)])
    return rows.length > 0
  }
}

const digestOf = (kind: UsedOnceKind, value: string) => hashSecret(`${kind} ${value}`)
