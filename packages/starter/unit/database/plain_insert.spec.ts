import {
  BaseModel,
  afterCreate,
  afterSave,
  beforeCreate,
  beforeSave,
  column,
} from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { DateTime } from 'luxon'

import { insertRow, insertUnlessThere } from '#kit/database/raw_query'
import { recordStatements } from '#starter/helpers/statements'

class Mark extends BaseModel {
  static table = 'pi_marks'
  static selfAssignPrimaryKey = true

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

  @column()
  declare createdAt: unknown
}

class Stamped extends Mark {
  static table = 'pi_marks'

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime
}

/** One that has a hook of a single kind. */
const hooked = [beforeCreate, beforeSave, afterCreate, afterSave].map((decorator) => {
  class Hooked extends Mark {
    static table = 'pi_marks'
    static ran: string[] = []

    static note(mark: Mark) {
      Hooked.ran.push(mark.id)
    }
  }
  decorator()(Hooked, 'note')
  return { name: decorator.name, model: Hooked }
})

test.group('insertRow', (group) => {
  group.setup(async () => {
    const drop = () => db.connection().schema.dropTableIfExists('pi_marks')
    await drop()
    await db.connection().schema.createTable('pi_marks', (table) => {
      table.string('id').primary()
      table.string('owner_name').nullable()
      table.timestamp('created_at').nullable()
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

  test('a hook of any kind runs, and a date that is set by itself is', async ({ assert }) => {
    for (const { name, model } of hooked) {
      await insertRow(db.connection(), model, { id: name })
      assert.deepEqual(model.ran, [name])
    }
    await insertRow(db.connection(), Stamped, { id: 'stamped' })
    assert.isTrue((await Stamped.findOrFail('stamped')).createdAt.isValid)
  })

  test('insertUnlessThere gives the new row, and null where there is one, which stays', async ({
    assert,
  }) => {
    const insert = (ownerName: string) =>
      insertUnlessThere(db.connection(), Dated, { id: 'u', ownerName, createdAt: undefined }, [
        'id',
      ])
    assert.deepEqual(await insert('nina'), { id: 'u', owner_name: 'NINA', created_at: null })
    assert.isNull(await insert('omar'))
    assert.equal((await Mark.findOrFail('u')).ownerName, 'NINA')
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
    for (const model of [Mark, Loud]) {
      const trx = await db.transaction()
      await insertRow(trx, model, { id: 'h' })
      await trx.rollback()
      assert.isNull(await Mark.find('h'))
    }
  })
})
