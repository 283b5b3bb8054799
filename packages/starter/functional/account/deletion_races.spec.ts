import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import { ApiToken } from '#kit/api_token/facade'
import { personalKey } from '#kit/workspaces/memberships'
import { usePasskeys } from '#starter/helpers/passkeys'
import { authManager } from '#starter/helpers/passwords'
import { replaceForTest, wrapForTest } from '#starter/helpers/replace'
import { useSocial } from '#starter/helpers/social'
import { Authenticator } from '#starter/helpers/software_authenticator'
import { keyOf, team, useWorkspaces, workspacesOf } from '#starter/helpers/workspaces'
import { Visitor, signedIn } from '#starter/helpers/visitor'

/** Somebody with an invitation, who deletes their account. */
async function leaving() {
  await useSocial()
  const { user, visitor } = await signedIn()
  const { id } = await team(await UserFactory.create())
  const { invitations } = await workspacesOf()
  const token = await invitations.create(id, user.email, 'member')
  const json = { password: FACTORY_PASSWORD }
  const remove = () => visitor.send('/account/delete', json)
  return { user, visitor, token, remove, owner: await keyOf(user) }
}

type Leaving = Awaited<ReturnType<typeof leaving>>

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
  const tables = [
    'workspace_memberships',
    'social_identities',
    'passkeys',
    'sessions',
    'personal_api_tokens',
  ]
  const rows = tables.map((table) => db.from(table).where('user_id', String(id)))
  return (await Promise.all(rows)).flat()
}

test.group('While an account is deleted', () => {
  test('what it gets before it is gone goes with it', async ({ assert }) => {
    const { user, token, remove, owner } = await leaving()
    const log = (await authManager()).feature('securityLog')!
    const restore = wrapForTest(log, 'forget', (forget) => async (...args) => {
      restore()
      await (await workspacesOf()).invitations.accept(token, user.email, owner)
      assert.isTrue(await link(user))
      assert.equal((await new Visitor().login(user.email, FACTORY_PASSWORD)).status, 200)
      await ApiToken.create(user)
      assert.lengthOf(await rowsOf(user), 4)
      await forget(...args)
    })
    assert.equal((await remove()).status, 204)
    assert.isNull(await User.find(user.id))
    assert.deepEqual(await rowsOf(user), [])
  })

  test('a team that somebody joins before they are gone does not keep it from ending', async ({
    assert,
    cleanup,
  }) => {
    const workspaces = await workspacesOf()
    cleanup(await useWorkspaces({ common: false }))
    const { user, token, remove, owner } = await leaving()
    const restore = wrapForTest(workspaces, 'forget', (forget) => async (...args) => {
      restore()
      await forget(...args)
      await workspaces.invitations.accept(token, user.email, owner)
      assert.equal((await new Visitor().login(user.email, FACTORY_PASSWORD)).status, 200)
    })
    assert.equal((await remove()).status, 204)
    const own = await db.from('workspaces').where('personal_of', personalKey(owner))
    assert.deepEqual([own, await rowsOf(user)], [[], []])
  })

  test('a request that comes too late leaves nothing behind: {what}')
    .with([
      {
        what: 'an invitation',
        async begin({ token }: Leaving) {
          const { invitations } = await workspacesOf()
          const path = `/invitations/${token}`
          return { service: invitations, method: 'accept', path, json: {} }
        },
      },
      {
        what: 'a workspace',
        async begin() {
          const service = await workspacesOf()
          return { service, method: 'create', path: '/workspaces', json: { name: 'Late' } }
        },
      },
      {
        what: 'a passkey',
        async begin({ visitor }: Leaving) {
          const { origin, rpId } = await usePasskeys()
          const path = '/account/passkeys'
          const asked = await visitor.send(`${path}/options`)
          const response = new Authenticator(origin, rpId).create(await asked.json())
          const service = (await authManager()).feature('passkeys')!
          return { service, method: 'register', path, json: { name: 'Late', response } }
        },
      },
    ])
    .run(async ({ assert }, { begin }) => {
      const somebody = await leaving()
      const { user, visitor, remove } = somebody
      const { service, method, path, json } = await begin(somebody)
      const late: Record<string, (...args: unknown[]) => unknown> = service as never
      wrapForTest(late, method, (original) => async (...args) => {
        assert.equal((await remove()).status, 204)
        return original(...args)
      })
      const answer = await visitor.send(path, json)
      assert.equal(answer.status, 401)
      assert.deepEqual(await rowsOf(user), [])
    })

  test('a page that is asked for too late makes no workspace of their own', async ({
    assert,
    cleanup,
  }) => {
    const workspaces = await workspacesOf()
    cleanup(await useWorkspaces({ common: false }))
    const { user, visitor, remove, owner } = await leaving()
    const restore = replaceForTest(workspaces, 'ensurePersonal', async (...args) => {
      restore()
      assert.equal((await remove()).status, 204)
      return workspaces.ensurePersonal(...args)
    })
    assert.equal((await visitor.get('/workspaces')).status, 401)
    const own = await db.from('workspaces').where('personal_of', personalKey(owner))
    assert.deepEqual([own, await rowsOf(user)], [[], []])
  })

  test('an identity that is linked too late is not there', async ({ assert }) => {
    const { user, remove } = await leaving()
    assert.equal((await remove()).status, 204)
    assert.isFalse(await link(user))
    assert.deepEqual(await rowsOf(user), [])
  })
})
