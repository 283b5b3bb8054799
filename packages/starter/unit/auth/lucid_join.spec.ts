import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { canHold, joinUsers } from '#kit/auth/user_providers/lucid'
import { selectRows } from '#kit/database/raw_query'
import User from '#models/user'
import { authManager } from '#starter/helpers/passwords'

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

  test('a column of UUIDs holds these in either case, and nothing else', ({ assert }) => {
    const id = '018f3c2e-7b1a-7c3d-9e4f-0123456789ab'
    assert.isTrue(canHold('uuid', id))
    assert.isTrue(canHold('uuid', id.toUpperCase()))
    for (const other of [
      '',
      '1',
      `${id}0`,
      ` ${id}`,
      id.replaceAll('-', ''),
      id.replace('0', 'g'),
    ]) {
      assert.isFalse(canHold('uuid', other), other)
    }
  })
})

test.group('Lucid user join | database', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('a store whose row has an id that no user of the model can have finds nobody, and does not fail', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const client = db.connection()
    const join = (await (await authManager()).usersOf().join(client))!
    const ownerOf = async (id: string) => {
      const held = 'FROM (SELECT CAST(? AS text) AS user_id) AS held'
      const sql = `SELECT ${join.columns} ${held} ${join.clause('held.user_id')}`
      const [row] = await selectRows(client, sql, [id])
      return join.hydrate(row!) as User | null
    }
    assert.equal((await ownerOf(String(user.id)))?.id, user.id)
    for (const id of ['9223372036854775808', '9'.repeat(19), '9'.repeat(30), '-1', '1.5', 'ann']) {
      assert.isNull(await ownerOf(id), id)
    }
  })
})
