/** SQLite tells a primary key from other unique columns. */
const UNIQUE = ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505']

const codeOf = (error: unknown) => (error as { code?: string } | null)?.code ?? ''

/** Whether a statement failed on SQLite or PostgreSQL because a value is in the table already. */
export const isUniqueViolation = (error: unknown): boolean => UNIQUE.includes(codeOf(error))

/**
 * Whether a row that the statement refers to is missing, or others refer to its row. Where these do so with
 * `RESTRICT`, PostgreSQL 18 has another code, and SQLite that of a trigger, as if one of the application's.
 */
export function isForeignKeyViolation(error: unknown): boolean {
  return (
    ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503', '23001'].includes(codeOf(error)) ||
    (error instanceof Error && error.message.endsWith('FOREIGN KEY constraint failed'))
  )
}

const REFUSED = /^(22001|22003|22007|22008|22021|22P02|22P05|23514|SQLITE_CONSTRAINT_CHECK)$/

/**
 * Whether a column cannot hold a value of the statement, whether it was to be stored or looked for: a
 * text that is too long, has NUL or is no UUID, number, time or member of an enum, a number out of range,
 * what a check forbids. SQLite knows the last alone.
 */
export const isRefusedValue = (error: unknown): boolean => REFUSED.test(codeOf(error))

/** Seconds after which a caller may try again, for `Retry-After`. */
export const DATABASE_RETRY_AFTER = 5

/** Node.js: the server cannot be reached, or the connection broke. */
const NETWORK =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/

const CODES = [
  NETWORK,
  /*
   * SQLite: another connection holds the lock, the file cannot be opened, read or
   * written, or its disk is full. Codes carry suffixes: `SQLITE_BUSY_SNAPSHOT`.
   */
  /^SQLITE_(BUSY|LOCKED|CANTOPEN|FULL|READONLY|IOERR)(_|$)/,
  /*
   * PostgreSQL: lost connections (class 08), no resources left (class 53), shut down or starting
   * (57P01 to 57P05), statement timeout, lock not available, serialization failure, deadlock, and a
   * server that is read-only, as a standby is until it takes over.
   */
  /^(08\w{3}|53\w{3}|57P0[1-5]|57014|55P03|40001|40P01|25006)$/,
]

/** Failures of `pg` and of Knex's pool that carry no code. Knex puts the statement in front: `select … - Connection terminated`. */
const MESSAGE =
  /(^| - )(Connection terminated|timeout expired$|Query read timeout$|timeout exceeded when trying to connect$|Client has encountered a connection error|Unable to acquire a connection$|Knex: Timeout acquiring a connection)/

/** Redis, where attempts may be counted, cannot be reached, does not answer, or takes no changes. Its failures have no code. */
const REDIS =
  /^(Reached the max retries per request limit|Connection is closed\.$|Command timed out$|(LOADING|READONLY|MASTERDOWN|MISCONF|OOM|BUSY|NOREPLICAS|CLUSTERDOWN|TRYAGAIN) )/

/** A transaction that Redis discards fails without the reason: that is with the commands which it refused to queue. */
function isOfRedis(error: Error): boolean {
  const { previousErrors } = error as { previousErrors?: Error[] }
  const isDiscarded = error.message.startsWith('EXECABORT ') && Array.isArray(previousErrors)
  const reasons = isDiscarded ? previousErrors : [error]
  return reasons.some(({ message }) => REDIS.test(message))
}

/**
 * Whether the error is one of another service, which cannot be reached: a TypeError of `fetch`, or an error of a client
 * that has its own class for a failure of the network (axios, got, node-fetch). Database drivers pass Node.js's on.
 */
const isOfOtherService = (error: Error) =>
  error instanceof TypeError ||
  (NETWORK.test(codeOf(error)) && ![Error, AggregateError].includes(error.constructor as any))

/** Whether the database is busy or cannot be reached: the same request may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || isOfOtherService(error)) {
    return false
  }
  const { code } = error as { code?: unknown }
  return (
    (typeof code === 'string' && CODES.some((codes) => codes.test(code))) ||
    MESSAGE.test(error.message) ||
    isOfRedis(error) ||
    isDatabaseUnavailable(error.cause)
  )
}
