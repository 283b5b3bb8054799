import { test } from '@japa/runner'

import { insertion } from '#kit/database/raw_query'

test.group('Insertion of a row', () => {
  test('a row with other columns than the last one of its table has a text of its own', ({
    assert,
  }) => {
    const textOf = (row: Record<string, unknown>) => insertion('things', row).sql.trim()
    const inserts = (columns: string) =>
      `INSERT INTO "things" (${columns}) VALUES (?, ?)  RETURNING 1 AS inserted`

    assert.equal(textOf({ id: 1, name: 'one' }), inserts('id, name'))
    assert.equal(textOf({ id: 2, color: 'red' }), inserts('id, color'))
    assert.equal(textOf({ name: 'two', id: 3 }), inserts('name, id'))
    assert.include(textOf({ id: 4 }), '(id) VALUES (?)')
    assert.equal(textOf({ id: 5, name: 'three' }), inserts('id, name'))
  })
})
