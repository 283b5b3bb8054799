import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { statSync } from 'node:fs'

import type { Database, Statement } from 'better-sqlite3'

import { BoundedMap } from '#process/remembered'

const CACHE_LIMIT = 500
const CACHEABLE = /^\s*(select|insert|update|delete|with)\b/i
const TRANSACTION = /^\s*(begin|commit|rollback|savepoint|release)\b/i
const COMMIT = /^\s*commit\b/i

/** Milliseconds that a statement blocks the process for another process's lock: a short write. */
const BLOCKING_WAIT = 10

/** Milliseconds after which a lock that was never free is an error. */
const MAX_WAIT = 2000

/** Milliseconds between two attempts. */
const RETRY_DELAY = { min: 5, max: 25 }

/**
 * Caches prepared statements by their SQL: preparing is two thirds of the cost of a short query. A
 * statement that is being streamed is busy, and another one is prepared. A statement that may
 * change the schema empties the cache.
 *
 * A transaction takes the write lock when it begins. One that read first and then finds another
 * writer in front of it could not go on, nor be retried.
 */
function keepPreparedStatements(connection: Database) {
  const wait = waitForLock((error) => replaceWhenBroken(connection, error))
  const prepare = connection.prepare.bind(connection) as (sql: string) => Statement
  const statements = new BoundedMap<string, Statement>(CACHE_LIMIT)

  connection.prepare = ((sql: string) => {
    const prepared = statements.get(sql)
    if (prepared && !prepared.busy) {
      return prepared
    }
    if (TRANSACTION.test(sql)) {
      const statement = wait(prepare(sql.replace(/^\s*begin;?\s*$/i, 'BEGIN IMMEDIATE')))
      return COMMIT.test(sql) ? rollBackWhenRefused(connection, statement) : statement
    }
    const statement = wait(prepare(sql))
    CACHEABLE.test(sql) ? statements.set(sql, statement) : statements.clear()
    return statement
  }) as Database['prepare']
}

/** A transaction that cannot be committed stays open, and so would everything that its connection writes later. */
function rollBackWhenRefused(connection: Database, statement: Statement): Statement {
  const commit = statement.run.bind(statement) as () => unknown
  statement.run = (async () => {
    try {
      return await commit()
    } finally {
      connection.inTransaction && connection.exec('ROLLBACK')
    }
  }) as unknown as Statement['run']
  return statement
}

/**
 * Lets statements wait for the lock of another process without holding up this one, as the driver's
 * own waiting does. Knex awaits what `run` and `all` return, so they may return a promise.
 */
function waitForLock(onError: (error: unknown) => void) {
  let busySince = 0
  let lastBusy = 0

  /** For a statement that has just met the lock: after `MAX_WAIT` each has one attempt, until the lock was free once. */
  function isPatienceOver(): boolean {
    const now = Date.now()
    if (busySince === 0 || now - lastBusy > MAX_WAIT) {
      busySince = now
    }
    lastBusy = now
    return now - busySince > MAX_WAIT
  }

  async function retry(attempt: () => unknown, error: unknown): Promise<unknown> {
    if (!isBusy(error) || isPatienceOver()) {
      throw error
    }
    await sleep(randomInt(RETRY_DELAY.min, RETRY_DELAY.max))
    try {
      const result = attempt()
      busySince = 0
      return result
    } catch (failure) {
      return retry(attempt, failure)
    }
  }

  return (statement: Statement): Statement => {
    for (const method of ['run', 'all'] as const) {
      const execute = statement[method].bind(statement) as (...bindings: unknown[]) => any
      statement[method] = (...bindings: unknown[]) => {
        try {
          const result = execute(...bindings)
          busySince = 0
          return result
        } catch (error) {
          if (!isBusy(error)) {
            onError(error)
            throw error
          }
          return retry(() => execute(...bindings), error)
        }
      }
    }
    return statement
  }
}

/** Not `SQLITE_BUSY_SNAPSHOT`, which no waiting cures. */
const isBusy = (error: unknown) => (error as { code?: string }).code === 'SQLITE_BUSY'

/** Prepares a fresh SQLite connection, with foreign keys, which SQLite leaves off. */
export function configureSqlite(
  connection: Database,
  done: (error: Error | null, connection: Database) => void
) {
  try {
    /* Processes that start together all switch to the write-ahead log. */
    connection.pragma('busy_timeout = 10000')
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = NORMAL')
    connection.pragma('foreign_keys = ON')
    connection.pragma(`busy_timeout = ${BLOCKING_WAIT}`)
    keepPreparedStatements(connection)
    if (!connection.memory) {
      opened.set(connection.name, identityOf(connection.name)!)
    }
    done(null, connection)
  } catch (error) {
    done(error as Error, connection)
  }
}

/** The connection will fail again, also when its file is well: SQLite keeps it as it was opened. */
const BROKEN = /^SQLITE_(READONLY|CANTOPEN|IOERR)(_|$)/

/** Where Knex's pool looks whether a connection has to be replaced. */
type Disposable = { __knex__disposed?: unknown }

/** Marks a connection after such a failure: Knex's pool opens a new one in its place. */
export function replaceWhenBroken(connection: Database, error: unknown): void {
  if (BROKEN.test((error as { code?: string }).code ?? '')) {
    Object.assign(connection, { __knex__disposed: error } satisfies Disposable)
  }
}

/** Whether a connection waits to be replaced. */
export function isBroken(connection: Database & Disposable): boolean {
  return connection.__knex__disposed !== undefined
}

/** Device and number of each SQLite file when it was opened, by its path. */
const opened = new Map<string, string>()

/**
 * Whether a file was deleted or replaced since it was opened. A process goes on with the open one,
 * which nobody else sees and which is gone when the process ends.
 */
export function isLost(name: string): boolean {
  const identity = opened.get(name)
  return identity !== undefined && identityOf(name) !== identity
}

function identityOf(name: string): string | null {
  const stats = statSync(name, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.dev}:${stats.ino}` : null
}
