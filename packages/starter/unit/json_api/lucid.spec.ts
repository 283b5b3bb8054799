import { test } from '@japa/runner'
import {
  BaseModel,
  afterFetch,
  belongsTo,
  column,
  computed,
  hasMany,
  hasManyThrough,
  hasOne,
  manyToMany,
} from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import type {
  BelongsTo,
  HasMany,
  HasManyThrough,
  HasOne,
  ManyToMany,
} from '@adonisjs/lucid/types/relations'
import { DateTime } from 'luxon'

import { toMany, toOne } from '#kit/json_api/declared_relationships'
import { hydrateQuickly } from '#kit/database/quick_query'
import { JsonResource } from '#kit/json_api/json_resource'
import { isKey } from '#kit/database/key'
import { ResourceWriter, defineWrites } from '#kit/json_api/resource_writes'
import { judge } from '#starter/helpers/json_api_judge'
import { recordStatements } from '#starter/helpers/statements'

class Country extends BaseModel {
  static table = 'ja_countries'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @hasMany(() => Writer)
  declare writers: HasMany<typeof Writer>

  @hasManyThrough([() => Book, () => Writer])
  declare books: HasManyThrough<typeof Book>
}

class Profile extends BaseModel {
  static table = 'ja_profiles'

  @column({ isPrimary: true })
  declare id: string

  @column()
  declare writerId: number
}

class Writer extends BaseModel {
  static table = 'ja_writers'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare countryId: number | null

  @column()
  declare name: string

  @belongsTo(() => Country)
  declare country: BelongsTo<typeof Country>

  @hasOne(() => Profile)
  declare profile: HasOne<typeof Profile>

  @hasMany(() => Book)
  declare books: HasMany<typeof Book>
}

class Tag extends BaseModel {
  static table = 'ja_tags'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string
}

class Book extends BaseModel {
  static table = 'ja_books'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare writerId: number

  @column({ serializeAs: 'headline' })
  declare title: string

  @column({ serializeAs: null })
  declare secret: string | null

  @column({ serialize: (value) => (value === null ? null : BigInt(value)) })
  declare copies: number | null

  @column.date()
  declare printedOn: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @computed()
  get shout() {
    return `${this.title}!`
  }

  @belongsTo(() => Writer)
  declare writer: BelongsTo<typeof Writer>

  @manyToMany(() => Tag, { pivotTable: 'ja_book_tag' })
  declare tags: ManyToMany<typeof Tag>
}

class CountryResource extends JsonResource<Country> {
  static hidden = ['id']

  toRelationships() {
    return {
      writers: () => WriterResource.collection(this.resource.writers),
      books: () => BookResource.collection(this.resource.books),
    }
  }
}

class ProfileResource extends JsonResource<Profile> {
  static hidden = ['id', 'writerId']
}

class WriterResource extends JsonResource<Writer> {
  static hidden = ['id', 'countryId']

  toRelationships() {
    return {
      country: CountryResource,
      profile: () => new ProfileResource(this.resource.profile),
      books: toMany(() => BookResource),
    }
  }
}

class TagResource extends JsonResource<Tag> {
  static hidden = ['id']
}

class BookResource extends JsonResource<Book> {
  static hidden = ['id', 'writerId']

  toRelationships(): { writer: typeof WriterResource; tags: any } {
    return { writer: WriterResource, tags: () => TagResource.collection(this.resource.tags) }
  }
}

async function createTables() {
  const connection = db.connection()
  await connection.schema.createTable('ja_countries', (table) => {
    table.increments('id')
    table.string('name')
  })
  await connection.schema.createTable('ja_writers', (table) => {
    table.increments('id')
    table.integer('country_id').nullable()
    table.string('name')
  })
  await connection.schema.createTable('ja_profiles', (table) => {
    table.uuid('id').primary()
    table.integer('writer_id')
  })
  await connection.schema.createTable('ja_books', (table) => {
    table.increments('id')
    table.integer('writer_id')
    table.string('title')
    table.string('secret').nullable()
    table.bigInteger('copies').nullable()
    table.date('printed_on').nullable()
    table.timestamp('created_at')
  })
  await connection.schema.createTable('ja_tags', (table) => {
    table.increments('id')
    table.string('name')
  })
  await connection.schema.createTable('ja_book_tag', (table) => {
    table.integer('book_id')
    table.integer('tag_id')
  })
}

async function dropTables() {
  for (const name of ['countries', 'writers', 'profiles', 'books', 'tags', 'book_tag']) {
    await db.connection().schema.dropTableIfExists(`ja_${name}`)
  }
}

/** Writers with two books each, books with the two tags, every second writer in a country. */
async function seed(writers: number) {
  await db.table('ja_countries').multiInsert([{ name: 'India' }, { name: 'France' }])
  await db.table('ja_tags').multiInsert([{ name: 'new' }, { name: 'old' }])
  for (let start = 1; start <= writers; start += 200) {
    const ids = Array.from({ length: Math.min(200, writers - start + 1) }, (_, i) => start + i)
    await db.table('ja_writers').multiInsert(
      ids.map((id) => ({
        id,
        name: `Writer ${id}`,
        country_id: id % 2 ? 1 + (id % 3 ? 0 : 1) : null,
      }))
    )
    await db.table('ja_books').multiInsert(
      ids.flatMap((id) =>
        [1, 2].map((n) => ({
          id: id * 2 + n,
          writer_id: id,
          title: `Book ${n} of ${id}`,
          created_at: DateTime.utc(2026, 1, 2, 3, 4, 5).toSQL({ includeOffset: false }),
        }))
      )
    )
    await db
      .table('ja_book_tag')
      .multiInsert(
        ids.flatMap((id) => [1, 2].map((tag) => ({ book_id: id * 2 + tag, tag_id: tag })))
      )
  }
}

/** The document of an action, and the statements that it took. */
async function watch<Result>(action: () => Promise<Result>) {
  let result!: Result
  const statements = await recordStatements(async () => {
    result = await action()
  })
  return { result, statements }
}

test.group('JsonResource | Lucid relations', (group) => {
  group.setup(async () => {
    await dropTables()
    await createTables()
    return dropTables
  })
  group.each.setup(async () => {
    return async () => {
      for (const name of ['countries', 'writers', 'profiles', 'books', 'tags', 'book_tag']) {
        await db.rawQuery(`DELETE FROM ja_${name}`)
      }
    }
  })

  test('a relation that is included is loaded in one query for the whole level', async ({
    assert,
  }) => {
    await seed(6)
    const writers = await Writer.query().orderBy('id')
    const { result, statements } = await watch(() =>
      WriterResource.collection(writers).include('country', 'books.tags', 'profile').serialize()
    )
    assert.lengthOf(statements, 4)
    assert.deepEqual(judge(result), [])
    assert.deepEqual(result.data[0]!.relationships!.books!.data as any, [
      { type: 'books', id: '3' },
      { type: 'books', id: '4' },
    ])
    const books = result.included!.filter(({ type }) => type === 'books')
    assert.lengthOf(books, 12)
    for (const { id, relationships } of books) {
      const tag = Number(id) % 2 ? '1' : '2'
      assert.deepEqual(relationships!.tags!.data as any, [{ type: 'tags', id: tag }])
    }
    assert.deepEqual(result.data[0]!.relationships!.country!.data.type, 'countries')
    assert.notProperty(result.data[1]!.relationships!, 'country')
    assert.isNull(result.data[0]!.relationships!.profile!.data)
  })

  test('every kind of relation gives what Lucid itself gives', async ({ assert }) => {
    await seed(7)
    await Profile.createMany([
      { id: '550e8400-e29b-41d4-a716-446655440000', writerId: 1 },
      { id: '550e8400-e29b-41d4-a716-446655440001', writerId: 3 },
    ])
    const expected = await Country.query()
      .orderBy('ja_countries.id')
      .preload('books')
      .preload('writers', (query) => {
        void query
          .preload('profile')
          .preload('country')
          .preload('books', (books) => void books.preload('tags').preload('writer'))
      })
    const document = await CountryResource.collection(await Country.query().orderBy('id'))
      .include(
        'books',
        'writers.profile',
        'writers.country',
        'writers.books.tags',
        'writers.books.writer'
      )
      .serialize()

    assert.deepEqual(judge(document), [])
    const all = [...document.data, ...document.included!]
    const linked = (type: string, id: number | string, name: string) =>
      [
        (all.find((one) => one.type === type && one.id === String(id)) as any).relationships[name]
          ?.data ?? [],
      ]
        .flat()
        .map((one: any) => one.id)
        .sort()
    const ids = (rows: any) =>
      [rows ?? []]
        .flat()
        .map((row: any) => String(row.id))
        .sort()

    for (const country of expected) {
      assert.deepEqual(linked('countries', country.id, 'books'), ids(country.books))
      assert.deepEqual(linked('countries', country.id, 'writers'), ids(country.writers))
      for (const writer of country.writers) {
        assert.deepEqual(linked('writers', writer.id, 'profile'), ids(writer.profile))
        assert.deepEqual(linked('writers', writer.id, 'country'), ids(writer.country))
        for (const book of writer.books) {
          assert.deepEqual(linked('books', book.id, 'tags'), ids(book.tags))
          assert.deepEqual(linked('books', book.id, 'writer'), ids(book.writer))
        }
      }
    }
  })

  test('50 and 2,000 rows take the same number of queries', async ({ assert }) => {
    await seed(2000)
    const count = async (rows: number) => {
      const writers = await Writer.query().orderBy('id').limit(rows)
      const { statements, result } = await watch(() =>
        WriterResource.collection(writers).include('country.writers', 'books.tags').serialize()
      )
      assert.lengthOf(result.data, rows)
      return statements.length
    }
    assert.equal(await count(2000), await count(50))
  })

  test('a relation that is loaded is not asked again, and stays as it is', async ({ assert }) => {
    await seed(3)
    const writers = await Writer.query()
      .orderBy('id')
      .preload('books', (query) => void query.where('title', 'like', 'Book 1%'))
      .preload('country')
    const { result, statements } = await watch(() =>
      WriterResource.collection(writers).include('books', 'country').serialize()
    )
    assert.deepEqual(statements, [])
    assert.isTrue(
      result.data.every(({ relationships }) => [relationships!.books!.data].flat().length === 1)
    )
  })

  test('rows without the relation loaded are completed next to rows with it', async ({
    assert,
  }) => {
    await seed(3)
    const writers = await Writer.query().orderBy('id')
    await writers[0]!.load('books', (query) => void query.limit(1))
    const { result, statements } = await watch(() =>
      WriterResource.collection(writers).include('books').serialize()
    )
    assert.lengthOf(statements, 1)
    assert.deepEqual(
      result.data.map(({ relationships }) => [relationships!.books!.data].flat().length),
      [1, 2, 2]
    )
  })

  test('the same row reached again is not asked again', async ({ assert }) => {
    await seed(1)
    const { statements, result } = await watch(async () => {
      const writer = await Writer.findOrFail(1)
      return new WriterResource(writer).include('books.writer.books.writer').serialize()
    })
    assert.lengthOf(statements, 3)
    assert.deepEqual(judge(result), [])
  })

  test('a relation that two classes of one type have is linked once', async ({ assert }) => {
    const [PlaceResource, HomeResource] = [1, 2].map(
      () =>
        class extends JsonResource<Country> {
          static type = 'countries'
          static hidden = ['id']

          toRelationships() {
            return { writers: toMany(() => WriterResource) }
          }
        }
    )
    class GuestResource extends JsonResource<Writer> {
      static hidden = ['id']

      toRelationships() {
        const load = () => Country.query().limit(1)
        return { country: toOne(() => PlaceResource!), home: toOne(() => HomeResource!, { load }) }
      }
    }
    await seed(1)
    const { id } = await Country.query().firstOrFail()
    await Writer.query().update({ country_id: id })
    const guest = new GuestResource(await Writer.findOrFail(1))
    const document = await guest.include('country.writers', 'home.writers').serialize()

    assert.deepEqual(judge(document), [])
    const country = document.included!.find(({ type }) => type === 'countries')!
    assert.deepEqual(country.relationships!.writers!.data as any, [{ type: 'writers', id: '1' }])
  })

  test('relations are loaded inside the transaction of the rows', async ({ assert }) => {
    const trx = await db.transaction()
    try {
      const writer = await Writer.create({ name: 'New' }, { client: trx })
      await Book.create({ writerId: writer.id, title: 'Unseen outside' }, { client: trx })
      const rows = await Writer.query({ client: trx }).where('id', writer.id)
      const document = await WriterResource.collection(rows).include('books.writer').serialize()
      assert.deepEqual(
        document.included!.map(({ attributes }) => attributes.headline),
        ['Unseen outside']
      )
    } finally {
      await trx.rollback()
    }
  })

  test('a many-to-many relationship is written as docs/json-api.md does it', async ({ assert }) => {
    await seed(1)
    const ids = (identifiers: { id: string }[]) =>
      identifiers.map(({ id }) => (isKey(id) ? Number(id) : 0))
    const writes = defineWrites<Book>({
      resource: () => BookResource,
      find: (id, { trx }) => Book.findOrFail(id, { client: trx }),
      relationships: {
        tags: {
          types: ['tags'],
          isToMany: true,
          add: ({ model, identifiers, trx }) =>
            model.related('tags').sync(ids(identifiers), false, trx),
          replace: ({ model, identifiers, trx }) =>
            model.related('tags').sync(ids(identifiers), true, trx),
          remove: ({ model, identifiers, trx }) =>
            model.related('tags').detach(ids(identifiers), trx),
        },
      },
    })
    const tags = await Tag.query().orderBy('id')
    const change = async (action: 'add' | 'replace' | 'remove', some: { id: unknown }[]) => {
      await db.transaction(async (trx) => {
        const writer = new ResourceWriter(writes, null as never, { user: null as never, trx })
        const data = some.map(({ id }) => ({ type: 'tags', id: String(id) }))
        await writer.relate('3', 'tags', action, { data })
      })
      const rows = await db.from('ja_book_tag').where('book_id', 3).orderBy('tag_id')
      return rows.map(({ tag_id: id }) => tags.findIndex((tag) => tag.id === Number(id)))
    }
    await change('replace', [])
    assert.deepEqual(await change('add', [tags[0]!]), [0])
    assert.deepEqual(await change('add', tags), [0, 1])
    for (const nothing of [[], [{ id: 'abc' }], [{ id: 999 }]]) {
      assert.deepEqual(await change('remove', nothing), [0, 1])
    }
    assert.deepEqual(await change('add', []), [0, 1])
    assert.deepEqual(await change('remove', [tags[0]!]), [1])
    assert.deepEqual(await change('replace', [tags[0]!]), [0])
  })

  test('a Lucid relation that the resource does not declare is neither loaded nor reachable', async ({
    assert,
  }) => {
    await seed(1)
    class NarrowResource extends JsonResource<Writer> {
      static type = 'writers'
    }
    const writer = await Writer.findOrFail(1)
    const { statements } = await watch(() =>
      assert.rejects(() => new NarrowResource(writer).include('books').serialize())
    )
    assert.deepEqual(statements, [])
  })

  test('a relationship may be a member of the model that is no relation of Lucid', async ({
    assert,
  }) => {
    await seed(2)
    class Paired extends Writer {
      static table = 'ja_writers'

      get twin() {
        return { id: this.id + 100 }
      }
    }
    class TwinResource extends JsonResource<{ id: number }> {}
    class PairedResource extends JsonResource<Paired> {
      toRelationships() {
        return { twin: toOne(() => TwinResource) }
      }
    }
    const rows = hydrateQuickly(Paired.query()).orderBy('id')
    for (const items of [await rows.clone(), await rows.clone().paginate(1, 2)]) {
      const { data } = await PairedResource.collection(items).include('twin').serialize()
      const linked = data.map(({ relationships }) => relationships!.twin!.data)
      assert.deepEqual(linked, [
        { type: 'twins', id: '101' },
        { type: 'twins', id: '102' },
      ])
    }
  })

  test('rows that do not declare the relationship are left alone next to rows that do', async ({
    assert,
  }) => {
    await seed(2)
    class SomeResource extends JsonResource<Writer> {
      static type = 'writers'

      toRelationships() {
        return this.resource.id === 1 ? { books: BookResource } : null
      }
    }
    const writers = await Writer.query().orderBy('id')
    const { data } = await SomeResource.collection(writers).include('books').serialize()
    assert.lengthOf([data[0]!.relationships!.books!.data].flat(), 2)
    assert.isUndefined(writers[1]!.books)
  })

  test('rows of several models in one level are loaded model by model', async ({ assert }) => {
    await seed(3)
    class ShelfResource extends JsonResource<{ id: number; owner: Writer | Country }> {
      static hidden = ['id']

      toRelationships() {
        const { owner } = this.resource
        return {
          owner: () =>
            owner instanceof Writer ? new WriterResource(owner) : new CountryResource(owner),
        }
      }
    }
    const shelves = [
      { id: 1, owner: await Writer.findOrFail(1) },
      { id: 2, owner: await Country.firstOrFail() },
    ]
    const { result, statements } = await watch(() =>
      ShelfResource.collection(shelves).include('owner.books').serialize()
    )
    assert.lengthOf(statements, 2)
    assert.deepEqual(judge(result), [])
  })

  test('a foreign key that was not selected is an error, not an empty relationship', async ({
    assert,
  }) => {
    await seed(1)
    const writers = await Writer.query().select('id', 'name')
    await assert.rejects(
      () => WriterResource.collection(writers).include('country').serialize(),
      /value of "Writer.countryId" is undefined/
    )
  })

  test('an invalid include sends no statement, and leaves an open transaction usable', async ({
    assert,
  }) => {
    await seed(1)
    class QueryingResource extends JsonResource<Writer> {
      static type = 'writers'

      toRelationships() {
        return {
          books: async () =>
            BookResource.collection(await Book.query().where('writerId', this.resource.id)),
          latest: async () =>
            BookResource.collection(await this.resource.related('books').query().limit(1)),
        }
      }
    }
    const trx = await db.transaction()
    try {
      const writer = await Writer.findOrFail(1, { client: trx })
      const empty = await Writer.query({ client: trx }).where('id', 0)
      const refused = [
        () => WriterResource.collection(empty).include('books.nothing'),
        () => new WriterResource(writer).include('books.writer.country.nothing', 'profile'),
        () => QueryingResource.collection(empty).include('nothing', 'books'),
        () => new QueryingResource(writer).include('books', 'latest', 'nothing'),
      ]
      for (const source of refused) {
        const { statements } = await watch(() =>
          assert.rejects(() => source().serialize(), /There is no relationship/)
        )
        assert.deepEqual(statements, [])
      }
      const accepted = await watch(() =>
        QueryingResource.collection(empty).include('books.writer', 'latest').serialize()
      )
      assert.deepEqual(accepted.statements, [])

      await Book.create({ writerId: writer.id, title: 'Still writing' }, { client: trx })
      assert.lengthOf(await Book.query({ client: trx }).where('title', 'Still writing'), 1)
    } finally {
      await trx.rollback()
    }
  })

  test('included rows become models only where something of theirs is asked', async ({
    assert,
  }) => {
    await seed(3)
    const made = { books: 0 }
    class Counted extends Book {
      static table = 'ja_books'
      counted = made.books++
    }
    class Owner extends Writer {
      static table = 'ja_writers'

      @hasMany(() => Counted, { foreignKey: 'writerId' })
      declare works: HasMany<typeof Counted>
    }
    class WorkResource extends JsonResource<Counted> {
      toAttributes() {
        return { headline: this.resource.title }
      }
    }
    class PlainWorkResource extends JsonResource<Counted> {
      static type = 'works'
    }
    Counted.boot()
    Counted.$computedDefinitions.delete('shout')
    const owners = await Owner.query().orderBy('id')
    for (const [resourceClass, models] of [
      [PlainWorkResource, 1],
      [WorkResource, 7],
    ] as const) {
      class OwnerResource extends JsonResource<Owner> {
        toRelationships() {
          return { works: toMany(resourceClass) }
        }
      }
      made.books = 0
      const { included } = await OwnerResource.collection(owners).include('works').serialize()
      assert.equal(included![0]!.attributes.headline, 'Book 1 of 1')
      assert.lengthOf(included!, 6)
      assert.equal(made.books, models)
    }
  })

  test('rows of a page become models only where something of theirs is asked', async ({
    assert,
  }) => {
    await seed(3)
    let made = 0
    class Listed extends Writer {
      static table = 'ja_writers'
      made = made++
    }
    class ListedResource extends JsonResource<Listed> {}
    class LoudResource extends JsonResource<Listed> {
      static type = 'listeds'

      toAttributes() {
        return this.resource.serialize()
      }
    }
    const page = () => hydrateQuickly(Listed.query()).orderBy('id').paginate(1, 5)
    const expected = await ListedResource.collection(await Listed.query().orderBy('id')).serialize()
    for (const [resourceClass, models] of [
      [ListedResource, 1],
      [LoudResource, 4],
    ] as const) {
      made = 0
      const { data } = await resourceClass.collection(await page()).serialize()
      assert.equal(made, models)
      assert.deepEqual(data, expected.data)
    }
    const changed = await page()
    changed[0]!.name = 'Changed'
    const { data } = await ListedResource.collection(changed).serialize()
    assert.equal(data[0]!.attributes.name, 'Changed')
  })

  test('other requests have their turn while a large document is made', async ({ assert }) => {
    class ThingResource extends JsonResource<{ id: number; next: object | null }> {
      toRelationships() {
        return { next: toOne(() => ThingResource) }
      }
    }
    const things = Array.from({ length: 5000 }, (_, id) => ({ id, next: { id: id + 5000 } }))
    let turns = 0
    let isDone = false
    const tick = () => {
      turns++
      isDone || setImmediate(tick)
    }
    setImmediate(tick)
    await ThingResource.collection(things).include('next').serialize()
    isDone = true
    assert.isAtLeast(turns, 10)
  })

  test('a hostile path costs no query', async ({ assert }) => {
    await seed(1)
    const books = await Book.all()
    for (const path of ['writer.country.nothing', 'writer.constructor', '__proto__']) {
      const { statements } = await watch(() =>
        assert.rejects(() => BookResource.collection(books).include(path).serialize())
      )
      assert.deepEqual(statements, [])
    }
  })
})

test.group('JsonResource | Lucid attributes', (group) => {
  group.setup(async () => {
    await dropTables()
    await createTables()
    return dropTables
  })

  test('dates, bigints, UUIDs, nulls, computed and serializeAs columns come out right', async ({
    assert,
  }) => {
    const writer = await Writer.create({ name: 'Virk' })
    await Profile.create({ id: '550e8400-e29b-41d4-a716-446655440000', writerId: writer.id })
    const created = await Book.create({
      title: 'Hello',
      secret: 'hidden',
      writerId: writer.id,
      copies: 9007199254740991,
      printedOn: DateTime.utc(2026, 5, 6),
    })
    const book = await Book.findOrFail(created.id)
    const { data } = await new BookResource(book).serialize()
    const { createdAt, ...attributes } = data!.attributes as any
    assert.deepEqual(attributes, {
      headline: 'Hello',
      copies: '9007199254740991',
      printedOn: '2026-05-06',
      shout: 'Hello!',
    })
    assert.equal(createdAt, book.createdAt.toISO())

    const profile = await new ProfileResource(await Profile.firstOrFail()).serialize()
    assert.equal(profile.data!.id, '550e8400-e29b-41d4-a716-446655440000')
  })

  test('a primary key of another name is the id', async ({ assert }) => {
    class Language extends BaseModel {
      @column({ isPrimary: true })
      declare code: string
    }
    class LanguageResource extends JsonResource<Language> {}
    const { data } = await new LanguageResource(new Language().fill({ code: 'fr' })).serialize()
    assert.equal(data!.id, 'fr')
  })

  test('loaded relations are never attributes, declared or not', async ({ assert }) => {
    class BareResource extends JsonResource<Writer> {
      static type = 'writers'
    }
    const writer = await Writer.firstOrFail()
    await writer.load('books')
    for (const resource of [new BareResource(writer), new WriterResource(writer)]) {
      const { data } = await resource.serialize()
      assert.notProperty(data!.attributes, 'books')
    }
    assert.lengthOf(writer.books, 1)
    const { books } = writer.serialize()
    assert.lengthOf(books, 1)
  })

  test('a model that overrides serialize() is respected, even when its relations are a cycle', async ({
    assert,
  }) => {
    class Poet extends Writer {
      static table = 'ja_writers'

      serialize() {
        return { ...super.serialize(), called: this.name, works: this.books.length }
      }
    }
    class PoetResource extends JsonResource<Poet> {
      static hidden = ['id', 'countryId']
    }
    const poet = await Poet.firstOrFail()
    const [book] = await Book.all()
    poet.$setRelated('books', [book!])
    book!.$setRelated('writer', poet as any)

    const { data } = await new PoetResource(poet).serialize()
    assert.deepEqual(data!.attributes as object, { name: 'Virk', called: 'Virk', works: 1 })
  })

  test('are those of the serialize call, however a model makes them', async ({ assert }) => {
    class Plain extends Writer {
      static table = 'ja_writers'
    }
    class Extra extends Plain {
      serializeExtras = true
    }
    class ExtraMethod extends Plain {
      serializeExtras() {
        return { extra: this.$extras.extra, name: 'wins' }
      }
    }
    class Getter extends Plain {
      @column()
      // @ts-expect-error Lucid makes a column of an accessor
      get name() {
        return `(${this.$attributes.name})`
      }

      set name(value: string) {
        this.$attributes.name = value
      }
    }
    class Attributes extends Plain {
      serializeAttributes() {
        return { only: 'this' }
      }
    }
    class Computed extends Plain {
      @computed({ serializeAs: 'name' })
      get loud() {
        return this.name.toUpperCase()
      }

      @computed({ serializeAs: null })
      get silent() {
        return 'x'
      }

      @computed()
      get books2() {
        return undefined
      }
    }
    class OwnComputed extends Computed {
      serializeComputed() {
        return { louder: 'VIRK!' }
      }
    }
    class Hider extends Plain {
      shouldSerializeField(name: string | null) {
        return name !== 'name'
      }
    }
    class Relation extends Plain {
      @hasMany(() => Book, { serializeAs: 'name', foreignKey: 'writerId' })
      declare works: HasMany<typeof Book>
    }
    class OwnRelation extends Relation {
      serialize() {
        return { ...super.serialize(), mine: true }
      }
    }
    class Shown extends Plain {
      @column({ serialize: (value) => ({ value }) })
      declare name: string
    }
    class Field extends Plain {
      serialize = () => ({ id: 1, mine: true })
    }
    class Fetched extends Plain {
      @afterFetch()
      static shout(rows: Fetched[]) {
        rows.forEach((row) => (row.name += '!'))
      }
    }
    class Columns extends Plain {
      @column({
        consume: (value) => `<${value}>`,
        serialize: (value, _, row) => [value, row.$primaryKeyValue],
      })
      declare name: string
    }

    for (const model of [
      Plain,
      Extra,
      ExtraMethod,
      Getter,
      Attributes,
      Computed,
      OwnComputed,
      Hider,
      Relation,
      OwnRelation,
      Shown,
      Field,
      Fetched,
      Columns,
    ]) {
      model.table = 'ja_writers'
      class SomeResource extends JsonResource<Writer> {}
      const row = (await model
        .query()
        .select('*')
        .select(db.raw('42 as extra'))
        .firstOrFail()) as Writer
      const { data } = await new SomeResource(row).serialize()
      const expected = JSON.parse(JSON.stringify(row.serialize()))
      if (model.$hasRelation('works')) {
        delete expected.name
      }
      assert.deepEqual(data!.attributes as object, expected, model.name)

      class Land extends BaseModel {
        static table = 'ja_countries'

        @column({ isPrimary: true })
        declare id: number

        @hasMany(() => model as typeof Plain, { foreignKey: 'countryId' })
        declare people: HasMany<typeof Plain>
      }
      class LandResource extends JsonResource<Land> {
        toRelationships() {
          return { people: toMany(SomeResource) }
        }
      }
      const land = await Land.create({})
      await Writer.query().where('id', row.$primaryKeyValue!).update({ countryId: land.id })
      await Writer.create({ name: 'Second', countryId: land.id })
      const { included } = await new LandResource(land).include('people').serialize()
      const people = await model.query().where('country_id', land.id)
      assert.lengthOf(people, 2)
      for (const person of people) {
        const shown = JSON.parse(JSON.stringify(person.serialize()))
        if (model.$hasRelation('works')) {
          delete shown.name
        }
        const one = included!.find(({ id }) => id === String(person.$primaryKeyValue))
        assert.deepEqual(one!.attributes as object, shown, `included ${model.name}`)
      }
    }
  })
})
