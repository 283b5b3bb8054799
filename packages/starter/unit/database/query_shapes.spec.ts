import { BaseModel, column } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { fetchUnhydrated, hydrateQuickly } from '#kit/database/quick_query'
import { quicken } from '#kit/database/query_shapes'
import { heapAfterShortCollections } from '#starter/helpers/heap'
import { recordStatements } from '#starter/helpers/statements'

const HINT = 'Knex has changed: see packages/kit/src/database/query_shapes.ts'

class Sheet extends BaseModel {
  static table = 'qs_sheets'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string | null
}
Sheet.boot()

type Query = ReturnType<typeof Sheet.query>

/** What differs in the value alone is compiled once. */
const KNOWN: Record<string, (query: Query, value: any) => unknown> = {
  everything: () => {},
  columns: (query) => query.select('id', 'name as title').select(['qs_sheets.*']),
  names: (query) => query.select(db.raw('cast(?? as text) as ??', ['qs_sheets.id', 'text'])),
  count: (query) => query.count('* as total').clearLimit().clearOffset(),
  conditions: (query, value) =>
    query.where('id', '>', value).orWhereNot('name', `${value}`).whereNull('qs_sheets.name'),
  lists: (query, value) =>
    query.whereIn('id', [value, 2]).whereNotIn('id', [5, value]).orWhereBetween('id', [1, value]),
  groups: (query, value) =>
    query
      .where((group) => group.where('id', value).orWhere((inner) => inner.where('id', '<', value)))
      .orWhereNot((group) => group.whereNotNull('name')),
  order: (query, value) =>
    query
      .orderBy([{ column: 'name', order: 'desc' }, { column: 'id' }])
      .limit(value)
      .offset(value),
  first: (query, value) => query.where('name', `${value}`).limit(0).offset(0),
}

/** What Knex compiles each time. */
const OTHERS: Record<string, (query: Query, value: any) => unknown> = {
  raw: (query, value) => query.whereRaw('id > ?', [value]).select(db.raw('? as one', [value])),
  join: (query, value) => query.join('qs_sheets as two', 'two.id', 'qs_sheets.id').offset(value),
  query: (query, value) => query.whereIn('id', Sheet.query().where('id', value).select('id')),
  column: (query) => query.whereColumn('id', '=', 'name'),
  distinct: (query) => query.distinct('id'),
  group: (query) => query.groupBy('name').select('name'),
  having: (query, value) => query.having('name', '>', value),
  date: (query, value) => query.where('id', new Date(value)),
}

const fresh = (make: (query: Query, value: any) => unknown, value: number) => {
  const query = Sheet.query()
  make(query, value)
  ;(query as any).applyWhere()
  return query
}

/** What is compiled of a query, and whether Knex has done it. */
function compiled(query: Query) {
  const { knexQuery, client } = query as any
  const own = knexQuery.client
  let isByKnex = false
  knexQuery.client = Object.create(own, {
    queryCompiler: {
      value(...args: unknown[]) {
        isByKnex = true
        return own.queryCompiler(...args)
      },
    },
  })
  quicken({ client, knexQuery, debugQueries: false })
  const { sql, bindings } = knexQuery.toSQL()
  return { sql, bindings, isByKnex }
}

const byKnex = (query: Query) => {
  const { sql, bindings } = (query as any).knexQuery.toSQL()
  return { sql, bindings }
}

test.group('Shapes of queries', (group) => {
  group.setup(async () => {
    await db.connection().schema.createTable('qs_sheets', (table) => {
      table.increments('id')
      table.string('name')
    })
    await db.table('qs_sheets').multiInsert([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    return () => db.connection().schema.dropTable('qs_sheets')
  })

  test('a query that differs from another in its values alone is not compiled again', ({
    assert,
  }) => {
    for (const [name, make] of Object.entries(KNOWN)) {
      compiled(fresh(make, 1))
      for (const value of [1, 7, 8]) {
        const expected = { ...byKnex(fresh(make, value)), isByKnex: false }
        assert.deepEqual(compiled(fresh(make, value)), expected, `${name}: ${HINT}`)
      }
    }
  })

  test('a query with anything else is compiled by Knex each time', ({ assert }) => {
    for (const [name, make] of Object.entries(OTHERS)) {
      for (const value of [1, 7]) {
        const expected = { ...byKnex(fresh(make, value)), isByKnex: true }
        assert.deepEqual(compiled(fresh(make, value)), expected, name)
      }
    }
  })

  test('queries of different shapes are never taken for each other', ({ assert }) => {
    const makes: ((query: Query) => unknown)[] = [
      (query) => query.where('id', 1),
      (query) => query.where('id', '>', 1),
      (query) => query.where('name', 1),
      (query) => query.whereNot('id', 1),
      (query) => query.whereNotNull('name').where('id', 1),
      (query) => query.whereNull('name').where('id', 1),
      (query) => query.where('id', 1).where('name', 1),
      (query) => query.where('id', 1).orWhere('name', 1),
      (query) => query.where((inner) => inner.where('id', 1)).where('name', 1),
      (query) => query.where((inner) => inner.where('id', 1).where('name', 1)),
      (query) => query.whereIn('id', [1]),
      (query) => query.whereIn('id', [1, 1]),
      (query) => query.whereBetween('id', [1, 1]),
      (query) => query.limit(1),
      (query) => query.limit(1).offset(1),
      (query) => query.orderBy('id'),
      (query) => query.orderBy('id', 'desc'),
      (query) => query.select('id').orderBy('id'),
      (query) => query.max('id'),
      (query) => query.count('id'),
      (query) => query.countDistinct('id'),
      (query) => query.from('qs_sheets as other'),
    ]
    for (let time = 0; time < 2; time++) {
      for (const make of makes) {
        const { sql, bindings } = compiled(fresh(make, 0))
        assert.deepEqual({ sql, bindings }, byKnex(fresh(make, 0)), String(make))
      }
    }
  })

  test('a page, its count and its hooks are those of Lucid', async ({ assert }) => {
    for (const page of [1, 2, 1]) {
      const expected = await Sheet.query().where('id', '>', 1).orderBy('id').paginate(page, 1)
      const found = await hydrateQuickly(Sheet.query().where('id', '>', 1))
        .orderBy('id')
        .paginate(page, 1)
      assert.deepEqual(found.serialize(), expected.serialize())
    }
  })

  test('inside a transaction a query sees what the transaction has written', async ({ assert }) => {
    const trx = await db.transaction()
    await Sheet.create({ name: 'd' }, { client: trx })
    const rows = await hydrateQuickly(Sheet.query({ client: trx })).orderBy('id')
    const others = (hydrateQuickly(Sheet.query()) as any).useTransaction(trx)
    assert.lengthOf(await others, 4)
    await trx.rollback()
    assert.lengthOf(rows, 4)
    assert.lengthOf(await hydrateQuickly(Sheet.query()), 3)
  })

  test('a query that is reported, and one with a time limit, is run by Knex', async ({
    assert,
    cleanup,
  }) => {
    const client = db.connection()
    const [reported, run]: [string[], string[]] = [[], []]
    const report = ({ sql }: { sql: string }) => void reported.push(sql)
    const note = (_rows: unknown, { sql }: { sql: string }) => void run.push(sql)
    client.emitter.on('db:query', report)
    client.getReadClient().on('query-response', note)
    cleanup(() => {
      client.emitter.off('db:query', report)
      client.getReadClient().removeListener('query-response', note)
    })
    await hydrateQuickly(Sheet.query().debug(true)).where('id', 1)
    assert.lengthOf(reported, 1)
    await hydrateQuickly(Sheet.query()).where('id', 1).timeout(1000)
    assert.lengthOf(run, 2)
  })

  test('the rows of a query are garbage when the query is, without a full collection', async ({
    assert,
  }) => {
    await Sheet.createMany(Array.from({ length: 500 }, () => ({ name: 'x'.repeat(100) })))
    const before = heapAfterShortCollections()
    for (let time = 0; time < 200; time++) {
      await fetchUnhydrated(Sheet.query())
    }
    /* All of them weigh over 15 MB. */
    assert.isBelow(heapAfterShortCollections() - before, 8_000_000)
  })

  test('a query that fails says why, once', async ({ assert }) => {
    const statements = await recordStatements(async () => {
      const query = () => hydrateQuickly(Sheet.query().where('missing', 1))
      await assert.rejects(query, /missing/)
      await assert.rejects(query, /missing/)
    })
    assert.isAtMost(statements.length, 2)
  })
})
