import { setImmediate } from 'node:timers/promises'

import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { affectedRows, selectRows } from '#support/raw_query'

/** Rows that one statement looks at: SQLite deletes as many within a few milliseconds, and nothing else runs meanwhile. */
const BATCH = 200

/** How long a purge may take before it leaves the rest to its next run. */
export class TimeBudget {
  readonly #end: number

  /** @param milliseconds default 30 seconds, in which other work goes on between any two statements */
  constructor(milliseconds: number = 30_000) {
    this.#end = performance.now() + milliseconds
  }

  get isSpent(): boolean {
    return performance.now() >= this.#end
  }
}

export interface ExpiredRowsOptions {
  table: string
  /** Primary key. */
  key: string
  /** Indexed column with the instant from which on a row is expired, in epoch milliseconds. Default `expires_at`. */
  column?: string
  /** SQL condition of the rows that stay although they have expired. The row is `t`. Its subqueries need an index. */
  keep?: string
}

/**
 * Deletes the expired rows of a table in batches, each statement on its own, and
 * lets other work run in between. It walks along the index of the instant, so a
 * run looks at every expired row once, rows that stay included.
 */
export class ExpiredRows {
  readonly #options: ExpiredRowsOptions
  readonly #window: string
  readonly #condition: string

  /** Where the next run starts: at the beginning, unless the time of the last one was up. */
  #from = Number.MIN_SAFE_INTEGER

  constructor(options: ExpiredRowsOptions) {
    const { table, key, column = 'expires_at', keep = 'FALSE' } = options
    this.#options = options
    this.#window = `
      SELECT t.${key} AS key, t.${column} AS instant, (${keep}) AS kept FROM ${table} t
      WHERE t.${column} >= ? AND t.${column} <= ? ORDER BY t.${column} LIMIT ?`
    this.#condition = `
      t.${key} IN (${Array(BATCH).fill('?').join(', ')}) AND t.${column} <= ? AND NOT (${keep})`
  }

  /**
   * Deletes the rows that expired at or before an instant.
   *
   * @returns how many went
   */
  async purge(
    client: QueryClientContract,
    until: number,
    budget: TimeBudget = new TimeBudget()
  ): Promise<number> {
    let from = this.#from
    let size = BATCH
    let deleted = 0
    for (;;) {
      const window = await selectRows(client, this.#window, [from, until, size])
      await setImmediate()
      const doomed = window.filter(({ kept }) => !kept).map(({ key }) => key)
      let deletedHere = 0
      for (let index = 0; index < doomed.length; index += BATCH) {
        deletedHere += await this.#delete(client, doomed.slice(index, index + BATCH), until)
        await setImmediate()
      }
      deleted += deletedHere

      const last = window.at(-1)
      if (!last || window.length < size) {
        this.#from = Number.MIN_SAFE_INTEGER
        return deleted
      }
      /* A whole window of one instant that stays: only a larger one gets past it. */
      const isStuck = deletedHere === 0 && Number(last.instant) === from
      size = isStuck ? size * 2 : BATCH
      from = Number(last.instant)
      if (budget.isSpent) {
        this.#from = from
        return deleted
      }
    }
  }

  /** On PostgreSQL rows that somebody has locked are left for the next run: a purge waits for nobody. */
  async #delete(client: QueryClientContract, keys: unknown[], until: number): Promise<number> {
    const { table, key } = this.#options
    const condition =
      client.dialect.name === 'postgres'
        ? `t.${key} IN (SELECT t.${key} FROM ${table} t WHERE ${this.#condition} FOR UPDATE SKIP LOCKED)`
        : this.#condition
    /* Always as many placeholders, so that the statement stays prepared. */
    const padded = [...keys, ...Array(BATCH - keys.length).fill(keys[0])]
    return affectedRows(
      await client
        .from(`${table} as t`)
        .whereRaw(condition, [...padded, until])
        .delete()
    )
  }
}
