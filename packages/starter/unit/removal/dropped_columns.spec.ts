import { cp, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { addDatabase, migrate } from '#starter/helpers/databases'
import { FEATURES } from '#kit/removal/features'
import { planRemoval } from '#kit/removal/removal'

const CONNECTION = 'removal'
const ROWS = {
  users: { id: 1, email: 'ann@example.com', password: 'x' },
  posts: { id: 1, user_id: 1, title: 'a', body: 'b' },
  comments: { id: 1, post_id: 1, user_id: 1, body: 'b' },
}

test.group('What a removal takes out of tables that stay', (group) => {
  const folder = app.makePath(`tmp/removal-${process.pid}`)
  const client = () => db.connection(CONNECTION)

  /** A database with a post and its comment, and the migration that a removal writes. */
  async function prepare(names: string[]) {
    await cp(app.migrationsPath(), folder, { recursive: true })
    await addDatabase(CONNECTION, folder)
    await migrate(CONNECTION)
    for (const [table, row] of Object.entries(ROWS)) {
      const created = { ...row, created_at: new Date() }
      await client().table(table).insert(created)
    }
    const ran = await client().from('adonis_schema')
    const original = ran.map(({ name }) => `database/migrations/${basename(name)}`)
    const { files } = planRemoval(app.makePath(), names, new Set(original))
    const [path, text] = [...files].find(([one]) => one.includes('_drop_'))!
    await writeFile(join(folder, basename(path)), text!)
  }

  const columnsOf = async (table: string) =>
    Object.keys(await client().getReadClient().table(table).columnInfo())

  async function assertRowsStay(assert: any) {
    for (const table of Object.keys(ROWS)) {
      assert.lengthOf(await client().from(table), 1, table)
    }
  }

  group.each.setup(() => async () => {
    await db.manager.close(CONNECTION, true)
    await rm(folder, { recursive: true, force: true })
  })

  test('{feature}: its columns go, rows stay, and a rollback brings the columns back')
    .with([
      { feature: 'workspaces', table: 'posts', columns: ['workspace_id'] },
      { feature: 'workspaces', table: 'comments', columns: ['workspace_id'] },
      {
        feature: 'email_verification',
        table: 'users',
        columns: ['email_verified_at', 'proposed_email'],
      },
    ])
    .run(async ({ assert }, { feature, table, columns }) => {
      await prepare([feature])
      await migrate(CONNECTION)
      assert.notIncludeMembers(await columnsOf(table), columns)
      await assertRowsStay(assert)
      await migrate(CONNECTION, 'down')
      assert.includeMembers(await columnsOf(table), columns)
      await assertRowsStay(assert)
      await migrate(CONNECTION)
      assert.notIncludeMembers(await columnsOf(table), columns)
    })

  test('posts and workspaces go together, and come back', async ({ assert }) => {
    await prepare(['posts', 'workspaces'])
    await migrate(CONNECTION)
    for (const table of ['posts', 'comments', 'workspaces']) {
      assert.isEmpty(await columnsOf(table), table)
    }
    await migrate(CONNECTION, 'down')
    assert.include(await columnsOf('posts'), 'workspace_id')
  })

  test('everything goes together, and comes back', async ({ assert }) => {
    const tables = async () => (await client().getAllTables([CONNECTION])).sort()
    await prepare(Object.keys(FEATURES))
    const before = await tables()
    await migrate(CONNECTION)
    assert.deepEqual(await tables(), ['adonis_schema', 'adonis_schema_versions', 'users'])
    await migrate(CONNECTION, 'down')
    assert.deepEqual(await tables(), before)
  })
})
