import emitter from '@adonisjs/core/services/emitter'
import hash from '@adonisjs/core/services/hash'
import { test } from '@japa/runner'

import { defineConfig as defineAuthConfig, sessionGuard } from '#kit/auth/define_config'
import { AuthManager } from '#kit/auth/manager'
import { defineConfig } from '#kit/session/define_config'
import { sessionDriver } from '#kit/session/guard'
import { SessionService } from '#kit/session/session_service'
import { MemorySessionStore } from '#kit/session/stores/memory'

test.group('Session service', () => {
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
