import { test } from '@japa/runner'

import { LucidUserJoin } from '#auth/user_providers/lucid_join'
import User from '#models/user'

const HINT = 'Lucid has changed: see modules/auth/user_providers/lucid_join.ts'

/* What the join uses of Lucid beyond its documented interface. */
test.group('Lucid user join', () => {
  const join = new LucidUserJoin(User, 'id', 'any')

  test('selects every column of the model under a name of its own', ({ assert }) => {
    const columns = [...User.$columnsDefinitions.values()].map(({ columnName }) => columnName)
    assert.include(columns, 'full_name', HINT)
    assert.equal(
      join.columns,
      columns.map((column) => `"users"."${column}" AS "user__${column}"`).join(', '),
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

  test('a row without a user is nobody', ({ assert }) => {
    assert.isNull(join.hydrate({ user__id: null }))
  })
})
