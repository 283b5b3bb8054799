import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import type { ApiClient } from '@japa/api-client'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'

/** One session of a person, whose choice of a workspace lasts. */
async function browserOf(client: ApiClient, user: User) {
  const manager = await app.container.make('auth_manager')
  const guard = manager.guard('web', await testUtils.createHttpContext())
  const { cookies = {}, headers = {} } = await guard.authenticateAsClient(user)
  return {
    get: (path: string) => client.get(path).cookies(cookies).headers(headers),
    post: (path: string, body: object = {}) =>
      client.post(path).cookies(cookies).headers(headers).json(body),
  }
}

test.group('Workspaces', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  /** A team of Ann, in which Bob is a member. */
  async function team(client: ApiClient) {
    const [ann, bob] = await UserFactory.createMany(2)
    const [anns, bobs] = [await browserOf(client, ann!), await browserOf(client, bob!)]
    const made = await anns.post('/workspaces', { name: 'Team' })
    made.assertStatus(201)
    const { id, slug } = made.body() as { id: number; slug: string }
    const manager = await app.container.make('auth_manager')
    const { invitations } = manager.feature('workspaces')!
    const token = await invitations.create(id, bob!.email, 'member')
    return { anns, bobs, id, token, home: `/w/${slug}` }
  }

  test('an invitation makes its person a member', async ({ client, assert }) => {
    const { anns, bobs, token, home } = await team(client)
    const foreign = await anns.get(`/invitations/${token}`)
    foreign.assertStatus(404)
    const shown = await bobs.get(`/invitations/${token}`)
    shown.assertBody({ workspace: { name: 'Team' } })
    const joined = await bobs.post(`/invitations/${token}`)
    joined.assertStatus(204)
    const { members } = (await bobs.get(home)).body()
    assert.sameMembers(
      members.map(({ role }: { role: string }) => role),
      ['owner', 'member']
    )
  })

  test('nothing of one is there for others', async ({ client }) => {
    const { bobs, id, home } = await team(client)
    const switched = await bobs.post('/workspaces/switch', { workspace_id: id })
    switched.assertStatus(404)
    for (const path of [home, `${home}/log`]) {
      const response = await bobs.get(path)
      response.assertStatus(404)
    }
  })

  test('a member changes nothing of it, and can leave', async ({ client }) => {
    const { bobs, token, home } = await team(client)
    await bobs.post(`/invitations/${token}`)
    const renamed = await bobs.post(home, { name: 'Mine' })
    renamed.assertStatus(403)
    const left = await bobs.post(`${home}/leave`)
    left.assertStatus(204)
  })

  test('its owner renames it, gives roles, and removes members', async ({ client }) => {
    const { anns, bobs, token, home } = await team(client)
    await bobs.post(`/invitations/${token}`)
    const { members } = (await anns.get(home)).body()
    const { id } = members.find((member: { is_you: boolean }) => !member.is_you)
    for (const [path, body] of [
      ['', { name: 'New' }],
      [`/members/${id}`, { role: 'admin' }],
      [`/members/${id}/remove`, {}],
    ] as const) {
      const response = await anns.post(home + path, body)
      response.assertStatus(204)
    }
    const gone = await bobs.get(home)
    gone.assertStatus(404)
    // feature: security_log
    const log = await anns.get(`${home}/log`)
    log.assertBodyContains({ events: [{ type: 'member_removed' }] })
    // /feature
  })

  test('its owner invites, and revokes invitations', async ({ client, assert }) => {
    const { anns, home } = await team(client)
    const invited = await anns.post(`${home}/invitations`, {
      email: 'guest@example.com',
      role: 'member',
    })
    invited.assertStatus(204)
    const { invitations } = (await anns.get(home)).body()
    const revoked = await anns.post(`${home}/invitations/${invitations[0].id}/revoke`)
    revoked.assertStatus(204)
    assert.lengthOf((await anns.get(home)).body().invitations, invitations.length - 1)
  })

  test('a new owner deletes it, and has it back', async ({ client, assert }) => {
    const { anns, bobs, id, token, home } = await team(client)
    await bobs.post(`/invitations/${token}`)
    const { members } = (await anns.get(home)).body()
    const heir = members.find((member: { is_you: boolean }) => !member.is_you)
    const transferred = await anns.post(`${home}/transfer`, { member: heir.id })
    transferred.assertStatus(204)
    const deleted = await bobs.post(`${home}/delete`)
    deleted.assertStatus(204)
    const restored = await bobs.post(`/workspaces/${id}/restore`)
    restored.assertStatus(204)
    const { workspaces } = (await bobs.get('/workspaces')).body()
    assert.include(
      workspaces.map((one: { id: number }) => one.id),
      id
    )
  })
})
