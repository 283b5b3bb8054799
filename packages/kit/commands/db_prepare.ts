import { flags } from '@adonisjs/core/ace'
import db from '@adonisjs/lucid/services/db'
import type pg from 'pg'

import { explain } from '#process/explain'
import { StartedCommand, assertCommand } from '#process/kit_command'

/** PostgreSQL's "invalid_catalog_name": there is no database of that name. */
const NO_SUCH_DATABASE = '3D000'
const DUPLICATE_DATABASE = ['42P04', '23505']

/** Creates the PostgreSQL database if it is missing (SQLite creates its file itself), and runs pending migrations. */
export default class DbPrepare extends StartedCommand {
  static commandName = 'db:prepare'
  static description = 'Create the database when it is missing and run pending migrations'

  @flags.boolean({ description: 'Drop all tables first (only in the test environment)' })
  declare fresh: boolean

  async run() {
    const isAllowed = !this.fresh || this.app.inTest
    assertCommand(isAllowed, '"--fresh" drops every table: it is for NODE_ENV=test alone')
    try {
      await this.#reach()
    } catch (error) {
      const { message, code } = error as { message: string; code?: string }
      this.fail(
        `Cannot prepare the database (${message || code}): check the DB_* and SQLITE_FILE settings.`
      )
    }
    await this.#migrate()
  }

  async #reach() {
    const { config } = db.manager.get(db.primaryConnectionName)!
    if (config.client !== 'pg') {
      await db.rawQuery('SELECT 1')
      return
    }
    /* Loaded here: "node ace" loads every command, also in applications that have SQLite alone. */
    const { default: driver } = await import('pg')
    const settings = config.connection as pg.ClientConfig
    const target = new driver.Client(settings)
    try {
      await target.connect()
    } catch (error) {
      if ((error as { code?: string }).code !== NO_SUCH_DATABASE) {
        throw error
      }
      await this.#createPostgresDatabase(driver, settings)
    } finally {
      await target.end()
    }
  }

  async #createPostgresDatabase(driver: typeof pg, settings: pg.ClientConfig) {
    const maintenance = new driver.Client({ ...settings, database: 'postgres' })
    await maintenance.connect()
    try {
      await maintenance.query(`CREATE DATABASE ${driver.escapeIdentifier(settings.database!)}`)
    } catch (error) {
      /* Another process was quicker. */
      if (!DUPLICATE_DATABASE.includes((error as { code: string }).code)) {
        throw error
      }
    } finally {
      await maintenance.end()
    }
  }

  async #migrate() {
    const migration = this.fresh
      ? await this.kernel.exec('migration:fresh', ['--force'])
      : await this.kernel.exec('migration:run', ['--force', '--compact-output'])
    const { error } = migration
    if (error) {
      this.fail(
        explain(error) ?? `A migration failed (${error.message}): correct it and run this again.`
      )
    }
    this.exitCode = migration.exitCode
  }
}
