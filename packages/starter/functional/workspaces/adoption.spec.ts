import { compose } from '@adonisjs/core/helpers'
import ace from '@adonisjs/core/services/ace'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { test } from '@japa/runner'

import WorkspacesAdopt from 'adonis-auth-kit/commands/workspaces_adopt'
import { UserFactory } from '#database/factories/user_factory'
import { PostSchema } from '#database/schema'
import { runCommand } from '#starter/helpers/commands'
import { keyOf, useWorkspaces, workspacesOf } from '#starter/helpers/workspaces'
import { Adoption } from '#kit/workspaces/adoption'
import { BelongsToWorkspace } from '#kit/workspaces/belongs_to_workspace'

/** Rows of the rehearsal; the size that the command is made for: ADOPTED_ROWS=100000. */
const ROWS = Number(process.env.ADOPTED_ROWS ?? 2000)
const OWNERS = 50

async function rowsFromBefore() {
  await db.from('comments').delete()
  await db.from('posts').delete()
  const users = await UserFactory.createMany(OWNERS)
  const now = new Date()
  for (let from = 0; from < ROWS; from += 500) {
    await db.table('posts').multiInsert(
      Array.from({ length: Math.min(500, ROWS - from) }, (_, index) => ({
        user_id: users[(from + index) % OWNERS]!.id,
        title: 'a',
        body: 'b',
        created_at: now,
      }))
    )
  }
  const posts = await db.from('posts').orderBy('id').limit(100)
  await db.table('comments').multiInsert(
    posts.map(({ id }, index) => ({
      post_id: id,
      user_id: users[(index + 1) % OWNERS]!.id,
      body: 'b',
      created_at: now,
    }))
  )
  return users
}

const adoption = async (batch = 300) => {
  const { default: app } = await import('@adonisjs/core/services/app')
  const manager = await app.container.make('auth_manager')
  return new Adoption(await workspacesOf(), manager.usersOf(), batch)
}

test.group('node ace workspaces:adopt', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('gives each row the workspace of its owner, and what is part of it that of its whole', async ({
    assert,
  }) => {
    const restore = await useWorkspaces({ common: false })
    const users = await rowsFromBefore()
    const adopted = await (await adoption()).run()
    restore()
    assert.deepEqual(adopted, [
      { table: 'posts', rows: ROWS, left: 0 },
      { table: 'comments', rows: 100, left: 0 },
    ])
    const wrong = await db
      .from('posts')
      .join('workspaces', 'workspaces.id', 'posts.workspace_id')
      .whereRaw("workspaces.personal_of <> 'users:' || posts.user_id")
    assert.lengthOf(wrong, 0)
    const strays = await db
      .from('comments')
      .join('posts', 'posts.id', 'comments.post_id')
      .whereRaw('posts.workspace_id <> comments.workspace_id')
    assert.lengthOf(strays, 0)
    const own = await (await workspacesOf()).list(await keyOf(users[0]!))
    assert.isTrue(own[0]!.isPersonal)
  }).timeout(600_000)

  test('goes on where it was interrupted, and does nothing when all is done', async ({
    assert,
  }) => {
    const restore = await useWorkspaces({ common: false })
    await rowsFromBefore()
    const workspaces = await workspacesOf()
    const ensure = workspaces.ensurePersonal.bind(workspaces)
    let made = 0
    workspaces.ensurePersonal = async (owner) => {
      if (++made > OWNERS + 10) {
        throw new Error('interrupted')
      }
      return ensure(owner)
    }
    await assert.rejects(async () => (await adoption()).run(), 'interrupted')
    delete (workspaces as any).ensurePersonal
    const [first] = await (await adoption()).run()
    assert.isAbove(first!.rows, 0)
    assert.isBelow(first!.rows, ROWS)
    const [again] = await (await adoption()).run()
    restore()
    assert.deepEqual(again, { table: 'posts', rows: 0, left: 0 })
  }).timeout(600_000)

  test('rows whose owner is nobody, or does not exist, stay without a workspace', async ({
    assert,
  }) => {
    class Stray extends compose(BaseModel, BelongsToWorkspace) {
      @column({ isPrimary: true })
      declare id: number
    }
    const models = [{ load: async () => ({ default: Stray }) }]
    const restore = await useWorkspaces({ common: false, models })
    await db.connection().schema.createTable('strays', (table) => {
      table.increments('id')
      table.integer('user_id')
      table.integer('workspace_id')
    })
    await db.table('strays').multiInsert([{ user_id: null }, { user_id: 999_999 }])
    const adopted = await (await adoption()).run()
    restore()
    assert.deepEqual(adopted, [{ table: 'strays', rows: 0, left: 2 }])
    const made = await db.from('workspaces').whereIn('personal_of', ['users:null', 'users:999999'])
    assert.lengthOf(made, 0)
  })

  test('rows of a table that knows no user stay without a workspace, and the next tables get theirs', async ({
    assert,
  }) => {
    class Customer extends compose(BaseModel, BelongsToWorkspace) {
      @column({ isPrimary: true })
      declare id: number
    }
    class Post extends compose(PostSchema, BelongsToWorkspace) {}
    const models = [Post, Customer].map((model) => ({ load: async () => ({ default: model }) }))
    await rowsFromBefore()
    await db.connection().schema.createTable('customers', (table) => {
      table.increments('id')
      table.integer('workspace_id')
    })
    await db.table('customers').multiInsert([{ id: 1 }, { id: 2 }])
    const restore = await useWorkspaces({ common: false, models })
    const adopted = await (await adoption()).run()
    restore()
    assert.deepEqual(adopted, [
      { table: 'customers', rows: 0, left: 2 },
      { table: 'posts', rows: ROWS, left: 0 },
    ])
  })

  test('a batch that is no number of rows is refused', async ({ assert }) => {
    ace.ui.switchMode('raw')
    for (const batch of ['0', '-1', '1.5']) {
      const command = await runCommand(WorkspacesAdopt, [`--batch=${batch}`])
      assert.equal(command.exitCode, 1)
    }
    ace.ui.switchMode('normal')
  })

  test('a model without a decorator of its own keeps its rows in its own table', async ({
    assert,
  }) => {
    class Post extends compose(PostSchema, BelongsToWorkspace) {}
    await rowsFromBefore()
    const models = [{ load: async () => ({ default: Post }) }]
    const workspaces = { config: { models, common: true } } as any
    const adopted = await new Adoption(workspaces, {} as any, ROWS).run()
    assert.deepEqual(adopted, [{ table: 'posts', rows: ROWS, left: 0 }])
  })

  test('puts all rows in the common workspace where there is one', async ({ assert }) => {
    const restore = await useWorkspaces({ common: true })
    await rowsFromBefore()
    await (await adoption()).run()
    restore()
    assert.lengthOf(await db.from('posts').whereNot('workspace_id', 0), 0)
    assert.lengthOf(await db.from('posts').whereNull('workspace_id'), 0)
  })
})
