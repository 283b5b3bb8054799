import { setTimeout as sleep } from 'node:timers/promises'

import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { affectedRows, selectRows } from '#database/raw_query'

/** Rows that one statement handles. Each size is twice the one before, so that few statements are prepared. */
const SIZE = { first: 100, min: 25, max: 200 }

/** Milliseconds that a statement should take at most: on SQLite the whole process waits for it. */
const PATIENCE = 4

/** Rows that stay: so many are not passed anew in each run, but once in so many milliseconds. */
const KEPT = { many: 2_000, revisit: 24 * 3_600_000 }

const BEGINNING = Number.MIN_SAFE_INTEGER

/** Whether a purge has taken so long that it leaves the rest to its next run. */
export type IsSpent = () => boolean

/** @param milliseconds default 30 seconds, in which other work goes on between any two statements */
export function timeBudget(milliseconds: number = 30_000): IsSpent {
  const end = performance.now() + milliseconds
  return () => performance.now() >= end
}

/** Disks and tables differ by orders of magnitude, so the size follows what the last statements took. */
class Pace {
  size = SIZE.first
  #slowest = 0

  /** Runs a statement, and rests for as long as it took: requests go on meanwhile. */
  async run<Result>(statement: () => Promise<Result>): Promise<Result> {
    const start = performance.now()
    const result = await statement()
    const took = performance.now() - start
    this.#slowest = Math.max(this.#slowest, took)
    await sleep(took)
    return result
  }

  adapt(): void {
    if (this.#slowest > PATIENCE) {
      this.size = Math.max(this.size / 2, SIZE.min)
    } else if (this.#slowest < PATIENCE / 2) {
      this.size = Math.min(this.size * 2, SIZE.max)
    }
    this.#slowest = 0
  }
}

export interface ExpiredRowsOptions {
  table: string
  key: string
  /** Indexed column with the instant from which on a row is expired, in epoch milliseconds. Default `expires_at`. */
  column?: string
  /** SQL condition of the rows that stay although they have expired. The row is `t`. Its subqueries need an index. */
  keep?: string
}

/** The `purge` of a store whose rows expire: see `ExpiredRows`. */
export function purging(client: () => QueryClientContract, options: ExpiredRowsOptions) {
  const expired = new ExpiredRows(options)
  return (now: number, isSpent?: IsSpent) => expired.purge(client(), now, isSpent)
}

/**
 * Deletes the expired rows of a table in small statements, so that no lock is held for long. It
 * walks along the index of the instant, so a run looks at every expired row once, also at rows that
 * stay. Where many stay, the next runs go on behind them until a day has passed.
 */
export class ExpiredRows {
  readonly #options: Required<ExpiredRowsOptions>
  readonly #window: string

  #from = BEGINNING
  /** When a run last started at the beginning, and how many rows have stayed since. */
  #began = 0
  #kept = 0

  constructor({ table, key, column = 'expires_at', keep = 'FALSE' }: ExpiredRowsOptions) {
    this.#options = { table, key, column, keep }
    this.#window = `
      SELECT t.${key} AS key, t.${column} AS instant, (${keep}) AS kept FROM ${table} t
      WHERE t.${column} >= ? AND t.${column} <= ? ORDER BY t.${column} LIMIT ?`
  }

  /** Deletes the rows that expired at or before an instant, and returns how many. */
  async purge(client: QueryClientContract, until: number, isSpent = timeBudget()) {
    const pace = new Pace()
    if (this.#from === BEGINNING) {
      this.#began = Date.now()
      this.#kept = 0
    }
    let from = this.#from
    let span = pace.size
    let deleted = 0
    for (;;) {
      const window = await pace.run(() => selectRows(client, this.#window, [from, until, span]))
      const doomed = window.filter(({ kept }) => !kept).map(({ key }) => key)
      let deletedHere = 0
      for (let index = 0; index < doomed.length; index += pace.size) {
        const keys = doomed.slice(index, index + pace.size)
        deletedHere += await pace.run(() => this.#delete(client, keys, pace.size, until))
      }
      deleted += deletedHere
      this.#kept += window.length - doomed.length
      pace.adapt()

      if (window.length < span) {
        /* Rows that stayed may have lost what kept them. */
        const isDue = this.#kept < KEPT.many || Date.now() - this.#began >= KEPT.revisit
        this.#from = isDue ? BEGINNING : from
        return deleted
      }
      const last = Number(window.at(-1)!.instant)
      /* Every row of the window has the same instant and stays: only a larger window gets past it. */
      const isStuck = deletedHere === 0 && last === from
      span = isStuck ? span * 2 : pace.size
      from = last
      if (isSpent()) {
        this.#from = from
        return deleted
      }
    }
  }

  /** On PostgreSQL, rows that another transaction has locked are left for the next run: a purge never waits. */
  async #delete(client: QueryClientContract, keys: unknown[], size: number, until: number) {
    const { table, key, column, keep } = this.#options
    const placeholders = Array(size).fill('?').join(', ')
    const expired = `t.${key} IN (${placeholders}) AND t.${column} <= ? AND NOT (${keep})`
    const condition =
      client.dialect.name === 'postgres'
        ? `t.${key} IN (SELECT t.${key} FROM ${table} t WHERE ${expired} FOR UPDATE SKIP LOCKED)`
        : expired
    /* Padded to the size of the batch, so that there is one statement for each size. */
    const padded = [...keys, ...Array(size - keys.length).fill(keys[0])]
    const doomed = client.from(`${table} as t`).whereRaw(condition, [...padded, until])
    return affectedRows(await doomed.delete())
  }
}
