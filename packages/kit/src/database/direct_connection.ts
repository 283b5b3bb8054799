import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Database, Statement } from 'better-sqlite3'

import { isBroken, replaceWhenBroken } from '#database/broken_connection'
import { tracedStatement } from '#process/spans'

export type Row = Record<string, unknown>

/** What is used here of Knex's client, and of its pool. */
interface KnexClient {
  pool?: { free?: { resource: Database }[] }
  emit(event: 'query', query: object): unknown
}

/** One function a connection: it runs work between `BEGIN IMMEDIATE` and `COMMIT`. */
const transactions = new WeakMap<Database, (work: () => unknown) => unknown>()

/**
 * The SQLite connection of a query client while nobody uses it. The driver works
 * inside the process and answers at once, so a statement needs no turn in Knex's
 * pool, and nothing comes between the statements of one call.
 *
 * Knex announces statements as it always does. `database/sqlite.ts` keeps them
 * prepared.
 */
export class DirectConnection {
  private constructor(
    protected readonly connection: Database,
    protected readonly knex: KnexClient
  ) {}

  /**
   * The connection; null inside a transaction, while the connection is busy, while
   * Lucid reports queries (`db:query`), and for databases that answer from elsewhere.
   */
  static of(client: QueryClientContract): DirectConnection | null {
    if (client.isTransaction || client.debug || client.dialect.name !== 'better-sqlite3') {
      return null
    }
    const knex: KnexClient = client.getReadClient().client
    const connection: Database | undefined = knex.pool?.free?.[0]?.resource
    return connection && !connection.inTransaction && !isBroken(connection)
      ? new DirectConnection(connection, knex)
      : null
  }

  /** Runs a statement and returns its rows: those of a SELECT, or of RETURNING. */
  run(sql: string, bindings: readonly unknown[]): Row[] {
    const statement = this.connection.prepare(sql)
    const values = bindings.map(toStorable)
    this.#announce(sql, values)
    return tracedStatement(sql, () => {
      if (statement.reader) {
        return driver(statement).all.apply(statement, values) as Row[]
      }
      driver(statement).run.apply(statement, values)
      return []
    })
  }

  /**
   * Runs work in a transaction that holds the write lock from its beginning, and
   * rolls it back when the work throws.
   */
  transaction<Result>(work: () => Result): Result {
    let transaction = transactions.get(this.connection)
    if (!transaction) {
      transaction = this.connection.transaction((inner: () => unknown) => inner()).immediate
      transactions.set(this.connection, transaction)
    }
    return transaction(() => {
      this.#announce('BEGIN IMMEDIATE', [])
      const result = work()
      this.#announce('COMMIT', [])
      return result
    }) as Result
  }

  /** Has the connection replaced after a failure that would repeat itself. */
  failed(error: unknown): void {
    replaceWhenBroken(this.connection, error)
  }

  #announce(sql: string, bindings: readonly unknown[]) {
    this.knex.emit('query', { method: 'raw', sql, bindings, options: {} })
  }
}

/** The methods of the driver itself: those of `database/sqlite.ts` may wait for the lock and return a promise. */
function driver(statement: Statement): Statement {
  return Object.getPrototypeOf(statement)
}

/** SQLite has neither booleans nor dates; Knex stores them like this, too. */
function toStorable(value: unknown): unknown {
  if (typeof value === 'boolean') {
    return Number(value)
  }
  return value instanceof Date ? value.valueOf() : value
}

/**
 * Does work on the connection of a query client at once.
 *
 * @returns null when that is not possible, also because another process holds the lock: the query client waits for
 * it without holding up this process. Nothing has been changed then.
 */
export function atOnce<Result>(
  client: QueryClientContract,
  work: (connection: DirectConnection) => Result
): { result: Result } | null {
  const connection = DirectConnection.of(client)
  if (!connection) {
    return null
  }
  try {
    return { result: work(connection) }
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) {
      return null
    }
    connection.failed(error)
    throw error
  }
}
