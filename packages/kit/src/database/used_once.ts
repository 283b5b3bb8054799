import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { ExpiredRows, type TimeBudget } from '#database/expired_rows'
import { MemoryKeptRecords } from '#database/kept_records'
import { insertion, selectRows } from '#database/raw_query'
import type { MaybePromise } from '#process/maybe_promise'
import { hashSecret } from '#security/secrets'

/** What is accepted once. Equal values of two kinds are different. */
export type UsedOnceKind =
  | 'client_assertion'
  | 'dpop_proof'
  | 'identity_assertion'
  | 'logout_token'
  | 'passkey_challenge'
  | 'social_state'
  | 'token_revocation'

/** Values that are accepted once. Methods may be sync or async, and are atomic over all processes. */
export interface UsedOnce {
  /**
   * Uses a value up; false when it was used before.
   * @param expiresAt from when on it is refused for its age, and so need not be remembered, in epoch milliseconds
   */
  use(kind: UsedOnceKind, value: string, expiresAt: number): MaybePromise<boolean>

  /** Whether a value was used before, for work that has to be done before the value is used up. */
  isUsed(kind: UsedOnceKind, value: string): MaybePromise<boolean>

  purge(now: number, budget?: TimeBudget): MaybePromise<number>
}

export class MemoryUsedOnce implements UsedOnce {
  readonly #used = new MemoryKeptRecords<{ digest: string; expiresAt: number }>(
    ({ digest }) => digest
  )

  use(kind: UsedOnceKind, value: string, expiresAt: number): boolean {
    const digest = digestOf(kind, value)
    const isNew = this.#used.find(digest) === null
    isNew && this.#used.insert({ digest, expiresAt })
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
  readonly #expired = new ExpiredRows({ table: 'used_once', key: 'digest' })

  /** @param client gives the connection that the table is on, or the transaction that the use is part of */
  constructor(protected client: () => QueryClientContract) {}

  async use(kind: UsedOnceKind, value: string, expiresAt: number) {
    const row = { digest: digestOf(kind, value), expires_at: Math.ceil(expiresAt) }
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

  purge(now: number, budget?: TimeBudget) {
    return this.#expired.purge(this.client(), now, budget)
  }
}

function digestOf(kind: UsedOnceKind, value: string) {
  return hashSecret(`${kind} ${value}`)
}
