import { test } from '@japa/runner'

import { canHold, joinUsers } from '#kit/auth/user_providers/lucid'
import User from '#models/user'

const HINT = 'Lucid has changed: see packages/kit/src/auth/user_providers/lucid.ts'

/* What the join uses of Lucid beyond its documented interface. */
test.group('Lucid user join', () => {
  const join = joinUsers(User, 'id', 'any')

  test('selects every column of the model under a name of its own', ({ assert }) => {
    const columns = [...User.$columnsDefinitions.values()].map(({ columnName }) => columnName)
    assert.include(columns, 'full_name', HINT)
    assert.equal(
      join.columns,
      columns.map((name) => `"users"."${name}" AS "user__${name}"`).join(', '),
      HINT
    )
  })

  test('a joined row becomes a persisted model with its values, as a query would make it', ({
    assert,
  }) => {
    const user = join.hydrate({
      user__id: 7,
      user__email: 'ann@example.com',
      user__full_name: 'Ann',
      user__created_at: '2026-01-02 03:04:05',
      other: 'column of the store',
    }) as User
    assert.instanceOf(user, User, HINT)
    assert.isTrue(user.$isPersisted, HINT)
    assert.isFalse(user.$isDirty, HINT)
    assert.equal(user.$primaryKeyValue, 7, HINT)
    assert.equal(user.fullName, 'Ann', HINT)
    assert.equal(user.createdAt!.year, 2026, HINT)
    assert.notProperty(user.$extras, 'other', HINT)
  })

  test('a model is as Lucid makes it of the same row', ({ assert }) => {
    const row = {
      id: 7,
      email: 'ann@example.com',
      full_name: null,
      is_active: 1,
      created_at: '2026-01-02 03:04:05',
      updated_at: new Date(0),
    }
    const expected = User.$createFromAdapterResult(row) as User
    const user = join.build(row)!
    for (const key of ['$isPersisted', '$isLocal', '$isDirty', '$extras', 'fullName', 'isActive']) {
      assert.deepEqual(user[key as keyof User], expected[key as keyof User], `${key}: ${HINT}`)
    }
    for (const key of ['createdAt', 'updatedAt'] as const) {
      assert.isTrue(user[key]!.equals(expected[key]!), `${key}: ${HINT}`)
    }
    assert.isUndefined(user.password)
  })

  test('a row without a user is nobody', ({ assert }) => {
    assert.isNull(join.hydrate({ user__id: null }))
  })

  test('a column of whole numbers holds every key up to its largest, and nothing else', ({
    assert,
  }) => {
    for (const [type, largest] of [
      ['smallint', 32_767n],
      ['integer', 2_147_483_647n],
      ['bigint', 9_223_372_036_854_775_807n],
    ] as const) {
      assert.isTrue(canHold(type, String(largest)), type)
      for (const id of [String(largest + 1n), '9'.repeat(30), '-1', '1.5', 'x', '']) {
        assert.isFalse(canHold(type, id), `${type} ${id}`)
      }
    }
  })
})
