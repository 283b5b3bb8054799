import { HttpContextFactory } from '@adonisjs/core/factories/http'
import hash from '@adonisjs/core/services/hash'
import { test } from '@japa/runner'

import { defineConfig } from '#kit/auth/define_config'
import { type Sesame, sesameDriver, sesameGuard } from '#kit/auth/guards/sesame'
import { AuthManager } from '#kit/auth/manager'
import type { Refusal } from '#kit/auth/outcome'

const ANN = { id: 1, active: true }

/** A request with a token of Ann's that Sésame accepts while `accepted` is true. */
async function guardFor({ authorization = 'Bearer token', user = ANN } = {}) {
  const sesame = { accepted: true }
  class Guard {
    scopes = ['mcp:use']
    clientId = 'notes'
    user: unknown
    constructor(
      _name: string,
      protected ctx: any,
      _emitter: unknown,
      protected users: { findById(id: string): Promise<{ getOriginal(): unknown } | null> }
    ) {}
    async check() {
      const found = sesame.accepted ? await this.users.findById('1') : null
      this.user = found?.getOriginal()
      if (!found) {
        this.ctx.response.header('WWW-Authenticate', 'Bearer resource_metadata="…"')
      }
      return found !== null
    }
  }
  const config = defineConfig({
    default: { guard: 'oauth' },
    guards: { oauth: sesameGuard({ provider: 'users' }) },
    providers: { users: { driver: 'memory', isActive: 'active', users: [user] } as any },
  })
  const manager = new AuthManager(config as any, hash.use())
  manager.registerDriver(sesameDriver({ Guard } as unknown as Sesame))
  await manager.build()
  await manager.warmUp()
  const ctx = new HttpContextFactory().create()
  ctx.request.request.headers.authorization = authorization
  return { ctx, sesame, guard: manager.guard('oauth', ctx) }
}

test.group('A guard of Sésame', () => {
  test('recognises the user, the client and the scopes of a token', async ({ assert }) => {
    const { guard } = await guardFor()
    assert.isTrue(await guard.check())
    assert.equal(guard.driverName, 'sesame')
    const { user, scopes, clientId } = guard.context!
    assert.equal(user.id, ANN.id)
    assert.deepEqual([scopes, clientId], [['mcp:use'], 'notes'])
  })

  test('refuses a token of a user who is not active, without the challenge of Sésame', async ({
    assert,
  }) => {
    const { guard, ctx } = await guardFor({ user: { ...ANN, active: false } })
    assert.isFalse(((await guard.resolve()) as Refusal).absent)
    assert.isUndefined(ctx.response.getHeader('www-authenticate'))
  })

  test('says that there is no token when the header has another scheme', async ({ assert }) => {
    const { guard } = await guardFor({ authorization: 'Basic YW5uOnNlY3JldA==' })
    assert.isTrue(((await guard.resolve()) as Refusal).absent)
  })

  test('notices that a token was revoked while the request goes on', async ({ assert }) => {
    const { guard, sesame } = await guardFor()
    await guard.check()
    assert.isTrue(await guard.isStillValid!())
    sesame.accepted = false
    assert.isFalse(await guard.isStillValid!())
  })
})
