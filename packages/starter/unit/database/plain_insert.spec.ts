import { BaseModel, beforeCreate, column } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { insertRow } from '#kit/database/plain_insert'
import { recordStatements } from '#starter/helpers/statements'

class Mark extends BaseModel {
  static table = 'pi_marks'

  @column({ isPrimary: true })
  declare id: string

  @column()
  declare ownerName: string | null
}

class Loud extends Mark {
  static table = 'pi_marks'

  @beforeCreate()
  static shout(mark: Loud) {
    mark.ownerName = `${mark.ownerName}!`
  }
}

class Dated extends Mark {
  static table = 'pi_marks'

  @column({ prepare: (value: string) => value.toUpperCase() })
  declare ownerName: string
}

test.group('insertRow', (group) => {
  group.setup(async () => {
    const drop = () => db.connection().schema.dropTableIfExists('pi_marks')
    await drop()
    await db.connection().schema.createTable('pi_marks', (table) => {
      table.string('id').primary()
      table.string('owner_name').nullable()
    })
    return drop
  })

  test('writes the columns of a model, with its hooks and what it prepares', async ({ assert }) => {
    await insertRow(db.connection(), Mark, { id: 'a', ownerName: 'Nina' })
    await insertRow(db.connection(), Mark, { id: 'b', ownerName: null })
    await insertRow(db.connection(), Loud, { id: 'c', ownerName: 'Nina' })
    await insertRow(db.connection(), Dated, { id: 'd', ownerName: 'Nina' })
    const rows = await Mark.query().orderBy('id')
    assert.deepEqual(
      rows.map(({ ownerName }) => ownerName),
      ['Nina', null, 'Nina!', 'NINA']
    )
  })

  test('rows of one turn share a commit on SQLite, and are rolled back with their transaction', async ({
    assert,
  }) => {
    const statements = await recordStatements(async () => {
      await Promise.all(['e', 'f', 'g'].map((id) => insertRow(db.connection(), Mark, { id })))
    })
    const isSqlite = db.connection().dialect.name === 'better-sqlite3'
    const commits = statements.filter((sql) => /commit/i.test(String(sql)))
    isSqlite && assert.lengthOf(commits, 1)
    const trx = await db.transaction()
    await insertRow(trx, Mark, { id: 'h' })
    await trx.rollback()
    assert.isNull(await Mark.find('h'))
  })
})
