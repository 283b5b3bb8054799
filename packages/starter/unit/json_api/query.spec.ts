import { test } from '@japa/runner'

import { parseFields } from '#kit/json_api/fields'
import { includeTree, parseInclude } from '#kit/json_api/include'
import { parsePage } from '#kit/json_api/pagination'
import { parseSort } from '#kit/json_api/sort'

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
  })

  test('refuses everything else', ({ assert }) => {
    for (const page of [
      '',
      '0',
      '-1',
      '1.5',
      '1e3',
      'two',
      ' 2',
      '9'.repeat(30),
      ['1', '2'],
      { number: '0' },
      { size: '101' },
      { size: '' },
      { number: '1', offset: '2' },
      { number: ['1'] },
    ]) {
      assert.throws(() => parsePage({ page }, sizes), /positive integer|at most|nothing else/)
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
