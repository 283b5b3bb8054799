import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import {
  DATABASE_RETRY_AFTER,
  isDatabaseUnavailable,
  isForeignKeyViolation,
  isRefusedValue,
  isUniqueViolation,
} from '#kit/database/errors'
import { asId, isKey } from '#kit/database/key'

test.group('Errors of databases', () => {
  const withCode = (code: unknown) => Object.assign(new Error('failed'), { code })

  test('a value that is there already, in both databases', ({ assert }) => {
    for (const code of ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505']) {
      assert.isTrue(isUniqueViolation(withCode(code)))
      assert.isFalse(isForeignKeyViolation(withCode(code)))
    }
  })

  test('a row that is missing or referred to, in both databases', ({ assert }) => {
    for (const code of ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503', '23001']) {
      assert.isTrue(isForeignKeyViolation(withCode(code)))
      assert.isFalse(isUniqueViolation(withCode(code)))
    }
  })

  test('a row that others refer to with RESTRICT, where SQLite names a trigger', async ({
    assert,
    cleanup,
  }) => {
    cleanup(async () => {
      await db.from('er_rows').whereNotNull('parent_id').delete()
      await db.connection().schema.dropTable('er_rows')
    })
    await db.connection().schema.createTable('er_rows', (table) => {
      table.integer('id').primary()
      table.integer('parent_id').references('er_rows.id').onDelete('RESTRICT')
    })
    await db.table('er_rows').insert({ id: 1 })
    await db.table('er_rows').insert({ id: 2, parent_id: 1 })
    const error = await db
      .from('er_rows')
      .where('id', 1)
      .delete()
      .catch((thrown) => thrown)
    assert.isTrue(isForeignKeyViolation(error))
    assert.isFalse(isForeignKeyViolation(withCode('SQLITE_CONSTRAINT_TRIGGER')))
  })

  test('{$self} says that a column cannot hold a value')
    .with(['22001', '22003', '22007', '22008', '22021', '22P02', '22P05', '23514'])
    .run(({ assert }, code) => {
      assert.isTrue(isRefusedValue(withCode(code)))
      assert.isFalse(isUniqueViolation(withCode(code)))
    })

  test('a check of SQLite does as well, and a division by zero does not', ({ assert }) => {
    assert.isTrue(isRefusedValue(withCode('SQLITE_CONSTRAINT_CHECK')))
    assert.isFalse(isRefusedValue(withCode('22012')))
  })

  test('what has no code is none of them', ({ assert }) => {
    for (const error of [null, undefined, new Error('x'), withCode(23505)]) {
      assert.isFalse(isUniqueViolation(error))
      assert.isFalse(isForeignKeyViolation(error))
      assert.isFalse(isRefusedValue(error))
    }
  })

  test('{$self} says that the database cannot be reached')
    .with([
      ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'],
      ...['ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
    ])
    .run(({ assert }, code) => {
      assert.isTrue(isDatabaseUnavailable(withCode(code)))
    })

  test('callers may try again in five seconds', ({ assert }) => {
    assert.equal(DATABASE_RETRY_AFTER, 5)
  })
})

test.group('Keys in URLs', () => {
  test('are whole numbers of at most 31 bits, written as a row shows them', async ({ assert }) => {
    for (const key of ['0', '7', '2147483647']) {
      assert.isTrue(isKey(key))
      assert.equal(asId(key), Number(key))
    }
    for (const key of [
      '',
      '2147483648',
      '99999999999',
      '-1',
      '1.5',
      ' 1',
      'x',
      '011',
      '00',
      '1e1',
      '+1',
    ]) {
      assert.isFalse(isKey(key))
      assert.throws(() => asId(key), 'There is no such row.')
    }
    const error = await Promise.try(asId, 'x').catch((thrown) => thrown)
    assert.include(error, { status: 404, code: 'E_ROW_NOT_FOUND' })
  })
})
