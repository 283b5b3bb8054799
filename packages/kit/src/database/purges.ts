import { setTimeout as sleep } from 'node:timers/promises'

import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { assertRuntime } from '#config/checks'
import { selectRows } from '#database/raw_query'

/** Runs work while no other process of the application does; null when another one is at it. */
export type Turn = <Result>(work: () => Promise<Result>) => Promise<{ result: Result } | null>

export interface Purge {
  /** What is purged, for messages: `expired sessions`. */
  name: string
  /** Seconds between two runs. */
  interval: number
  /** Deletes expired records and returns how many. It may stop early and leave the rest to the next run. */
  run(): Promise<number>
}

/** Milliseconds that `node ace auth:purge` waits for its turn, and between two attempts. */
const PATIENCE = 120_000
const RETRY_DELAY = 250

/** The purges of all features. One runs at a time, in all processes together. */
export class Purges {
  readonly #purges: Purge[] = []
  #last: Promise<unknown> = Promise.resolve()
  #timers: NodeJS.Timeout[] = []

  /** Makes every purge wait for its turn among the processes of the application. */
  turn: Turn = async (work) => ({ result: await work() })
  /** Told of each purge how many records it deleted; null when it failed. */
  ended: (name: string, deleted: number | null) => void = () => {}

  add(purge: Purge): void {
    this.#purges.push(purge)
  }

  /**
   * Starts the timers; they never keep the process alive. A purge whose turn does not come, or that takes
   * longer than its interval, is left out once.
   */
  start(onError: (name: string, error: unknown) => void): void {
    this.#timers = this.#purges.map((purge) => {
      let last: Promise<unknown> | null = null
      const run = () => {
        last ??= this.#attempt(purge)
          .catch((error) => onError(purge.name, error))
          .finally(() => (last = null))
      }
      return setInterval(run, purge.interval * 1000).unref()
    })
  }

  stop(): void {
    this.#timers.forEach((timer) => clearInterval(timer))
    this.#timers = []
  }

  /**
   * Runs every purge now and returns how many records each deleted.
   * @throws {RuntimeException} when another process has been purging for two minutes
   */
  async run(): Promise<{ name: string; deleted: number }[]> {
    return Array.fromAsync(this.#purges, async (purge) => {
      return { name: purge.name, deleted: await this.#runInTurn(purge) }
    })
  }

  async #runInTurn(purge: Purge): Promise<number> {
    const end = Date.now() + PATIENCE
    for (;;) {
      const done = await this.#attempt(purge)
      if (done) {
        return done.result
      }
      const problem = `Another process is still deleting: no ${purge.name} were deleted`
      assertRuntime(Date.now() < end, problem)
      await sleep(RETRY_DELAY)
    }
  }

  async #watched(purge: Purge): Promise<number> {
    let deleted: number | null = null
    try {
      return (deleted = await purge.run())
    } finally {
      this.ended(purge.name, deleted)
    }
  }

  /** One after another in this process. */
  #attempt(purge: Purge) {
    const next = this.#last.then(() => this.turn(() => this.#watched(purge)))
    this.#last = next.catch(() => {})
    return next
  }
}

const NAME = 'purge of expired rows'

/** A turn that processes on one database take one after another. It ends with its process. */
export function turnOn(client: () => QueryClientContract): Turn {
  return async (work) => {
    const { dialect } = client()
    const release =
      dialect.name === 'postgres'
        ? await takePostgresLock(client())
        : dialect.name === 'better-sqlite3'
          ? await takeFileLock(client())
          : () => {}
    if (!release) {
      return null
    }
    try {
      return { result: await work() }
    } finally {
      await release()
    }
  }
}

/** The lock of a transaction: one of a connection would outlive its turn behind a pooler that lends connections to transactions. */
async function takePostgresLock(client: QueryClientContract) {
  const trx = await client.transaction()
  let isTaken = false
  try {
    const sql = 'SELECT pg_try_advisory_xact_lock(hashtext(?)) AS done'
    const [row] = await selectRows(trx, sql, [NAME])
    isTaken = row!.done === true
  } finally {
    isTaken || (await trx.rollback())
  }
  return isTaken ? () => trx.rollback() : null
}

/** SQLite's own lock on an empty file beside the database: one on it would hold up its writers. */
async function takeFileLock(client: QueryClientContract) {
  const { filename } = client.getWriteClient().client.connectionSettings
  if (!filename || filename === ':memory:') {
    return () => {}
  }
  const { default: Database } = await import('better-sqlite3')
  const file = new Database(`${filename}-purge`, { timeout: 0 })
  try {
    file.exec('BEGIN EXCLUSIVE')
    return () => void file.close()
  } catch (error) {
    file.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') {
      return null
    }
    throw error
  }
}
