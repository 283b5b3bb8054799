import type { Database } from 'better-sqlite3'

/** The connection will fail again, also when its file is well: SQLite keeps it as it was opened. */
const BROKEN = /^SQLITE_(READONLY|CANTOPEN|IOERR)(_|$)/

/** Where Knex's pool looks whether a connection has to be replaced. */
interface Disposable {
  __knex__disposed?: unknown
}

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
