import { join } from 'node:path'

import pg from 'pg'

/** A database of the run's own. */
export interface OwnDatabase {
  name: 'PostgreSQL' | 'SQLite'
  env: Record<string, string>
  drop(): Promise<void>
}

/** A new SQLite file in a folder. */
export function createSqlite(folder: string, name: string): OwnDatabase {
  return {
    name: 'SQLite',
    env: { DB_CONNECTION: 'sqlite', SQLITE_FILE: join(folder, `${name}.sqlite3`) },
    drop: async () => {},
  }
}

/** A new, empty database on the PostgreSQL that is configured; null where none answers. */
export async function createPostgres(suffix: string): Promise<OwnDatabase | null> {
  const { DB_HOST = '127.0.0.1', DB_PORT = '5432', DB_USER = 'postgres' } = process.env
  const { DB_PASSWORD = '', DB_DATABASE = 'app' } = process.env
  const settings = { host: DB_HOST, port: Number(DB_PORT), user: DB_USER, password: DB_PASSWORD }
  const name = `${DB_DATABASE}_${suffix}`

  const query = async (...statements: string[]) => {
    const client = new pg.Client({ ...settings, database: 'postgres' })
    await client.connect()
    try {
      for (const statement of statements) {
        await client.query(statement)
      }
    } finally {
      await client.end()
    }
  }
  const drop = `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`
  try {
    await query(drop, `CREATE DATABASE ${pg.escapeIdentifier(name)}`)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ECONNREFUSED') {
      throw error
    }
    return null
  }
  return {
    name: 'PostgreSQL',
    env: { DB_CONNECTION: 'pg', DB_HOST, DB_PORT, DB_USER, DB_PASSWORD, DB_DATABASE: name },
    drop: () => query(drop),
  }
}
