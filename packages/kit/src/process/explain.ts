import { stripVTControlCharacters } from 'node:util'

/** The message of Node.js for an import of a schema class that is not there. */
const MISSING_CLASS = /'#database\/schema' does not provide an export named '(\w+)'/

/** The messages of SQLite and PostgreSQL for a statement about a table that is not there. */
const MISSING_TABLE = /(?:no such table: |relation )"?(\w+)"?(?: does not exist)?$/

/** The messages of SQLite, which has no lock for migrations as PostgreSQL has. */
const EXISTS = / - (?:duplicate column name: |table `?)(\w+)(?:$|`? already exists$)/

/** The messages of Redis for a wrong password and for a missing one. */
const REDIS_PASSWORD = /^(WRONGPASS|NOAUTH) /

/** The message of AdonisJS for a second route of one address, which an MCP server at "/" is beside a start page. */
const DUPLICATE_ROUTE = /^Duplicate route found\. "(.+)" route already exists$/

/** The compiler's message for a typo: its file and line, and the lines around it; then the compiler's own stack. */
const TYPO = /^\s*[x×] .+\n[^\n]*\[[^\]\n]+:\d+:\d+\][^]*?\n\n/

function explainMessage(message: string): string | null {
  const missing = MISSING_CLASS.exec(message)
  if (missing) {
    return `There is no ${missing[1]} in database/schema.ts: run "node ace migration:run" in development, which writes a class for each table. A migration has to create the table first ("node ace make:migration").`
  }
  const table = MISSING_TABLE.exec(message)
  if (table) {
    return `There is no table "${table[1]}" in the database: run "node ace migration:run". If a migration says so, another one has to create the table before it.`
  }
  const existing = EXISTS.exec(message)
  if (existing) {
    return `"${existing[1]}" is in the database already: if another process has just migrated it, run the command again. Otherwise two migrations make it.`
  }
  if (REDIS_PASSWORD.test(message)) {
    return 'Redis refuses the password: correct REDIS_PASSWORD in .env.'
  }
  const route = DUPLICATE_ROUTE.exec(message)
  if (route) {
    return `Two routes are "${route[1]}": take one out. If one is of an MCP server, which takes every method, mount it at another path, e.g. "/mcp".`
  }
  const typo = TYPO.exec(stripVTControlCharacters(message))
  return typo ? `A file cannot be compiled:\n${typo[0].trimEnd()}` : null
}

/** One sentence for an error that can be fixed without reading a stack trace, or null. */
export function explain(error: unknown): string | null {
  /* One of several addresses of a host speaks for all. */
  const [first = error] = (error as { errors?: unknown[] }).errors ?? []
  const { code, message, help, address, port, hostname, syscall } = first as Record<string, unknown>
  if (syscall === 'listen' && code !== 'EADDRINUSE') {
    return `Cannot listen on ${address}:${port} (${code}): set another HOST or PORT in .env.`
  }
  switch (syscall === 'mkdir' ? 'EACCES' : code) {
    case 'E_INVALID_ENV_VARIABLES':
      return `The environment is not complete or not valid: ${String(help).replaceAll(/^- /gm, '').replaceAll('\n', '; ')}. Correct .env (see .env.example).`
    case 'E_INSECURE_ENCRYPTER_KEY':
      return 'APP_KEY is too short: make one with "node ace generate:key", which writes it to .env.'
    /* Who did not get the lock fails when it is released, too. */
    case 'E_UNABLE_ACQUIRE_LOCK':
    case 'E_UNABLE_RELEASE_LOCK':
      return 'Another process is migrating this database: run the command again when it is done.'
    case 'SQLITE_BUSY':
      return 'Another process is writing to the SQLite file, e.g. a migration: run the command again when it is done.'
    case 'ECONNREFUSED':
      return `Nothing answers at ${address}:${port}: start what should, e.g. the database, or correct its address in .env.`
    /* PostgreSQL: no such account or no way in, a wrong password, no such database. */
    case '28000':
    case '28P01':
    case '3D000':
      return `PostgreSQL refuses the connection (${message}): correct the DB_* variables and PGSSLMODE in .env.`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `A server, e.g. of the database, has a certificate of an unknown authority (${code}): name a file with that of the authority in NODE_EXTRA_CA_CERTS, in the environment and not in .env.`
    case 'ENOTFOUND':
      return `There is no host "${hostname}": correct the address in .env, e.g. of the database.`
    case 'EADDRINUSE':
      return `Cannot listen on ${address}:${port}: the port is in use. Set another PORT in the environment.`
    case 'EACCES':
    case 'EROFS':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
      return `Cannot read or write a file: ${message}.`
    default:
      return explainMessage(String(message))
  }
}
