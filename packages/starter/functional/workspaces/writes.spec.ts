import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import Post from '#models/post'
import { middleware } from '#start/kernel'
import { signedIn } from '#starter/helpers/visitor'
import { keyOf, postIn, team, useWorkspaces, work, workspacesOf } from '#starter/helpers/workspaces'

/** What happens after the request was let in, and before it writes. */
let meanwhile: () => Promise<unknown>

const FIELDS = { title: 'late', body: 'text' }
const byId = (id: number) => Post.query().where('id', id)

/** Each way to write: of the user and an existing post. */
const WAYS = {
  'a new row': (userId: number) => Post.create({ ...FIELDS, userId }),
  'a new row in a transaction': (userId: number) =>
    db.transaction((client) => Post.create({ ...FIELDS, userId }, { client })),
  'a changed row': async (_userId: number, id: number) => {
    const post = await Post.findOrFail(id)
    await post.merge(FIELDS).save()
  },
  'rows changed by a query': (_userId: number, id: number) => byId(id).update(FIELDS),
  'a deleted row': async (_userId: number, id: number) => {
    const post = await Post.findOrFail(id)
    await post.delete()
  },
  'rows deleted by a query': (_userId: number, id: number) => byId(id).delete(),
}

router
  .post('/_test/workspaces/slow/:way/:id', async ({ auth, params }) => {
    await meanwhile()
    await WAYS[params.way as keyof typeof WAYS](auth.getUserOrFail().id, Number(params.id))
    return {}
  })
  .use([middleware.auth({ guards: ['web'] }), middleware.workspace()])

test.group('Writes of a slow request', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  /** A post of a boss, and an admin whose request is slow. */
  async function setUp(way: string) {
    const [boss, admin] = [await signedIn(), await signedIn()]
    const { id } = await team(boss.user, { admin: admin.user })
    const post = await postIn(id, boss.user, 'as it was')
    await work(admin.visitor, id)
    const send = async () => {
      const path = `/_test/workspaces/slow/${way}/${post.id}`
      const { status } = await admin.visitor.post(path, { csrf: true })
      const posts = await Post.acrossWorkspaces().where('workspace_id', id)
      return { status, titles: posts.map(({ title }) => title) }
    }
    const workspaces = await workspacesOf()
    const [, member] = await workspaces.members(id)
    return { id, workspaces, send, member: member!, owner: await keyOf(admin.user) }
  }

  test('are refused once its person was removed: {$self}')
    .with(Object.keys(WAYS))
    .run(async ({ assert }, way) => {
      const { id, workspaces, send, owner } = await setUp(way)
      meanwhile = () => workspaces.remove(id, owner)
      assert.deepEqual(await send(), { status: 404, titles: ['as it was'] })
    })

  test('are refused once the workspace was deleted', async ({ assert }) => {
    const { id, workspaces, send } = await setUp('a new row')
    meanwhile = () => workspaces.delete(id)
    assert.deepEqual(await send(), { status: 404, titles: ['as it was'] })
  })

  test('are refused once the role of its person may do less, and go on with one that may do more', async ({
    assert,
  }) => {
    const { id, workspaces, send, member } = await setUp('rows changed by a query')
    meanwhile = () => workspaces.changeRole(id, member.id, 'member')
    assert.deepEqual(await send(), { status: 403, titles: ['as it was'] })
    meanwhile = () => workspaces.changeRole(id, member.id, 'owner')
    assert.deepEqual(await send(), { status: 200, titles: ['late'] })
  })
})
