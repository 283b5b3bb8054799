import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import type { ConnectionConfig, PostgreConfig } from '@adonisjs/lucid/types/database'

/** A connection that is not the default one, to a database of its own with every table. */
const SECOND = 'second'

let migrated: Promise<void> | undefined

/** Adds a connection to an empty database of its own. */
export async function addDatabase(name: string, migrations = 'database/migrations') {
  const { config } = db.manager.get(db.primaryConnectionName)!
  const own = {
    schemaGeneration: { enabled: false },
    migrations: { naturalSort: true, paths: [migrations] },
  }
  if (config.client === 'pg') {
    await db.rawQuery(`DROP SCHEMA IF EXISTS ${name} CASCADE`)
    await db.rawQuery(`CREATE SCHEMA ${name}`)
    db.manager.add(name, { ...(config as PostgreConfig), ...own, searchPath: [name] })
  } else {
    const connection = { filename: ':memory:' }
    db.manager.add(name, { ...config, ...own, connection } as ConnectionConfig)
  }
}

/** Runs the migrations of a connection; on the way back the last batch alone. */
export async function migrate(connectionName: string, direction: 'up' | 'down' = 'up') {
  const way = direction === 'up' ? { direction } : { direction, step: 1 }
  const migrator = new MigrationRunner(db, app, { ...way, connectionName })
  await migrator.run()
  if (migrator.error) {
    throw migrator.error
  }
}

/**
 * The connections that a database store has to work on: the default one and a
 * second one. For `test.group` names, and for the settings' `connection`.
 */
export const CONNECTIONS = [
  { name: 'database', connection: undefined },
  { name: 'database on a second connection', connection: SECOND },
]

/** Prepares the second connection, once for the process. For the setup of a group. */
export async function useSecondConnection(): Promise<void> {
  await (migrated ??= addDatabase(SECOND).then(() => migrate(SECOND)))
}
