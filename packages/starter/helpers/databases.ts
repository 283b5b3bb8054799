import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import type { ConnectionConfig, PostgreConfig } from '@adonisjs/lucid/types/database'

/** A connection that is not the default one, to a database of its own with every table. */
const SECOND = 'second'

let migrated: Promise<void> | undefined

async function migrate() {
  const quiet = { schemaGeneration: { enabled: false } }
  const { config } = db.manager.get(db.primaryConnectionName)!
  if (config.client === 'pg') {
    await db.rawQuery(`DROP SCHEMA IF EXISTS ${SECOND} CASCADE`)
    await db.rawQuery(`CREATE SCHEMA ${SECOND}`)
    db.manager.add(SECOND, { ...(config as PostgreConfig), ...quiet, searchPath: [SECOND] })
  } else {
    db.manager.add(SECOND, {
      ...config,
      ...quiet,
      connection: { filename: ':memory:' },
    } as ConnectionConfig)
  }
  const migrator = new MigrationRunner(db, app, { direction: 'up', connectionName: SECOND })
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
  await (migrated ??= migrate())
}
