import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'

import { ExpiredRows, type TimeBudget } from '#database/expired_rows'
import { isExpired } from '#database/expiry'
import { MemoryRecords } from '#database/memory_records'
import { modelOptions } from '#database/models'
import { affectedRows } from '#database/raw_query'
import type { MaybePromise } from '#process/maybe_promise'

/** What is kept of a record: until when, in epoch milliseconds. */
interface Expiring {
  expiresAt: number
}

/** Records that wait under a key until somebody uses them. Methods may be sync or async, and are atomic. */
export interface KeptRecords<Kept extends Expiring> {
  insert(record: Kept): MaybePromise<void>

  /** The record with this key, expired or not. */
  find(key: string): MaybePromise<Kept | null>

  /** Lets a record that is still there expire later. */
  extend(key: string, expiresAt: number): MaybePromise<void>

  /** Deletes a record for the one who uses it; false when somebody else has. */
  take(key: string): MaybePromise<boolean>

  purge(now: number, budget?: TimeBudget): MaybePromise<number>
}

export class MemoryKeptRecords<Kept extends Expiring>
  extends MemoryRecords<Kept>
  implements KeptRecords<Kept>
{
  extend(key: string, expiresAt: number): void {
    const record = this.find(key)
    if (record) {
      this.insert({ ...record, expiresAt })
    }
  }

  take(key: string): boolean {
    return this.delete(key)
  }

  purge(now: number): number {
    return this.deleteWhere(({ expiresAt }) => isExpired(expiresAt, now))
  }
}

export class DatabaseKeptRecords<Kept extends Expiring> implements KeptRecords<Kept> {
  readonly #expired: ExpiredRows

  constructor(
    protected client: () => QueryClientContract,
    protected model: LucidModel,
    protected key: string
  ) {
    this.#expired = new ExpiredRows({ table: model.table, key })
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

  purge(now: number, budget?: TimeBudget) {
    return this.#expired.purge(this.client(), now, budget)
  }

  #with(key: string) {
    return this.model.query({ client: this.client() }).where(this.key, key)
  }
}
