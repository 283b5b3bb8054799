import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Database, Statement } from 'better-sqlite3'

import { isBroken, replaceWhenBroken } from '#database/sqlite'
import type { Row } from '#database/raw_query'
import { rememberedOf } from '#process/remembered'
import { ofNoSpan, ofThisSpan, tracedStatement } from '#process/spans'

interface KnexClient {
  pool?: { free?: { resource: Database }[] }
  emit(event: 'query', query: object): unknown
}

const transactionOn = rememberedOf(
  (connection: Database) => connection.transaction((work: () => unknown) => work()).immediate
)

/**
 * The SQLite connection of a query client while nobody uses it. The driver answers at once, so a
 * statement needs no turn in Knex's pool, and nothing comes between the statements of one call.
 * Knex announces statements as it always does. `database/sqlite.ts` keeps them prepared.
 */
export class DirectConnection {
  private constructor(
    readonly database: Database,
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
    const statement = this.database.prepare(sql)
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

  /** Runs work in a transaction that holds the write lock from its beginning. */
  transaction<Result>(work: () => Result): Result {
    return transactionOn(this.database)(() => {
      this.#announce('BEGIN IMMEDIATE', [])
      const result = work()
      this.#announce('COMMIT', [])
      return result
    }) as Result
  }

  #announce(sql: string, bindings: readonly unknown[]) {
    this.knex.emit('query', { method: 'raw', sql, bindings, options: {} })
  }
}

/** The methods of the driver itself: those of `database/sqlite.ts` may wait for the lock and return a promise. */
const driver = (statement: Statement): Statement => Object.getPrototypeOf(statement)

/** SQLite has neither booleans nor dates; Knex stores them like this, too. */
function toStorable(value: unknown): unknown {
  if (typeof value === 'boolean') {
    return Number(value)
  }
  return value instanceof Date ? value.valueOf() : value
}

/**
 * Does work on the connection of a query client at once; null when that is not possible, also
 * because another process holds the lock, which the query client waits for without holding up this
 * process. Nothing has been changed then.
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
    replaceWhenBroken(connection.database, error)
    throw error
  }
}

interface Job {
  work: (connection: DirectConnection) => unknown
  resolve: (done: { result: any } | null) => void
  reject: (error: unknown) => void
}

/** Jobs of one transaction at most: requests wait while it runs. */
const LIMIT = 50

/** The jobs of each database that wait for the end of this turn of the event loop. */
const waiting = new WeakMap<object, Job[]>()

/**
 * Does work in a transaction, together with the work of the other requests that have arrived in the
 * same turn of the event loop: a commit takes longer than the statements of a request, and SQLite
 * writes a page once for all of them. Nobody hears of a result before it is committed.
 *
 * When any of the work throws, nothing of the transaction is left, and each is done again in a
 * transaction of its own. So work changes nothing but the database.
 * @returns null when the work cannot be done at once; see `atOnce`. Nothing has been changed then.
 */
export async function commitTogether<Result>(
  client: QueryClientContract,
  work: (connection: DirectConnection) => Result
): Promise<{ result: Result } | null> {
  if (!DirectConnection.of(client)) {
    return null
  }
  const own = ofThisSpan(work)
  return new Promise((resolve, reject) => enqueue(client, { work: own, resolve, reject }))
}

function enqueue(client: QueryClientContract, job: Job) {
  const database = client.getReadClient()
  if (waiting.get(database)?.push(job)) {
    return
  }
  const fresh = [job]
  waiting.set(database, fresh)
  setImmediate(() => {
    waiting.delete(database)
    ofNoSpan(() => {
      for (let index = 0; index < fresh.length; index += LIMIT) {
        commit(client, fresh.slice(index, index + LIMIT))
      }
    })
  })
}

function commit(client: QueryClientContract, jobs: Job[]) {
  try {
    const done = atOnce(client, (connection) =>
      connection.transaction(() => jobs.map(({ work }) => work(connection)))
    )
    jobs.forEach(({ resolve }, index) => resolve(done && { result: done.result[index] }))
  } catch (error) {
    if (jobs.length === 1) {
      jobs[0]!.reject(error)
    } else {
      jobs.forEach((job) => commit(client, [job]))
    }
  }
}
