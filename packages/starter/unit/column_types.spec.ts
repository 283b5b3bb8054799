import { mkdir, rm, writeFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { BaseModel, column as attribute } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

import rules from '#database/schema_rules'
import { applyFilter, type FilterOperator } from '#kit/json_api/filter'

const TABLE = 'column_kinds'

/* The class that a migration would write; Lucid does not export its generator. */
async function generateModel() {
  const path = new URL(
    './src/orm/schema_generator/builder.js',
    import.meta.resolve('@adonisjs/lucid')
  )
  const { OrmSchemaBuilder } = await import(path.href)
  const builder = new OrmSchemaBuilder(db.connection())
  builder.loadRules([rules])
  const columns = await db.connection().columnsInfo(TABLE)
  const output: string = builder.getOutput(
    builder.generateSchemas([{ name: TABLE, columns, primaryKeys: ['id'] }])
  )
  const file = app.tmpPath('column_kinds.ts')
  await mkdir(app.tmpPath(), { recursive: true })
  await writeFile(file, output)
  const { ColumnKindSchema } = await import(file)
  return { Model: class ColumnKind extends ColumnKindSchema {} as any, output }
}

test.group('Columns on every database', (group) => {
  group.setup(async () => {
    await db.connection().schema.dropTableIfExists(TABLE)
    await db.connection().schema.createTable(TABLE, (table) => {
      table.increments('id')
      table.string('text')
      table.integer('whole')
      table.bigInteger('large')
      table.decimal('price', 10, 2)
      table.float('ratio')
      table.boolean('is_open')
      table.date('day')
      table.timestamp('seen_at')
      table.json('settings')
      table.jsonb('tags')
      table.uuid('key')
    })
    return async () => {
      await db.connection().schema.dropTable(TABLE)
      await rm(app.tmpPath('column_kinds.ts'))
    }
  })

  test('times are compared by filters as they are stored', async ({ assert }) => {
    const { Model } = await generateModel()
    await db.from(TABLE).delete()
    const days = [1, 2, 3].map((day) =>
      DateTime.fromObject({ year: 2026, month: 2, day, hour: 10 })
    )
    for (const day of days) {
      await Model.create({ day, seenAt: day })
    }
    const found = async (column: string, operator: FilterOperator, at: DateTime) => {
      const criteria = [{ column, operator, values: [at.toJSDate()] }]
      const rows: any[] = await applyFilter(Model.query().orderBy('id'), criteria)
      return rows.map(({ day }) => day.day)
    }
    for (const column of ['seen_at', `${TABLE}.seen_at`, 'day']) {
      assert.deepEqual(await found(column, 'eq', days[1]!), [2], column)
      assert.deepEqual(await found(column, 'gte', days[1]!), [2, 3], column)
      assert.deepEqual(await found(column, 'lt', days[1]!), [1], column)
      assert.deepEqual(await found(column, 'in', days[2]!), [3], column)
    }
    assert.deepEqual(await found('seen_at', 'gt', days[1]!.plus({ minutes: 1 })), [3])
  })

  test('read back as they were written, with the type that the class declares', async ({
    assert,
  }) => {
    const { Model, output } = await generateModel()
    const values = {
      text: 'Words',
      whole: 7,
      large: 2 ** 53 - 1,
      price: 12.5,
      ratio: 0.25,
      isOpen: false,
      settings: { deep: [1, null, { a: 'b' }] },
      tags: ['a', 'b'],
      key: '018f4d1c-95b0-7cc4-9f37-2f6f3d1c0a11',
    }
    const day = DateTime.fromISO('2026-02-28')
    const seenAt = DateTime.fromISO('2026-02-28T10:20:30')
    const { id } = await Model.create({ ...values, day, seenAt })
    const row = await Model.findOrFail(id)
    for (const [name, value] of Object.entries(values)) {
      assert.deepEqual(row[name], value, name)
    }
    assert.equal(row.day.toISODate(), day.toISODate())
    assert.equal(row.seenAt.toMillis(), seenAt.toMillis())
    for (const declared of [
      'text: string',
      'whole: number',
      'large: number',
      'price: number',
      'ratio: number',
      'isOpen: boolean',
      'day: DateTime',
      'seenAt: DateTime',
      'settings: any',
      'key: string',
    ]) {
      assert.include(output, `declare ${declared} | null`)
    }
    const { settings, tags, isOpen } = values
    assert.containSubset(row.serialize(), { settings, tags, isOpen, day: '2026-02-28' })
  })

  test('a class that SQLite gave reads decimals, large keys and texts in JSON on PostgreSQL', async ({
    assert,
  }) => {
    const { Model } = await generateModel()
    /* SQLite knows no decimals and no kinds of keys, so that its classes have plain columns. */
    class Plain extends BaseModel {
      static table = TABLE

      @attribute({ isPrimary: true })
      declare id: number

      @attribute()
      declare price: number

      @attribute()
      declare large: number
    }
    for (const text of ['dark', '123', 'null', '{"a":1}', '"']) {
      const { id } = await Model.create({
        price: 12.5,
        large: 2 ** 53 - 1,
        settings: text,
        tags: text,
      })
      const { settings, tags } = await Model.findOrFail(id)
      assert.deepEqual([settings, tags], [text, text])
      const { price, large } = await Plain.findOrFail(id)
      assert.deepEqual([price, large], [12.5, 2 ** 53 - 1])
    }
  })

  test('are null when nothing was written', async ({ assert }) => {
    const { Model } = await generateModel()
    const { id } = await Model.create({ text: null, settings: null })
    const { id: read, ...rest } = (await Model.findOrFail(id)).serialize()
    assert.equal(read, id)
    assert.deepEqual([...new Set(Object.values(rest))], [null])
  })
})
