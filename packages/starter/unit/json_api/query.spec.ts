import { mock } from 'node:test'

import type { HttpRequest } from '@adonisjs/core/http'
import { BaseModel, column as columnOf } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { DateTime } from 'luxon'

import {
  type FilterCriterion,
  type FilterOperator,
  applyFilter,
  parseFilter,
} from '#kit/json_api/filter'
import {
  assertQuery,
  parseFields,
  includeTree,
  parseInclude,
  readInclude,
  parseSort,
} from '#kit/json_api/query_parameters'
import { parsePage } from '#kit/json_api/pagination'
import User from '#models/user'

test.group('parseInclude', () => {
  test('gives the names of every spelling of a list', ({ assert }) => {
    for (const value of [
      'author,comments.author',
      ['author', 'comments.author'],
      ['author,comments.author'],
      ' author , comments.author ',
      'author,,comments.author,',
    ]) {
      assert.deepEqual(parseInclude(value), ['author', 'comments.author'])
    }
  })

  test('gives none for nothing', ({ assert }) => {
    for (const value of [undefined, null, '', ' ', ',,', [], {}, 7]) {
      assert.deepEqual(parseInclude(value), [])
    }
  })
})

test.group('parseFields', () => {
  test('a query that is none is refused by a sentence', ({ assert }) => {
    assert.throws(
      () => parseFields(null as never),
      'parseFields(): "query" is missing: it must be an object'
    )
  })

  test('gives the names by type, of parsed and of flat parameters', ({ assert }) => {
    const expected = { posts: ['title', 'body'], users: ['fullName'] }
    for (const query of [
      { fields: { posts: 'title,body', users: 'fullName' } },
      { fields: { posts: ['title', 'body'], users: ['fullName'] } },
      { 'fields[posts]': 'title,body', 'fields[users]': 'fullName' },
      { 'fields[posts]': ['title', 'body'], 'fields[users]': ' fullName ', 'page': '2' },
      { 'fields[posts]': 'title', 'fields': { posts: 'body', users: 'fullName' } },
    ]) {
      assert.deepEqual(parseFields(query), expected)
    }
  })

  test('an empty value shows nothing of the type', ({ assert }) => {
    assert.deepEqual(parseFields({ fields: { posts: '' } }), { posts: [] })
  })

  test('gives nothing for nothing, and leaves prototypes alone', ({ assert }) => {
    assert.deepEqual(parseFields({}), {})
    assert.deepEqual(parseFields({ fields: 'title' }), {})
    const fieldsets = parseFields({ 'fields[__proto__]': 'polluted' })
    assert.deepEqual(Object.keys(fieldsets), ['__proto__'])
    assert.notProperty({}, 'polluted')
  })
})

test.group('includeTree', () => {
  test('merges paths', ({ assert }) => {
    const tree = includeTree(['a.b', 'a.c', 'a', 'd'], 5)
    assert.deepEqual([...tree.keys()], ['a', 'd'])
    assert.deepEqual([...tree.get('a')!.keys()], ['b', 'c'])
  })

  test('takes 100 paths and no more', ({ assert }) => {
    includeTree(Array(100).fill('a'), 5)
    assert.throws(() => includeTree(Array(101).fill('a'), 5), /At most 100/)
    const of = (count: number) => ({ include: Array(count).fill('a').join() })
    assert.deepEqual(readInclude(of(100)), ['a'])
    assert.throws(() => readInclude(of(101)), /At most 100/)
  })

  test('refuses a name that no relationship can have, and shows 100 characters of its path', ({
    assert,
  }) => {
    const long = 'a'.repeat(98)
    assert.throws(
      () => includeTree([`${long}._.b`], 5),
      `There is no relationship "${long}._" here.`
    )
    assert.throws(
      () => includeTree([`${long}.__`], 5),
      `There is no relationship "${long}._" here.`
    )
  })
})

test.group('parseFilter', () => {
  const rules = {
    author: {
      column: 'user_id',
      value: vine.number(),
      operators: ['eq', 'in', 'lt'] as FilterOperator[],
    },
    title: { column: 'title', value: vine.string() },
    day: { column: 'day', value: vine.date({ formats: ['iso8601'] }) },
  }
  const criterion = (column: string, operator: string, ...values: unknown[]) => ({
    column,
    operator,
    values,
  })

  test('gives the validated values by column and operator, which is eq when there is none', async ({
    assert,
  }) => {
    assert.deepEqual(await parseFilter({}, rules), [])
    assert.deepEqual(await parseFilter({ filter: { title: 'x', author: '7' } }, rules), [
      criterion('title', 'eq', 'x'),
      criterion('user_id', 'eq', 7),
    ])
    const author = { in: ['7', ' 8,9'], lt: '10' }
    assert.deepEqual(await parseFilter({ filter: { author } }, rules), [
      criterion('user_id', 'in', 7, 8, 9),
      criterion('user_id', 'lt', 10),
    ])
  })

  test('keeps a value with commas and spaces as it is', async ({ assert }) => {
    for (const title of [' Hello, world ', [' Hello', ' world ']]) {
      assert.deepEqual(await parseFilter({ filter: { title } }, rules), [
        criterion('title', 'eq', ' Hello, world '),
      ])
    }
  })

  test('takes 100 values and no more', async ({ assert }) => {
    const filter = (count: number) => ({ filter: { author: { in: Array(count).fill('1') } } })
    const [one] = await parseFilter(filter(100), rules)
    assert.lengthOf(one!.values, 100)
    await assert.rejects(
      () => parseFilter(filter(101), rules),
      'It has one value, or up to 100 for "in".'
    )
  })

  test('{what} is refused, and named by {parameter}')
    .with([
      { what: 'no name', filter: 'x', parameter: 'filter', detail: /names what it is about/ },
      {
        what: 'another name',
        filter: { ['x'.repeat(101)]: '1' },
        parameter: `filter[${'x'.repeat(100)}]`,
        detail: /^Filters are: author, title, day\.$/,
      },
      {
        what: 'a name that every object has',
        filter: Object.fromEntries([['constructor', '1']]),
        parameter: 'filter[constructor]',
        detail: /^Filters are/,
      },
      {
        what: 'another operator',
        filter: { author: { ['x'.repeat(101)]: '1' } },
        parameter: `filter[author][${'x'.repeat(100)}]`,
        detail: /^Operators are: eq, in, lt\.$/,
      },
      {
        what: 'an operator where eq is the only one',
        filter: { title: { in: 'x' } },
        parameter: 'filter[title][in]',
        detail: /^Operators are: eq\.$/,
      },
      {
        what: 'no value',
        filter: { title: [] },
        parameter: 'filter[title]',
        detail: /^It has one value/,
      },
      {
        what: 'a value of another kind',
        filter: { author: 'x' },
        parameter: 'filter[author]',
        detail: /must be a number/,
      },
      ...['', ' ', ['7', '']].map((given) => ({
        what: `${JSON.stringify(given)} for a number, which VineJS reads as 0`,
        filter: { author: { in: given } },
        parameter: 'filter[author][in]',
        detail: /^No column can have this value\.$/,
      })),
      ...['-000001-01-01', '-271821-04-20', '+012026-01-01'].map((day) => ({
        what: `the day ${day}, which a database compares as text or refuses`,
        filter: { day },
        parameter: 'filter[day]',
        detail: /^No column can have this value\.$/,
      })),
      {
        what: 'a text with NUL, which PostgreSQL refuses',
        filter: { title: 'a\0b' },
        parameter: 'filter[title]',
        detail: /^No column can have this value\.$/,
      },
    ])
    .run(async ({ assert }, { filter, parameter, detail }) => {
      const error: any = await parseFilter({ filter }, rules).catch((reason) => reason)
      assert.equal(error.status, 400)
      assert.deepEqual(error.source, { parameter })
      assert.match(error.message, detail)
    })
})

test.group('assertQuery', () => {
  test('work on a query grows with its length alone: {what}')
    .with([
      { what: 'one name again and again', query: 'sort&'.repeat(1000) },
      {
        what: 'many names',
        query: Array.from({ length: 1000 }, (_, index) => `filter[${index}]`).join('&'),
      },
      { what: 'many brackets', query: `filter${'[]'.repeat(8000)}` },
    ])
    .run(({ assert, cleanup }, { query }) => {
      const looks = (['startsWith', 'slice'] as const).map((name) =>
        mock.method(String.prototype, name)
      )
      cleanup(() => looks.forEach((look) => look.mock.restore()))
      assertQuery({ parsedUrl: { query } } as HttpRequest, ['sort', 'filter'])
      const count = looks.reduce((sum, look) => sum + look.mock.callCount(), 0)
      assert.isAtMost(count, 3 * query.split('&').length + 10)
    })
})

test.group('applyFilter', () => {
  test('compares by {operator} as {sql}')
    .with([
      { operator: 'eq', sql: '`email` = ?' },
      { operator: 'ne', sql: '`email` != ?' },
      { operator: 'lt', sql: '`email` < ?' },
      { operator: 'lte', sql: '`email` <= ?' },
      { operator: 'gt', sql: '`email` > ?' },
      { operator: 'gte', sql: '`email` >= ?' },
      { operator: 'in', sql: '`email` in (?)' },
    ] as const)
    .run(({ assert }, { operator, sql }) => {
      const query = applyFilter(User.query(), [{ column: 'email', operator, values: ['x'] }])
      const { sql: text, bindings } = query.toSQL()
      assert.equal(text.replaceAll('"', '`'), `select * from \`users\` where ${sql}`)
      assert.deepEqual(bindings, ['x'])
    })
})

test.group('applyFilter | times', () => {
  class Event extends BaseModel {
    static table = 'events'

    @columnOf.date()
    declare day: DateTime

    @columnOf.dateTime()
    declare at: DateTime
  }

  test('are compared as columns hold them: a day has no clock', ({ assert }) => {
    const time = new Date(2026, 0, 2, 3, 4, 5)
    const clock = DateTime.fromJSDate(time).toFormat(db.connection().dialect.dateTimeFormat)
    const compared = ['day', 'events.day', 'at', 'others.day'].map((column) => {
      const criterion: FilterCriterion = { column, operator: 'eq', values: [time] }
      return applyFilter(Event.query(), [criterion]).toSQL().bindings[0]
    })
    assert.deepEqual(compared, ['2026-01-02', '2026-01-02', clock, clock])
  })
})

const sizes = { perPage: 20, maxPerPage: 100 }

test.group('parsePage', () => {
  test('takes page, or page[number] and page[size]', ({ assert }) => {
    assert.deepEqual(parsePage({}, sizes), { page: 1, perPage: 20 })
    assert.deepEqual(parsePage({ page: '3' }, sizes), { page: 3, perPage: 20 })
    assert.deepEqual(parsePage({ page: { number: '3', size: '100' } }, sizes), {
      page: 3,
      perPage: 100,
    })
    assert.deepEqual(parsePage({ page: { size: '5' } }, sizes), { page: 1, perPage: 5 })
    assert.deepEqual(parsePage({ page: { number: '03', size: '05' } }, sizes), {
      page: 3,
      perPage: 5,
    })
    assert.equal(parsePage({ page: '999999999' }, sizes).page, 999_999_999)
  })

  test('refuses everything else', ({ assert }) => {
    const [number, more] = ['It has to be a positive integer.', 'A page has a number and a size']
    for (const [page, parameter, detail] of [
      ['', 'page', number],
      ['0', 'page', number],
      ['-1', 'page', number],
      ['1.5', 'page', number],
      ['1e3', 'page', number],
      ['two', 'page', number],
      [' 2', 'page', number],
      ['1000000000', 'page', number],
      [null, 'page', number],
      [['1', '2'], 'page', more],
      [{ number: '0' }, 'page[number]', number],
      [{ size: '101' }, 'page[size]', 'A page has at most 100 resources.'],
      [{ size: '' }, 'page[size]', number],
      [{ number: '1', offset: '2' }, 'page', more],
      [{ number: ['1'] }, 'page[number]', number],
    ] as const) {
      try {
        parsePage({ page }, sizes)
        assert.fail(`${JSON.stringify(page)} was accepted`)
      } catch (error: any) {
        assert.deepEqual(error.source, { parameter })
        assert.include(error.message, detail)
      }
    }
  })
})

test.group('parseSort', () => {
  const columns = { title: 'title', createdAt: 'created_at' }

  test('gives the columns in their order, descending behind a minus', ({ assert }) => {
    assert.deepEqual(parseSort({ sort: '-createdAt,title' }, columns), [
      { column: 'created_at', order: 'desc' },
      { column: 'title', order: 'asc' },
    ])
    assert.deepEqual(parseSort({ sort: ['title'] }, columns), [{ column: 'title', order: 'asc' }])
  })

  test('gives none for nothing', ({ assert }) => {
    assert.deepEqual(parseSort({}, columns), [])
    assert.deepEqual(parseSort({ sort: '' }, columns), [])
  })

  test('refuses names that are not in the list', ({ assert }) => {
    for (const sort of [
      'password',
      'created_at',
      'title,',
      ',',
      '-',
      '--title',
      'constructor',
      '__proto__',
      'title,-title',
      { a: 'title' },
    ]) {
      assert.throws(() => parseSort({ sort }, columns), /can be named once: title, createdAt/)
    }
  })
})
