import { compose } from '@adonisjs/core/helpers'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'

import { CommentFactory } from '#database/factories/comment_factory'
import { UserFactory } from '#database/factories/user_factory'
import { PostSchema } from '#database/schema'
import { ApiToken } from '#kit/api_token/facade'
import Post from '#models/post'
import User from '#models/user'
import { keyOf, postIn, team, useWorkspaces, workspacesOf } from '#starter/helpers/workspaces'
import { recordStatements } from '#starter/helpers/statements'
import { stopClock } from '#starter/helpers/time'
import { BelongsToWorkspace } from '#kit/workspaces/belongs_to_workspace'
import { runInWorkspace } from '#kit/workspaces/current_workspace'
import {
  InvitationNotFound,
  LastOwner,
  PersonalWorkspace,
  WorkspaceNotFound,
} from '#kit/workspaces/errors'
import { Workspace } from '#kit/workspaces/models'

test.group('Workspaces and their members', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  test('a person has one workspace of their own, however often it is asked for', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const owner = await keyOf(await UserFactory.create())
    await workspaces.ensurePersonal(owner)
    await workspaces.ensurePersonal(owner)
    const list = await workspaces.list(owner)
    assert.lengthOf(list, 1)
    assert.isTrue(list[0]!.isPersonal)
    assert.equal(list[0]!.role, 'owner')
  })

  test('the slug of the longest name fits its column, and one without letters is "team"', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const owner = await keyOf(await UserFactory.create())
    const slugOf = async (name: string) => (await workspaces.create(owner, name)).slug
    assert.match(await slugOf('x'.repeat(80)), /^x{73}-[a-z0-9]{6}$/)
    assert.match(await slugOf('東京'), /^team-[a-z0-9]{6}$/)
  })

  test('the last owner cannot leave, be removed, or get another role', async ({ assert }) => {
    const workspaces = await workspacesOf()
    const [ann, bob] = await UserFactory.createMany(2)
    const { id } = await team(ann!, { admin: bob! })
    const [own] = await workspaces.members(id)
    await assert.rejects(async () => workspaces.remove(id, await keyOf(ann!)), LastOwner)
    await assert.rejects(() => workspaces.changeRole(id, own!.id, 'admin'), LastOwner)
    assert.lengthOf(await workspaces.members(id), 2)
    assert.equal((await workspaces.members(id))[0]!.role, 'owner')
  })

  test('an owner who is deactivated leads nobody: the last active one cannot leave, get another role, or put one in their place', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const [ann, bob, cyd] = await UserFactory.createMany(3)
    const { id } = await team(ann!, { owner: bob!, member: cyd! })
    const [own, second, third] = await workspaces.members(id)
    const [owner, away] = await Promise.all([ann!, bob!].map(keyOf))
    await bob!.merge({ isActive: false }).save()
    await cyd!.merge({ isActive: false }).save()
    await assert.rejects(() => workspaces.remove(id, owner!), LastOwner)
    await assert.rejects(() => workspaces.changeRole(id, own!.id, 'admin'), LastOwner)
    for (const heir of [second!, third!]) {
      const transfer = () => workspaces.transfer(id, owner!, heir.id, 'admin')
      await assert.rejects(transfer, WorkspaceNotFound)
    }
    await workspaces.remove(id, away!, owner)
    await cyd!.merge({ isActive: true }).save()
    await workspaces.transfer(id, owner!, third!.id, 'admin')
    await workspaces.remove(id, owner!)
  })

  test('where all owners are deactivated, members come and go', async ({ assert }) => {
    const workspaces = await workspacesOf()
    const [ann, bob, cyd] = await UserFactory.createMany(3)
    const { id } = await team(ann!, { admin: bob!, member: cyd! })
    await ann!.merge({ isActive: false }).save()
    const [admin, member] = await Promise.all([bob!, cyd!].map(keyOf))
    assert.isTrue(await workspaces.remove(id, member!, admin))
  })

  test('a transfer makes another member the owner, and the owner an admin', async ({ assert }) => {
    const workspaces = await workspacesOf()
    const [ann, bob] = await UserFactory.createMany(2)
    const { id } = await team(ann!, { member: bob! })
    const [, heir] = await workspaces.members(id)
    await workspaces.transfer(id, await keyOf(ann!), heir!.id, workspaces.nextRole)
    assert.deepEqual(
      (await workspaces.members(id)).map(({ role }) => role),
      ['admin', 'owner']
    )
    await workspaces.remove(id, await keyOf(ann!))
  })

  test('the role of whoever removes a member, or gives a role, is the one that they have then', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const [ann, bob, cyd] = await UserFactory.createMany(3)
    const { id } = await team(ann!, { admin: bob!, member: cyd! })
    const [first, second, third] = await workspaces.members(id)
    const [owner, admin, member] = await Promise.all([ann!, bob!, cyd!].map(keyOf))
    const refused = [
      () => workspaces.changeRole(id, first!.id, 'member', admin),
      () => workspaces.changeRole(id, third!.id, 'owner', admin),
      () => workspaces.changeRole(id, second!.id, 'member', member),
      () => workspaces.remove(id, owner!, admin),
    ]
    await workspaces.changeRole(id, third!.id, 'admin', admin)
    await workspaces.changeRole(id, third!.id, 'member', admin)
    for (const change of refused) {
      await assert.rejects(change, WorkspaceNotFound)
    }
    await workspaces.changeRole(id, second!.id, 'member')
    await assert.rejects(() => workspaces.remove(id, member!, admin), WorkspaceNotFound)
    await workspaces.remove(id, admin!)
    await assert.rejects(() => workspaces.remove(id, member!, admin), WorkspaceNotFound)
    assert.deepEqual(
      (await workspaces.members(id)).map(({ role }) => role),
      ['owner', 'member']
    )
  })

  test('a change by a member looks them up once, under its lock', async ({ assert }) => {
    const workspaces = await workspacesOf()
    const ann = await UserFactory.create()
    const { id } = await team(ann)
    const owner = await keyOf(ann)
    const statements = await recordStatements(() => workspaces.rename(id, 'Crew', owner))
    const member = /select .* from .workspace_memberships. where .*user_id/i
    assert.lengthOf(
      statements.filter((sql) => member.test(sql)),
      1
    )
  })

  test('who is no owner any more transfers nothing', async ({ assert }) => {
    const workspaces = await workspacesOf()
    const [ann, bob, cyd] = await UserFactory.createMany(3)
    const { id } = await team(ann!, { owner: bob!, member: cyd! })
    const [, second, third] = await workspaces.members(id)
    await workspaces.changeRole(id, second!.id, 'member')
    await assert.rejects(
      async () => workspaces.transfer(id, await keyOf(bob!), third!.id, 'admin'),
      WorkspaceNotFound
    )
    assert.deepEqual(
      (await workspaces.members(id)).map(({ role }) => role),
      ['owner', 'member', 'member']
    )
  })

  test('a member with a role that the settings no longer have can be managed', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    assert.isTrue(workspaces.mayManage('admin', 'of before'))
    assert.isFalse(workspaces.mayManage('admin', 'owner'))
  })

  test('nobody is transferred a workspace of which they are no member', async ({ assert }) => {
    const workspaces = await workspacesOf()
    const [ann, bob] = await UserFactory.createMany(2)
    const { id } = await team(ann!)
    const other = await team(bob!)
    const [foreign] = await workspaces.members(other.id)
    await assert.rejects(
      async () => workspaces.transfer(id, await keyOf(ann!), foreign!.id, 'admin'),
      WorkspaceNotFound
    )
    assert.equal((await workspaces.members(id))[0]!.role, 'owner')
  })

  test('a workspace of one person cannot be left or deleted, and nobody is invited to it', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const owner = await keyOf(await UserFactory.create())
    await workspaces.ensurePersonal(owner)
    const { id } = (await workspaces.list(owner))[0]!
    await assert.rejects(() => workspaces.remove(id, owner), PersonalWorkspace)
    await assert.rejects(() => workspaces.delete(id), PersonalWorkspace)
    await assert.rejects(
      () => workspaces.invitations.create(id, 'a@example.com', 'member'),
      PersonalWorkspace
    )
  })

  test('removing a member deletes the API tokens that they hold for it, and no others', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const [ann, bob] = await UserFactory.createMany(2)
    const { id } = await team(ann!, { member: bob! })
    const other = await team(bob!)
    await ApiToken.create(bob!, { name: 'ends', context: { workspace_id: id } })
    await ApiToken.create(bob!, { name: 'of another', context: { workspace_id: other.id } })
    await ApiToken.create(bob!, { name: 'of none' })
    await ApiToken.create(ann!, { name: 'of the owner', context: { workspace_id: id } })
    await workspaces.remove(id, await keyOf(bob!))
    const names = (await ApiToken.tokens(bob!)).map(({ name }) => name)
    assert.sameMembers(names, ['of another', 'of none'])
    assert.lengthOf(await ApiToken.tokens(ann!), 1)
  })

  test('nobody has a token for a workspace of which they are no member', async ({ assert }) => {
    const [ann, bob] = await UserFactory.createMany(2)
    const { id } = await team(ann!)
    await assert.rejects(
      () => ApiToken.create(bob!, { context: { workspace_id: id } }),
      'The user may not have a token with this context'
    )
    assert.lengthOf(await ApiToken.tokens(bob!), 0)
  })

  test('a deleted workspace ends the tokens of all its members, and owners restore it once', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const [ann, bob] = await UserFactory.createMany(2)
    const { id } = await team(ann!, { admin: bob! })
    await ApiToken.create(bob!, { context: { workspace_id: id } })
    await workspaces.delete(id)
    assert.lengthOf(await ApiToken.tokens(bob!), 0)
    await assert.rejects(async () => workspaces.restore(await keyOf(bob!), id), WorkspaceNotFound)
    await workspaces.restore(await keyOf(ann!), id)
    const [own] = await workspaces.list(await keyOf(bob!))
    assert.isNull(own!.deletedAt)
    await assert.rejects(async () => workspaces.restore(await keyOf(ann!), id), WorkspaceNotFound)
  })

  test('a new name is that of one workspace', async ({ assert }) => {
    const ann = await UserFactory.create()
    const [one, other] = [await team(ann), await team(ann)]
    await (await workspacesOf()).rename(one.id, 'Renamed')
    const rows = await db.from('workspaces').whereIn('id', [one.id, other.id]).orderBy('id')
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['Renamed', other.name]
    )
  })

  test('the purge deletes a workspace with its rows when its time is over, and none before', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const ann = await UserFactory.create()
    const [gone, waiting] = [await team(ann), await team(ann)]
    await postIn(gone.id, ann)
    await postIn(waiting.id, ann)
    await workspaces.delete(gone.id)
    await workspaces.delete(waiting.id)
    const longAgo = Date.now() - 31 * 86_400_000
    await db.from('workspaces').where('id', gone.id).update({ deleted_at: longAgo })
    assert.equal(await workspaces.purge(), 1)
    const left = await Post.acrossWorkspaces().where('user_id', ann.id)
    assert.deepEqual(
      left.map(({ workspaceId }) => workspaceId),
      [waiting.id]
    )
  })

  test('rows of a model that nothing has used yet go with their workspace', async ({
    assert,
    cleanup,
  }) => {
    const unused = { Post: class extends compose(PostSchema, BelongsToWorkspace) {} }
    cleanup(await useWorkspaces({ models: [{ load: async () => ({ default: unused.Post }) }] }))
    const workspaces = await workspacesOf()
    const ann = await UserFactory.create()
    const { id } = await team(ann)
    await postIn(id, ann)
    const manager = await app.container.make('auth_manager')
    await workspaces.forget(ann, manager.usersOf())
    assert.lengthOf(await db.from('posts').where('workspace_id', id), 0)
  })

  test('a deleted workspace can be restored for exactly its days', async ({ assert }) => {
    const tick = stopClock()
    const workspaces = await workspacesOf()
    const { id } = await team(await UserFactory.create())
    await workspaces.delete(id)
    const days = workspaces.config.restoreDays
    tick(days * 86_400 - 0.001)
    assert.equal(await workspaces.purge(), 0)
    tick(0.001)
    assert.equal(await workspaces.purge(), 1)
  })

  test('a workspace that is restored while a purge runs keeps its rows', async ({ assert }) => {
    const workspaces = await workspacesOf()
    const ann = await UserFactory.create()
    const [first, second] = [await team(ann), await team(ann)]
    const longAgo = Date.now() - 31 * 86_400_000
    for (const { id } of [first, second]) {
      await postIn(id, ann)
      await db.from('workspaces').where('id', id).update({ deleted_at: longAgo })
    }
    /* Between the search for what is over and the end of the second one. */
    const restore = await useWorkspaces({
      models: workspaces.config.models.map((one) => ({
        ...one,
        async load() {
          await db.from('workspaces').where('id', second.id).update({ deleted_at: null })
          return one.load()
        },
      })),
    })
    await workspaces.purge()
    restore()
    const left = await Post.acrossWorkspaces().where('user_id', ann.id)
    assert.deepEqual(
      left.map(({ workspaceId }) => workspaceId),
      [second.id]
    )
  })

  test('when the account of the last owner is deleted, the oldest member becomes one', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const [ann, bob, cyd] = await UserFactory.createMany(3)
    const { id } = await team(ann!, { admin: bob!, member: cyd! })
    const alone = await team(ann!)
    const manager = await app.container.make('auth_manager')
    await workspaces.forget(ann!, manager.usersOf())
    assert.deepEqual(
      (await workspaces.members(id)).map(({ role }) => role),
      ['owner', 'member']
    )
    assert.lengthOf(await workspaces.members(alone.id), 0)
    assert.isNull(await Workspace.find(alone.id))
  })

  test('when the account of the last active owner is deleted, the oldest active member becomes one', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const [ann, bob, cyd] = await UserFactory.createMany(3)
    await bob!.merge({ isActive: false }).save()
    const { id } = await team(ann!, { owner: bob!, member: cyd! })
    const other = await team(ann!, { owner: bob! })
    const manager = await app.container.make('auth_manager')
    await workspaces.forget(ann!, manager.usersOf())
    const rolesIn = async (workspaceId: number) =>
      (await workspaces.members(workspaceId)).map(({ role }) => role)
    assert.deepEqual(await rolesIn(id), ['owner', 'owner'])
    assert.deepEqual(await rolesIn(other.id), ['owner'])
  })

  test('one who is deactivated becomes owner only where nobody else is active', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const [ann, bob, cyd] = await UserFactory.createMany(3)
    await bob!.merge({ isActive: false }).save()
    const { id } = await team(ann!, { admin: bob!, member: cyd! })
    const other = await team(ann!, { member: bob! })
    const manager = await app.container.make('auth_manager')
    await workspaces.forget(ann!, manager.usersOf())
    const rolesIn = async (workspaceId: number) =>
      (await workspaces.members(workspaceId)).map(({ role }) => role)
    assert.deepEqual(await rolesIn(id), ['admin', 'owner'])
    assert.deepEqual(await rolesIn(other.id), ['owner'])
  })
})

test.group('Invitations', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  async function invited() {
    const { invitations } = await workspacesOf()
    const [ann, bob] = await UserFactory.createMany(2)
    const { id } = await team(ann!)
    const token = await invitations.create(id, bob!.email.toUpperCase(), 'member')
    return { invitations, id, bob: bob!, token, key: await keyOf(bob!) }
  }

  test('makes its person a member, once', async ({ assert }) => {
    const { invitations, bob, token, key, id } = await invited()
    await invitations.accept(token, bob.email, key)
    const list = await (await workspacesOf()).list(key)
    assert.deepEqual([list[0]!.id, list[0]!.role], [id, 'member'])
    await assert.rejects(() => invitations.accept(token, bob.email, key))
  })

  test('is kept as a hash alone', async ({ assert }) => {
    const { id, token } = await invited()
    const rows = await db.from('workspace_invitations').where('workspace_id', id)
    assert.notInclude(JSON.stringify(rows), token)
  })

  test('works for exactly its days', async ({ assert }) => {
    const tick = stopClock()
    const { invitations, bob, token, id } = await invited()
    const { invitationDays } = (await workspacesOf()).config
    tick(invitationDays * 86_400 - 0.001)
    assert.exists(await invitations.find(token, bob.email))
    tick(0.001)
    await assert.rejects(() => invitations.find(token, bob.email), InvitationNotFound)
    assert.isEmpty(await invitations.list(id))
  })

  test('is deleted by the purge when its days are over, and not before', async ({ assert }) => {
    const tick = stopClock()
    const { id } = await invited()
    const workspaces = await workspacesOf()
    const left = async () => {
      await workspaces.purge()
      return (await db.from('workspace_invitations').where('workspace_id', id)).length
    }
    tick(workspaces.config.invitationDays * 86_400 - 0.001)
    assert.equal(await left(), 1)
    tick(0.001)
    assert.equal(await left(), 0)
  })

  test('does not work {when}')
    .with([
      { when: 'for another address', spoil: { email: 'other@example.com' } },
      { when: 'after its days', spoil: { expires_at: 1 } },
    ])
    .run(async ({ assert }, { spoil }) => {
      const { invitations, bob, token, key, id } = await invited()
      await db.from('workspace_invitations').where('workspace_id', id).update(spoil)
      await assert.rejects(() => invitations.accept(token, bob.email, key))
      assert.lengthOf(await (await workspacesOf()).list(key), 0)
    })

  test('one is revoked: no other of its workspace, and none of another workspace', async ({
    assert,
  }) => {
    const { invitations, id, bob } = await invited()
    const other = await invited()
    const [theirs] = await invitations.list(other.id)
    assert.isNull(await invitations.revoke(id, theirs!.id))
    await invitations.create(id, 'late@example.com', 'member')
    const [late] = await invitations.list(id)
    assert.equal(await invitations.revoke(id, late!.id), 'late@example.com')
    const left = [...(await invitations.list(id)), ...(await invitations.list(other.id))]
    assert.deepEqual(
      left.map(({ email }) => email),
      [bob.email.toLowerCase(), other.bob.email.toLowerCase()]
    )
  })

  test('those of other workspaces are not listed, and stay when one is accepted or purged', async ({
    assert,
  }) => {
    const { invitations, bob, token, key, id } = await invited()
    const other = await invited()
    const listed = async (of: number) =>
      (await invitations.list(of)).map(({ workspaceId }) => workspaceId)
    assert.deepEqual(await listed(id), [id])
    await invitations.accept(token, bob.email, key)
    assert.deepEqual([await listed(id), await listed(other.id)], [[], [other.id]])
    const workspaces = await workspacesOf()
    await workspaces.delete(id)
    await db.from('workspaces').where('id', id).update({ deleted_at: 1 })
    assert.equal(await workspaces.purge(), 1)
    assert.deepEqual(await listed(other.id), [other.id])
  })

  test('a second click makes none, and a later one or another address does', async ({ assert }) => {
    const tick = stopClock()
    const { invitations } = await workspacesOf()
    const ann = await UserFactory.create()
    const { id } = await team(ann)
    const by = await keyOf(ann)
    assert.isNotNull(await invitations.request(id, 'a@example.com', 'member', by))
    assert.isNull(await invitations.request(id, 'a@example.com', 'member', by))
    assert.isNotNull(await invitations.request(id, 'b@example.com', 'member', by))
    tick(2)
    assert.isNotNull(await invitations.request(id, 'a@example.com', 'member', by))
  })

  test('does not work when it was revoked, or replaced by another one', async ({ assert }) => {
    const { invitations, bob, token, key, id } = await invited()
    const second = await invitations.create(id, bob.email, 'admin')
    await assert.rejects(() => invitations.accept(token, bob.email, key))
    const [open] = await invitations.list(id)
    await invitations.revoke(id, open!.id)
    await assert.rejects(() => invitations.accept(second, bob.email, key))
  })

  test('does not work when the workspace was deleted', async ({ assert }) => {
    const { invitations, bob, token, key, id } = await invited()
    await (await workspacesOf()).delete(id)
    await assert.rejects(() => invitations.accept(token, bob.email, key))
  })
})

test.group('Models that belong to a workspace', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  async function twoTeams() {
    const ann = await UserFactory.create()
    const [one, two] = [await team(ann), await team(ann)]
    const own = await postIn(one.id, ann, 'own')
    const foreign = await postIn(two.id, ann, 'foreign')
    return {
      ann,
      one,
      own,
      foreign,
      inOne: <T>(work: () => T | PromiseLike<T>) => runInWorkspace(one.id, work),
    }
  }

  test('refuse a query, an update, a deletion and a new row without one', async ({ assert }) => {
    const ann = await UserFactory.create()
    const message = /^Post belongs to a workspace, and there is none here/
    await assert.rejects(() => Post.query().exec(), message)
    await assert.rejects(() => Post.query().where('title', 'a').update({ title: 'b' }), message)
    await assert.rejects(() => Post.query().delete(), message)
    await assert.rejects(() => Post.find(1), message)
    await assert.rejects(() => Post.create({ userId: ann.id, title: 'a', body: 'b' }), message)
    await assert.rejects(() => ann.load('posts' as never))
  })

  test('say what to do in an application whose provider is out', async ({ assert }) => {
    const room = import.meta.resolve('#kit/workspaces/current_workspace')
    const { resolveWorkspace } = await import(`${room}?without-provider`)
    await assert.rejects(() => resolveWorkspace({}), /list workspaces_provider in adonisrc\.ts/)
  })

  test('find no row of another one: {how}')
    .with<
      {
        how: string
        find(id: number): Promise<unknown>
      }[]
    >([
      { how: 'find', find: (id) => Post.find(id) },
      { how: 'findBy', find: (id) => Post.findBy('id', id) },
      { how: 'findMany', find: async (id) => (await Post.findMany([id]))[0] ?? null },
      { how: 'first', find: (id) => Post.query().where('id', id).first() },
      {
        how: 'orWhere',
        find: (id) => Post.query().where('id', -1).orWhere('id', id).first(),
      },
      {
        how: 'orWhere in a group',
        find: (id) =>
          Post.query()
            .where((inner) => void inner.where('id', -1).orWhere('id', id))
            .orWhereRaw('1 = 1')
            .where('id', id)
            .first(),
      },
      {
        how: 'a page',
        find: async (id) =>
          (await Post.query().where('title', '').orWhere('id', id).paginate(1)).all()[0] ?? null,
      },
      {
        how: 'a clone',
        find: (id) => Post.query().where('id', -1).orWhere('id', id).clone().first(),
      },
      {
        how: 'an alias',
        find: (id) => Post.query().from({ p: 'posts' }).where('p.id', id).first(),
      },
      {
        how: 'a count',
        find: async (id) => {
          const [row] = await Post.query().where('id', id).count('* as total').pojo<any>()
          return Number(row.total) || null
        },
      },
    ])
    .run(async ({ assert }, { find }) => {
      const { own, foreign, inOne } = await twoTeams()
      assert.isNull(await inOne(() => find(foreign.id)))
      assert.isNotNull(await inOne(() => find(own.id)))
    })

  test('change and delete no row of another one', async ({ assert }) => {
    const { foreign, inOne } = await twoTeams()
    await inOne(() =>
      Post.query().where('id', foreign.id).orWhereRaw('1 = 1').update({ title: 'changed' })
    )
    await inOne(() => Post.query().where('id', foreign.id).orWhereRaw('1 = 1').delete())
    await inOne(async () => foreign.merge({ title: 'changed' }).save())
    await inOne(() => foreign.delete()).catch(() => {})
    const row = await db.from('posts').where('id', foreign.id).first()
    assert.equal(row.title, 'foreign')
  })

  test('are narrowed where a relation leads to them', async ({ assert }) => {
    const { own, foreign, inOne, ann } = await twoTeams()
    const write = (post: Post) =>
      runInWorkspace(post.workspaceId!, () =>
        CommentFactory.merge({ postId: post.id, userId: ann.id }).create()
      )
    await write(own)
    const stray = await write(foreign)
    /* A comment of another workspace that points here, as a mistake could make one. */
    await db.from('comments').where('id', stray.id).update({ post_id: own.id })
    const loaded = await inOne(() => Post.query().preload('comments').firstOrFail())
    assert.lengthOf(loaded.comments, 1)
    assert.lengthOf(await inOne(() => own.related('comments').query().exec()), 1)
    const counted = await inOne(() => Post.query().withCount('comments').firstOrFail())
    assert.equal(Number(counted.$extras.comments_count), 1)
    const having = await inOne(() =>
      Post.query().whereHas('comments', (query) => void query.where('id', stray.id))
    )
    assert.lengthOf(having, 0)
    const limited = await inOne(() =>
      Post.query().preload('comments', (query) => void query.groupLimit(5))
    )
    assert.lengthOf(limited[0]!.comments, 1)
  })

  test('keep a row where it is', async ({ assert }) => {
    const { own, foreign, inOne } = await twoTeams()
    await assert.rejects(
      () => inOne(() => own.merge({ workspaceId: foreign.workspaceId }).save()),
      /cannot be moved/
    )
    await assert.rejects(
      () =>
        inOne(() =>
          Post.create({
            userId: own.userId,
            title: 'a',
            body: 'b',
            workspaceId: foreign.workspaceId,
          })
        ),
      /the current workspace alone/
    )
  })

  test('are all there for acrossWorkspaces()', async ({ assert }) => {
    const { ann } = await twoTeams()
    const all = () => Post.acrossWorkspaces().where('user_id', ann.id)
    assert.lengthOf(await all(), 2)
    assert.equal((await all().clone().paginate(1)).total, 2)
  })

  test('other models need no workspace', async ({ assert }) => {
    assert.isNull(await User.findBy('email', 'nobody@example.com'))
  })
})
