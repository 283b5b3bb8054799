import {
  BaseModel,
  ModelQueryBuilder,
  afterFetch,
  afterPaginate,
  belongsTo,
  column,
  computed,
} from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import { test } from '@japa/runner'
import { DateTime, Settings } from 'luxon'

import { behindOf, hydrator } from '#kit/database/hydration'
import { hydrateQuickly } from '#kit/database/quick_query'
import { JsonResource } from '#kit/json_api/json_resource'

const HINT = 'Lucid has changed: see packages/kit/src/database/hydration.ts'

class Note extends BaseModel {
  static table = 'hy_notes'
  static fetched = 0

  @column({ isPrimary: true })
  declare id: number

  @column({ consume: (value) => (value ? JSON.parse(value) : value) })
  declare settings: { theme: string } | null

  @column.dateTime()
  declare createdAt: DateTime

  @column.date()
  declare day: DateTime | null

  @column()
  declare parentId: number | null

  @belongsTo(() => Note, { foreignKey: 'parentId' })
  declare parent: BelongsTo<typeof Note>

  @afterFetch()
  static count(notes: Note[]) {
    Note.fetched += notes.length
  }
}
Note.boot()
const hydrate = hydrator(Note)

const ROW = {
  id: 7,
  settings: '{"theme":"dark"}',
  created_at: '2026-01-02 03:04:05',
  day: '2026-01-02',
  parent_id: null,
  hy_notes_id: 8,
  comments_count: 3,
}

/** An invalid time knows when it was made. */
const comparable = (value: unknown) =>
  DateTime.isDateTime(value) ? (value.toISO() ?? value.invalidReason) : value

const valuesOf = (values: object) =>
  Object.entries(values).map(([name, value]) => [name, comparable(value)])

const state = (row: LucidRow) => [
  ...[row.$attributes, row.$original, row.$extras, row.$sideloaded, row.$preloaded].map(valuesOf),
  [row.$isPersisted, row.$isLocal, row.$isDirty, row.$isDeleted, row.$options, row.$trx],
]

test.group('Quick hydration | a model', () => {
  test('is as Lucid makes it of the same row', ({ assert }) => {
    const options = { client: db.connection(), connection: db.primaryConnectionName }
    for (const row of [
      ROW,
      { id: 1, day: null },
      { id: 1, created_at: '2026-02-31 03:04:05' },
      { id: 1, created_at: new Date(0), day: new Date(0) },
      { id: 1, created_at: undefined, other: '' },
    ]) {
      const expected = Note.$createFromAdapterResult(row, { by: 1 }, options) as Note
      const note = hydrate(row, { by: 1 }, options)
      assert.deepEqual(state(note), state(expected), HINT)
      assert.deepEqual(valuesOf(note.serialize()), valuesOf(expected.serialize()), HINT)
      assert.deepEqual(Object.keys(note), Object.keys(expected), HINT)
      assert.strictEqual(Object.getPrototypeOf(note), Note.prototype, HINT)
      assert.strictEqual(note.constructor, Note, HINT)
    }
  })

  test('is read past its proxy, which a model with getters is not', ({ assert }) => {
    const note = hydrate(ROW)
    assert.notStrictEqual(behindOf(note), note, HINT)
    assert.equal((behindOf(note).$attributes as any).id, 8, HINT)

    class Loud extends Note {
      @computed()
      get loud() {
        return `${this.id}!`
      }
    }
    const loud = hydrator(Loud)(ROW)
    assert.strictEqual(behindOf(loud), loud)
  })

  test('changes alone, and knows what was changed', ({ assert }) => {
    const [one, other] = [hydrate(ROW), hydrate(ROW)]
    one.createdAt = one.createdAt.plus({ days: 1 })
    one.settings!.theme = 'light'
    assert.sameMembers(Object.keys(one.$dirty), ['createdAt', 'settings'])
    assert.equal(other.createdAt.day, 2)
    assert.isFalse(other.$isDirty)
    other.day = null
    assert.deepEqual(other.$dirty, { day: null })
    const unread = hydrate(ROW)
    unread.$attributes.createdAt = one.createdAt
    assert.strictEqual(unread.createdAt, one.createdAt)
  })

  test('has times in the zone that luxon has when they are read', ({ assert, cleanup }) => {
    const { defaultZone } = Settings
    cleanup(() => {
      Settings.defaultZone = defaultZone
    })
    for (const zone of ['Asia/Tokyo', 'America/Lima', 'utc']) {
      Settings.defaultZone = zone
      const expected = Note.$createFromAdapterResult(ROW) as Note
      assert.isTrue(hydrate(ROW).createdAt.equals(expected.createdAt), zone)
    }
  })

  test('is refused by Lucid for a time that is none', ({ assert }) => {
    assert.throws(() => hydrate({ created_at: 5 }), /Note.createdAt/)
  })
})

test.group('Quick hydration | a document', () => {
  class NoteResource extends JsonResource<Note> {}
  const attributesOf = async (note: Note) =>
    (await new NoteResource(note).serialize()).data!.attributes

  test('shows times as Lucid serializes them, read, unread and changed', async ({
    assert,
    cleanup,
  }) => {
    const { defaultZone } = Settings
    cleanup(() => {
      Settings.defaultZone = defaultZone
    })
    for (const zone of ['system', 'utc', 'Europe/Berlin']) {
      Settings.defaultZone = zone
      for (const created of [
        '2026-01-02 03:04:05',
        '2026-01-02 03:04:05.678',
        '2026-07-31 00:00:00',
      ]) {
        const row = { ...ROW, created_at: created }
        const expected = (Note.$createFromAdapterResult(row) as Note).serialize()
        assert.equal((await attributesOf(hydrate(row))).createdAt, expected.createdAt, HINT)
      }
    }
    const note = hydrate(ROW)
    note.createdAt = note.createdAt.set({ year: 2030 })
    assert.match(String((await attributesOf(note)).createdAt), /^2030-01-02T03:04:05.000/)
    const unread = hydrate(ROW)
    unread.createdAt = note.createdAt
    assert.match(String((await attributesOf(unread)).createdAt), /^2030-01-02T03:04:05.000/)
    assert.sameMembers(Object.keys(unread.$dirty), ['createdAt'])
  })
})

test.group('Quick hydration | a query', (group) => {
  let made = 0
  class Unwatched extends BaseModel {
    static table = 'hy_notes'
    made = made++

    @column({ isPrimary: true })
    declare id: number
  }

  group.setup(async () => {
    const drop = () => db.connection().schema.dropTableIfExists('hy_notes')
    await drop()
    await db.connection().schema.createTable('hy_notes', (table) => {
      table.increments('id')
      table.text('settings').nullable()
      table.timestamp('created_at')
      table.date('day').nullable()
      table.integer('parent_id').nullable()
    })
    const created = '2026-01-02 03:04:05'
    await db.table('hy_notes').multiInsert([
      { id: 1, created_at: created, parent_id: null },
      { id: 2, created_at: created, parent_id: 1 },
    ])
    return drop
  })

  test('gives what Lucid gives, by every way to run it', async ({ assert }) => {
    const plain = () => Note.query().orderBy('id')
    const quick = () => hydrateQuickly(plain())
    const states = (rows: LucidRow[]) => rows.map(state)
    assert.deepEqual(states(await quick()), states(await plain()), HINT)
    assert.deepEqual(state((await quick().first())!), state((await plain().first())!), HINT)
    const [page, expected] = [await quick().paginate(1, 1), await plain().paginate(1, 1)]
    assert.deepEqual(page.getMeta(), expected.getMeta(), HINT)
    assert.deepEqual(states(page.all()), states(expected.all()), HINT)
    assert.deepEqual(await quick().pojo(), await plain().pojo(), HINT)
    assert.notStrictEqual(behindOf((await quick())[0]!), (await quick())[0]!, HINT)
    assert.isFunction((ModelQueryBuilder.prototype as any).execQuery, HINT)
  })

  test('runs hooks, preloads and row transformers', async ({ assert }) => {
    Note.fetched = 0
    const seen: number[] = []
    const query = hydrateQuickly(Note.query().orderBy('id').preload('parent').sideload({ by: 1 }))
    const rows = await (query as any).rowTransformer((row: Note) => seen.push(row.id))
    assert.deepEqual(seen, [1, 2])
    assert.equal(rows[1].parent.id, 1)
    assert.deepEqual(rows[1].parent.$sideloaded, { by: 1 })
    assert.equal(Note.fetched, 3)
  })

  test('keeps its transaction, and writes as ever', async ({ assert }) => {
    const trx = await db.transaction()
    const [note] = await hydrateQuickly(Note.query({ client: trx }).where('id', 2))
    assert.strictEqual(note!.$trx, trx)
    note!.parentId = 2
    await note!.save()
    await hydrateQuickly(Note.query({ client: trx }).where('id', 1)).update({ parentId: 2 })
    assert.lengthOf(await Note.query({ client: trx }).where('parentId', 2), 2)
    await trx.rollback()
    assert.isUndefined(note!.$trx)
  })

  test('makes models of a page when somebody looks at one of them', async ({ assert }) => {
    const query = () => Unwatched.query().select('id').orderBy('id')
    const expected = await query().paginate(1, 5)
    const looks: ((page: Unwatched[]) => unknown)[] = [
      (page) => page[1]!.id,
      (page) => page.map(({ id }) => id),
      (page) => [...page].map(({ id }) => id),
      (page) => page.find(({ id }) => id === 2)?.id,
      (page) => JSON.stringify(page),
      (page) => (page as typeof expected).serialize(),
      (page) => (page as typeof expected).all().map(({ id }) => id),
      (page) => Object.values({ ...page }).filter((row) => row instanceof Unwatched).length,
    ]
    for (const look of looks) {
      made = 0
      const page = await hydrateQuickly(query()).paginate(1, 5)
      assert.deepEqual(page.getMeta(), expected.getMeta())
      assert.deepEqual([page.length, page.total, page.getUrl(2)], [2, 2, '/?page=2'])
      assert.equal(made, 0)
      assert.deepEqual(look(page), look(expected), String(look))
      assert.equal(made, 2)
      assert.strictEqual(page.all()[1], page[1])
      assert.equal(made, 2)
    }
    const page = await hydrateQuickly(query()).paginate(1, 5)
    const [other] = await query()
    page[1] = other!
    assert.strictEqual(page[1], other)
    assert.equal(page[0]!.id, 1)
  })

  test('makes models of a page at once inside a transaction, and for whoever is given them', async ({
    assert,
  }) => {
    const trx = await db.transaction()
    const page = await hydrateQuickly(Unwatched.query({ client: trx })).paginate(1, 5)
    await trx.rollback()
    assert.isUndefined(page[0]!.$trx)

    class Watched extends Unwatched {
      static table = 'hy_notes'
      static seen: boolean[]

      @afterPaginate()
      static see([first]: Watched[]) {
        Watched.seen.push(first instanceof Watched)
      }
    }
    Watched.seen = []
    await hydrateQuickly(Watched.query()).paginate(1, 5)
    assert.deepEqual(Watched.seen, [true])

    class Child extends Unwatched {
      static table = 'hy_notes'

      @column()
      declare parentId: number | null

      @belongsTo(() => Child, { foreignKey: 'parentId' })
      declare parent: BelongsTo<typeof Child>
    }
    const children = Child.query().orderBy('id').preload('parent')
    assert.equal((await hydrateQuickly(children).paginate(1, 5))[1]!.parent.id, 1)
    const seen: number[] = []
    const query = hydrateQuickly(Unwatched.query().orderBy('id')) as any
    await query.rowTransformer(({ id }: Unwatched) => seen.push(id)).paginate(1, 5)
    assert.deepEqual(seen, [1, 2])
  })

  test('leaves a model alone that hydrates itself', async ({ assert }) => {
    class Own extends Note {
      static table = 'hy_notes'

      $consumeAdapterResult(...args: [any]) {
        super.$consumeAdapterResult(...args)
        this.$extras.own = true
      }
    }
    const [note] = await hydrateQuickly(Own.query())
    assert.isTrue(note!.$extras.own)
  })
})
