import { HttpContextFactory } from '@adonisjs/core/factories/http'
import hash from '@adonisjs/core/services/hash'
import { test } from '@japa/runner'

import { defineConfig } from '#kit/auth/define_config'
import {
  type AdonisAuthGuard,
  adonisAuthDriver,
  adonisAuthGuard,
} from '#kit/auth/guards/adonis_auth'
import { AuthManager } from '#kit/auth/manager'
import { InvalidSession } from '#kit/auth/errors'
import { type Refusal } from '#kit/auth/outcome'

const ANN = { id: 1, active: true }

/** A request in an application with `@adonisjs/auth`, whose guard `theirs` knows a user, or nobody. */
async function guardFor(user: object | null, accept = 'application/json') {
  const config = defineConfig({
    default: { guard: 'web' },
    guards: {
      web: adonisAuthGuard({ provider: 'users', sessionGuard: 'theirs', loginPage: '/sign-in' }),
    },
    providers: { users: { driver: 'memory', isActive: 'active' } },
  })
  const manager = new AuthManager(config as any, hash.use()).registerDriver(adonisAuthDriver)
  await manager.build()

  const ctx = new HttpContextFactory().create()
  ctx.request.request.headers.accept = accept
  const asked: string[] = []
  const theirs = {
    user: undefined as object | undefined,
    async check() {
      this.user = user ?? undefined
      return user !== null
    },
    login: async () => void asked.push('login'),
    logout: async () => void asked.push('logout'),
  }
  const auth = {
    use(name: string) {
      asked.push(name)
      return theirs
    },
  }
  Object.defineProperty(ctx, 'auth', { value: auth, writable: true })
  return { ctx, asked, guard: manager.guard('web', ctx) as AdonisAuthGuard }
}

test.group('A guard of @adonisjs/auth', () => {
  test('recognises who is signed in there, with every scope', async ({ assert }) => {
    const { guard, asked } = await guardFor(ANN)
    assert.strictEqual(await guard.authenticate(), ANN)
    assert.isTrue(guard.context!.can('anything' as never))
    assert.deepEqual(asked, ['theirs'])
    assert.equal(guard.driverName, 'adonis_auth')
  })

  test('refuses a user who is not active', async ({ assert }) => {
    const { guard } = await guardFor({ ...ANN, active: false })
    assert.isFalse(await guard.check())
    const { absent, toError } = (await guard.resolve()) as Refusal
    assert.isTrue(absent)
    assert.equal(toError().reason, 'user of the session inactive')
  })

  test('refuses a program with 401', async ({ assert }) => {
    const { guard, ctx } = await guardFor(null)
    const refusal = (await guard.resolve()) as Refusal
    assert.isTrue(refusal.absent)
    const error = refusal.toError()
    assert.instanceOf(error, InvalidSession)
    error.handle(error, ctx)
    assert.equal(ctx.response.getStatus(), 401)
  })

  test('sends a browser to the sign-in page', async ({ assert }) => {
    const { guard, ctx } = await guardFor(null, 'text/html')
    const error = ((await guard.resolve()) as Refusal).toError()
    error.handle(error, ctx)
    assert.equal(ctx.response.getStatus(), 302)
    assert.equal(ctx.response.getHeader('location'), '/sign-in')
  })

  test('signs in there, and knows who it was', async ({ assert }) => {
    const { guard, asked } = await guardFor(null)
    await guard.login(ANN)
    assert.include(asked, 'login')
    assert.strictEqual(guard.user, ANN)
  })

  test('signs out there, and knows nobody afterwards', async ({ assert }) => {
    const { guard, asked } = await guardFor(ANN)
    await guard.authenticate()
    await guard.logout()
    assert.include(asked, 'logout')
    assert.isFalse(guard.isAuthenticated)
  })

  test('says what is missing where ctx.auth is not there', async ({ assert }) => {
    const { guard, ctx } = await guardFor(ANN)
    Object.assign(ctx, { auth: undefined })
    await assert.rejects(() => guard.resolve(), /initialize_auth_middleware/)
  })
})
