import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { apiTokenGuard } from '#kit/auth/define_config'
import { MemoryUserProvider } from '#kit/auth/user_providers/user_provider'
import { Users } from '#kit/auth/users'
import { configure } from '#starter/helpers/passwords'
import { signedIn } from '#starter/helpers/visitor'
import { team, useWorkspaces, work, workspacesOf } from '#starter/helpers/workspaces'

/** A second user provider, for which the id of a user is somebody else's, and the default guard is its. */
async function useAdmins(admin: Record<string, unknown>) {
  const manager = await app.container.make('auth_manager')
  const { users, hasUsers, hasher } = manager
  const provider = new MemoryUserProvider({}, hasher)
  await provider.add(admin)
  const admins = new Users('admins', provider, hasher)
  manager.users = (name) => (name === 'admins' ? admins : users.call(manager, name))
  manager.hasUsers = (name) => name === 'admins' || hasUsers.call(manager, name)
  const { guards, default: usual } = manager.config
  Object.assign(guards, { admin: apiTokenGuard({ provider: 'admins' }) })
  await configure({ default: { ...usual, guard: 'admin' } })
  getActiveTest()!.cleanup(() => {
    Object.assign(manager, { users, hasUsers })
    delete guards.admin
  })
}

test.group('A workspace with members of two user providers', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  test('shows the person of each, also where ids are equal, and none for a provider that is gone', async ({
    assert,
  }) => {
    const [boss, bob] = [await signedIn(), await UserFactory.create()]
    const namesake = { id: bob.id, email: 'admin@example.com', fullName: null }
    const { id, slug } = await team(boss.user, { member: bob })
    const workspaces = await workspacesOf()
    for (const provider of ['admins', 'gone']) {
      await workspaces.join(db.connection(), id, { userId: String(bob.id), provider }, 'member')
    }
    await work(boss.visitor, id)
    await useAdmins(namesake)
    const { members } = (await (await boss.visitor.get(`/w/${slug}`)).json()) as any
    assert.deepEqual(
      members.map(({ email }: { email: string | null }) => email),
      [boss.user.email, bob.email, namesake.email, null]
    )
    const json = { role: 'admin' }
    await boss.visitor.send(`/w/${slug}/members/${members[2].id}`, json)
    const { events } = (await (await boss.visitor.get(`/w/${slug}/log`)).json()) as any
    assert.containsSubset(events[0], { details: { name: namesake.email }, by: boss.user.email })
  })
})
