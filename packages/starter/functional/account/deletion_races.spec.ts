import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import { authManager } from '#starter/helpers/passwords'
import { useSocial } from '#starter/helpers/social'
import { keyOf, person, team, workspacesOf } from '#starter/helpers/workspaces'

/** Somebody with an invitation, who deletes their account. */
async function leaving() {
  await useSocial()
  const { user, visitor } = await person()
  const { id } = await team(await UserFactory.create())
  const { invitations } = await workspacesOf()
  const token = await invitations.create(id, user.email, 'member')
  const json = { password: FACTORY_PASSWORD }
  const remove = () => visitor.post('/account/delete', { json, csrf: true })
  return { user, visitor, token, remove, owner: await keyOf(user) }
}

async function link(user: User) {
  const manager = await authManager()
  const identity = { name: 'fake', issuer: 'https://fake.example', subject: user.email }
  const ctx = await testUtils.createHttpContext()
  /* Mails are sent after the reply. */
  ctx.response.response.end()
  const { identities } = manager.feature('social')!
  return identities.link(ctx, manager.usersOf(), user, { ...identity, email: user.email })
}

async function rowsOf({ id }: User) {
  const ofUser = (table: string) => db.from(table).where('user_id', String(id))
  return [...(await ofUser('workspace_memberships')), ...(await ofUser('social_identities'))]
}

test.group('While an account is deleted', () => {
  test('what it gets before it is gone goes with it', async ({ assert }) => {
    const { user, token, remove, owner } = await leaving()
    const log = (await authManager()).feature('securityLog')!
    const { forget } = log
    getActiveTest()!.cleanup(() => void Object.assign(log, { forget }))
    log.forget = async (...args) => {
      await (await workspacesOf()).invitations.accept(token, user.email, owner)
      assert.isTrue(await link(user))
      assert.lengthOf(await rowsOf(user), 2)
      await forget.apply(log, args)
    }
    assert.equal((await remove()).status, 204)
    assert.isNull(await User.find(user.id))
    assert.deepEqual(await rowsOf(user), [])
  })

  test('a request that comes too late leaves nothing behind', async ({ assert }) => {
    const { user, visitor, token, remove } = await leaving()
    const { invitations } = await workspacesOf()
    const { accept } = invitations
    getActiveTest()!.cleanup(() => void Object.assign(invitations, { accept }))
    invitations.accept = async (...args) => {
      assert.equal((await remove()).status, 204)
      return accept.apply(invitations, args)
    }
    const answer = await visitor.post(`/invitations/${token}`, { json: {}, csrf: true })
    assert.equal(answer.status, 401)
    assert.isFalse(await link(user))
    assert.deepEqual(await rowsOf(user), [])
  })
})
