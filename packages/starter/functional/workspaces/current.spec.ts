import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { currentUser } from '#kit/auth/protection'
import { UserFactory } from '#database/factories/user_factory'
import Post from '#models/post'
import type User from '#models/user'
import { credentials, postToken, registerClient } from '#starter/helpers/oauth'
import {
  keyOf,
  postIn,
  settler,
  team,
  titlesSeenBy,
  useWorkspaces,
  work,
  workspacesOf,
} from '#starter/helpers/workspaces'
import { COMMON_ID } from '#kit/workspaces/define_config'
import { Visitor, signedIn } from '#starter/helpers/visitor'

router.post('/_test/workspaces/posts', async (ctx) => {
  const { id } = await currentUser(ctx)
  const { workspaceId } = await Post.create({ userId: id, title: 'new', body: 'new' })
  return { workspaceId }
})

const JSON_API = { accept: 'application/vnd.api+json' }

async function bearer(user: User, context: Record<string, unknown> | null = null) {
  const { plainText } = await ApiToken.create(user, { context })
  return { authorization: `Bearer ${plainText}` }
}

/** A person with a post in a workspace of their own, and one in that of a team. */
async function worker() {
  const { user, visitor, own } = await settler()
  const shared = await team(user)
  await postIn(own.id, user, 'own')
  await postIn(shared.id, user, 'shared')
  return { user, visitor, own: own, shared }
}

test.group('The workspace of a request', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  test('is the person’s own until the session chooses another one, and stays chosen', async ({
    assert,
  }) => {
    const { visitor, shared } = await worker()
    assert.deepEqual(await titlesSeenBy(visitor), ['own'])
    assert.equal(await work(visitor, shared.id), 200)
    assert.deepEqual(await titlesSeenBy(visitor), ['shared'])
    assert.deepEqual(await titlesSeenBy(visitor), ['shared'])
    assert.equal(await work(visitor, null), 200)
    assert.deepEqual(await titlesSeenBy(visitor), ['own'])
  })

  test('gets a new row, also where nothing has asked for the workspace before', async ({
    assert,
  }) => {
    const { visitor, own } = await worker()
    const response = await visitor.send('/_test/workspaces/posts')
    assert.deepEqual(await response.json(), { workspaceId: own.id })
  })

  test('a session cannot choose one of which its person is no member: 404', async ({ assert }) => {
    const { visitor } = await worker()
    const { shared: foreign } = await worker()
    assert.equal(await work(visitor, foreign.id), 404)
    assert.equal(await work(visitor, 2 ** 31 - 1), 404)
    assert.deepEqual(await titlesSeenBy(visitor), ['own'])
  })

  test('a session loses it with the membership, and goes on in the person’s own', async ({
    assert,
  }) => {
    const { shared } = await worker()
    const { user, visitor } = await signedIn()
    const workspaces = await workspacesOf()
    await workspaces.join(db.connection(), shared.id, await keyOf(user), 'member')
    await work(visitor, shared.id)
    assert.deepEqual(await titlesSeenBy(visitor), ['shared'])
    await workspaces.remove(shared.id, await keyOf(user))
    assert.deepEqual(await titlesSeenBy(visitor), [])
  })

  test('is that of the API token, whatever the caller says', async ({ assert }) => {
    const { user, own, shared } = await worker()
    const visitor = new Visitor()
    const inShared = await bearer(user, { workspace_id: shared.id })
    assert.deepEqual(await titlesSeenBy(visitor, inShared), ['shared'])
    assert.deepEqual(await titlesSeenBy(visitor, await bearer(user)), ['own'])
    const more = { ...inShared, 'x-workspace': String(own.id), 'workspace_id': String(own.id) }
    assert.deepEqual(await titlesSeenBy(visitor, more), ['shared'])
  })

  test('a token is made for where its person works, and stays there', async ({ assert }) => {
    const { visitor, shared } = await worker()
    await work(visitor, shared.id)
    const made = await visitor.send('/api/tokens', { name: 'laptop', abilities: ['posts:read'] })
    const { token } = (await made.json()) as any
    await work(visitor, null)
    const headers = { authorization: `Bearer ${token}` }
    assert.deepEqual(await titlesSeenBy(new Visitor(), headers), ['shared'])
  })

  test('a token whose owner is no member any more finds nothing: 404', async ({ assert }) => {
    const { user, shared } = await worker()
    const headers = await bearer(user, { workspace_id: shared.id })
    await db.from('workspace_memberships').where('workspace_id', shared.id).delete()
    assert.equal(await titlesSeenBy(new Visitor(), headers), 404)
  })

  test('a visitor is asked to sign in: 401, and a page leads there', async ({ assert }) => {
    assert.equal((await new Visitor().get('/api/posts', { headers: JSON_API })).status, 401)
    const page = await new Visitor().get('/posts', { headers: { accept: 'text/html' } })
    assert.equal(page.status, 302)
    assert.match(page.headers.get('location')!, /\/login$/)
  })

  test('a token without a user is refused as a token: there is none for it', async ({ assert }) => {
    const client = await registerClient()
    const fields = { grant_type: 'client_credentials', scope: 'posts:read', ...credentials(client) }
    const { body } = await postToken(fields)
    const headers = { ...JSON_API, authorization: `Bearer ${body.access_token}` }
    const response = await new Visitor().get('/api/posts', { headers })
    const { errors } = (await response.json()) as any
    assert.equal(response.status, 401)
    assert.equal(errors[0].code, 'invalid_token')
    assert.equal(errors[0].detail, 'The token does not belong to a user.')
  })

  test('rows of another one are not there: {what}')
    .with([
      { what: 'GET', method: 'GET', path: (id: number) => `/api/posts/${id}` },
      { what: 'DELETE', method: 'DELETE', path: (id: number) => `/api/posts/${id}` },
      { what: 'its author', method: 'GET', path: (id: number) => `/api/posts/${id}/author` },
      { what: 'its comments', method: 'GET', path: (id: number) => `/api/posts/${id}/comments` },
      { what: 'a page', method: 'GET', path: (id: number) => `/posts/${id}` },
    ])
    .run(async ({ assert }, { method, path }) => {
      const { user, shared, visitor } = await worker()
      const post = await postIn(shared.id, user)
      const headers = path(1).startsWith('/api') ? JSON_API : { accept: 'text/html' }
      const asked = () => visitor.request(method, path(post.id), { headers, csrf: true })
      assert.equal((await asked()).status, 404)
      await work(visitor, shared.id)
      assert.include([200, 204], (await asked()).status)
    })

  test('a member changes their own posts, an admin those of everybody', async ({ assert }) => {
    const { user, shared } = await worker()
    const [member, admin] = [await signedIn(), await signedIn()]
    const workspaces = await workspacesOf()
    await workspaces.join(db.connection(), shared.id, await keyOf(member.user), 'member')
    await workspaces.join(db.connection(), shared.id, await keyOf(admin.user), 'admin')
    const statuses: number[] = []
    for (const { visitor } of [member, admin]) {
      const post = await postIn(shared.id, user)
      await work(visitor, shared.id)
      const response = await visitor.request('DELETE', `/api/posts/${post.id}`, {
        headers: JSON_API,
        csrf: true,
      })
      statuses.push(response.status)
    }
    assert.deepEqual(statuses, [403, 204])
  })
})

test.group('The common workspace', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: true }))

  test('is where people work who have chosen no other, and no row of a team is there', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const shared = await team(user)
    const post = await postIn(COMMON_ID, await UserFactory.create(), 'common')
    await postIn(shared.id, user, 'shared')
    assert.include(await titlesSeenBy(visitor), 'common')
    assert.notInclude(await titlesSeenBy(visitor), 'shared')
    assert.equal((await new Visitor().get(`/posts/${post.id}`)).status, 200)
    await work(visitor, shared.id)
    assert.deepEqual(await titlesSeenBy(visitor), ['shared'])
  })
})
