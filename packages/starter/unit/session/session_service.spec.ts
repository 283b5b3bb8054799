import emitter from '@adonisjs/core/services/emitter'
import hash from '@adonisjs/core/services/hash'
import { test } from '@japa/runner'

import { defineConfig as defineAuthConfig, sessionGuard } from '#kit/auth/define_config'
import { AuthManager } from '#kit/auth/manager'
import { defineConfig } from '#kit/session/define_config'
import { sessionDriver } from '#kit/session/guard'
import { SessionService } from '#kit/session/session_service'
import { MemorySessionStore } from '#kit/session/store'

test.group('Session service', () => {
  /** A service over a guard `web`, whose sessions are in memory. */
  async function createService(settings = {}) {
    const manager = new AuthManager(
      defineAuthConfig({
        guards: { web: sessionGuard({ provider: 'users' }) },
        providers: { users: { driver: 'memory' } },
      }),
      hash.use()
    )
    const store = new MemorySessionStore()
    const sessions = new SessionService(defineConfig(settings), manager, store, emitter)
    manager.registerDriver(sessionDriver(sessions))
    await manager.build()
    return { sessions, store, users: manager.users('users') }
  }

  test('a session is listed and ended by its name, one that is older than names by its key', async ({
    assert,
  }) => {
    const { sessions, store, users } = await createService()
    const user = { id: 1 }
    const named = await sessions.start({}, { userId: '1', guard: 'web' })
    const older = { ...named.record, login: null, lastActivity: named.record.lastActivity - 1 }
    store.create('a'.repeat(64), older)
    const names = [named.record.login!.sid, 'a'.repeat(64)]
    const listed = await sessions.listOf(user, users)
    assert.deepEqual(
      listed.map(({ name }) => name),
      names
    )
    for (const name of ['', 'a'.repeat(63), 'a'.repeat(65), `${names[0]}-`, 'unknown']) {
      assert.isFalse(await sessions.destroyOneOf(user, users, name))
    }
    for (const left of [1, 0]) {
      assert.isTrue(await sessions.destroyOneOf(user, users, names[left]!))
      assert.lengthOf(await sessions.listOf(user, users), left)
    }
  })

  test('a session that was destroyed meanwhile is neither written nor given a new id', async ({
    assert,
  }) => {
    const { sessions } = await createService()
    for (const owner of [null, { userId: '1', guard: 'web' }]) {
      const session = await sessions.start({}, owner)
      await sessions.destroy(session)
      assert.isFalse(await sessions.patch(session, [{ path: ['key'], value: 1 }]))
      assert.isNull(await sessions.regenerate(session))
    }
  })

  test('a purge deletes what has been idle for idleTtl, to the millisecond', async ({ assert }) => {
    const { sessions } = await createService({ idleTtl: 600 })
    const { record } = await sessions.start({})
    assert.equal(await sessions.purge(record.lastActivity + 599_999), 0)
    assert.equal(await sessions.purge(record.lastActivity + 600_000), 1)
  })

  test('ends the sessions of a user, and not those of a namesake of another provider', async ({
    assert,
  }) => {
    const manager = new AuthManager(
      defineAuthConfig({
        guards: {
          web: sessionGuard({ provider: 'users' }),
          admin: sessionGuard({ provider: 'admins' }),
        },
        providers: { users: { driver: 'memory' }, admins: { driver: 'memory' } },
      }),
      hash.use()
    )
    const service = new SessionService(defineConfig(), manager, new MemorySessionStore(), emitter)
    manager.registerDriver(sessionDriver(service))
    await manager.build()

    const web = await service.start({}, { userId: '1', guard: 'web' })
    const admin = await service.start({}, { userId: '1', guard: 'admin' })
    assert.equal(await service.destroyAllOf({ id: 1 }, manager.users('users')), 1)
    assert.equal(await service.find(web.id), 'unknown')
    assert.isObject(await service.find(admin.id))

    /* The end of a session whose id another request has changed meanwhile. */
    const renamed = await service.regenerate(admin)
    await service.destroy(admin)
    assert.equal(await service.find(renamed!.id), 'unknown')
  })
})
