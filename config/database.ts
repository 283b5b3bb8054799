import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import app from '@adonisjs/core/services/app'
import { defineConfig } from '@adonisjs/lucid'

import type { Client } from 'pg'

import { tables } from 'adonis-auth-kit/tables'

import { configureSqlite } from 'adonis-auth-kit/database'
import env from '#start/env'

/** Tests never touch the database of development: theirs has "_test" behind its name. */
const suffix = app.inTest ? '_test' : ''

const usesSqlite = env.get('DB_CONNECTION', 'sqlite') === 'sqlite'

/** A relative path starts at the folder of .env. With PostgreSQL nothing is written: the disk may be read-only. */
function sqliteFile() {
  const folder = process.env.ENV_PATH ? resolve(process.env.ENV_PATH) : app.makePath()
  const name = env.get('SQLITE_FILE', 'tmp/db.sqlite3').replace(/(\.[^./]+)?$/, `${suffix}$1`)
  const file = resolve(folder, name)
  if (usesSqlite) {
    mkdirSync(dirname(file), { recursive: true })
  }
  return file
}

/** What a failing statement was given stays out of its message, and so out of the log. */
const quiet = { compileSqlOnError: false }

/**
 * Milliseconds. A network that swallows every packet makes no error by itself: a
 * request fails after this time, instead of waiting for the operating system.
 * Commands may run statements that take longer.
 */
const patience = {
  connectionTimeoutMillis: 5_000,
  ...(app.getEnvironment() === 'web' && { query_timeout: 20_000 }),
}

/** Connections that a process opens to PostgreSQL at most, two or more: a purge has its turn by one while it deletes by another. */
const poolMax = env.get('DB_POOL_MAX', 10)

/** Kinds of values, by the number that PostgreSQL has for each. */
const BIGINT = 20
const NUMERIC = 1700
const JSON_KINDS = [114, 3802]

/**
 * PostgreSQL's values as SQLite has them, so that one class of `database/schema.ts` reads both: a decimal
 * is a number, and so is a bigint that a number can hold, or Lucid would find no rows of a relation by the
 * key of `bigIncrements`. A text in a column of JSON keeps its quotes, or it would be read as JSON once more.
 */
function configurePostgres(connection: Client, done: () => void) {
  connection.setTypeParser(NUMERIC, Number)
  connection.setTypeParser(BIGINT, (text) =>
    Number.isSafeInteger(Number(text)) ? Number(text) : text
  )
  for (const kind of JSON_KINDS) {
    connection.setTypeParser(kind, (json) => (/^\s*"/.test(json) ? json : JSON.parse(json)))
  }
  done()
}

const migrations = { naturalSort: true, paths: ['database/migrations'] }

/** Both databases give the same classes, because database/schema_rules.ts evens their types out. */
const schemaGeneration = {
  enabled: app.inDev,
  outputPath: 'database/schema.ts',
  rulesPaths: ['./database/schema_rules.js'],
  /* Lucid's own, and those whose classes are the kit's. */
  excludeTables: ['adonis_schema', 'adonis_schema_versions', ...tables],
}

const dbConfig = defineConfig({
  connection: env.get('DB_CONNECTION', 'sqlite'),

  connections: {
    sqlite: {
      client: 'better-sqlite3',
      connection: { filename: sqliteFile() },
      useNullAsDefault: true,
      ...quiet,
      pool: { afterCreate: configureSqlite },
      migrations,
      schemaGeneration,
    },

    pg: {
      client: 'pg',
      connection: {
        host: env.get('DB_HOST', '127.0.0.1'),
        port: env.get('DB_PORT', 5432),
        user: env.get('DB_USER', 'postgres'),
        password: env.get('DB_PASSWORD'),
        database: `${env.get('DB_DATABASE', 'app')}${suffix}`,
        ...patience,
      },
      ...quiet,
      pool: {
        min: 2,
        max: poolMax,
        acquireTimeoutMillis: 10_000,
        afterCreate: configurePostgres,
      },
      migrations,
      schemaGeneration,
    },
  },
})

export default dbConfig
