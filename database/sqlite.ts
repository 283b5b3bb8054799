import type { Database, Statement } from 'better-sqlite3'

const CACHE_LIMIT = 500
const CACHEABLE = /^\s*(select|insert|update|delete|with)\b/i

/**
 * Caches prepared statements by their SQL: preparing is two thirds of the cost of
 * a short query. Knex reads a result at once, unless it is streamed; a statement
 * that is being streamed is busy, and another one is prepared.
 *
 * A prepared statement depends on the schema: a statement that may change the
 * schema empties the cache.
 */
function keepPreparedStatements(connection: Database) {
  const prepare = connection.prepare.bind(connection) as (sql: string) => Statement
  const statements = new Map<string, Statement>()

  connection.prepare = ((sql: string) => {
    if (!CACHEABLE.test(sql)) {
      statements.clear()
      return prepare(sql)
    }

    let statement = statements.get(sql)
    if (!statement || statement.busy) {
      statement = prepare(sql)
      if (statements.size >= CACHE_LIMIT) {
        statements.delete(statements.keys().next().value!)
      }
      statements.set(sql, statement)
    }
    return statement
  }) as Database['prepare']
}

/**
 * Prepares a fresh SQLite connection: write-ahead log, so that readers never
 * wait for the writer; a busy timeout (milliseconds), so that processes wait
 * for each other instead of failing; and foreign keys, which SQLite leaves off.
 */
export function configureSqlite(
  connection: Database,
  done: (error: Error | null, connection: Database) => void
) {
  try {
    connection.pragma('busy_timeout = 10000')
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = NORMAL')
    connection.pragma('foreign_keys = ON')
    keepPreparedStatements(connection)
    done(null, connection)
  } catch (error) {
    done(error as Error, connection)
  }
}
