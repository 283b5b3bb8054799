import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { AuthContext, Refusal } from '#kit/auth/outcome'
import type { GuardName } from '#kit/auth/guard_types'
import { Unauthenticated } from '#kit/auth/errors'
import { RequestGuard } from '#kit/auth/guards/guard'
import type { AuthManager } from '#kit/auth/manager'
import { verifyLogin } from '#kit/auth/password_login'
import { currentUser } from '#kit/auth/protection'
import type { Users } from '#kit/auth/users'
import { createManager } from '#starter/helpers/fixtures/auth_manager'

/*
| The guard that docs/guards.md shows, and one that counts its errors.
*/

class WrongPassword extends Unauthenticated {
  override get challenge() {
    return 'Basic realm="Reports"'
  }
}

class BasicGuard<User = any> extends RequestGuard<User> {
  readonly driverName = 'basic'

  constructor(
    name: string,
    users: Users<User>,
    private ctx: HttpContext,
    private manager: AuthManager
  ) {
    super(name, users)
  }

  protected async identify() {
    const encoded = /^basic (\S+)$/i.exec(this.ctx.request.header('authorization') ?? '')?.[1]
    const [, typed = '', password] =
      /^([^:]+):(.*)$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
    const email = this.users.toUsername(typed)
    const user = email
      ? await verifyLogin(this.manager, this.users, { email, password }, this.ctx)
      : null
    return user
      ? new AuthContext<User>({ user, scopes: ['*'] })
      : new Refusal(() => new WrongPassword(), !encoded)
  }
}

let errorsMade = 0

class ThrowingGuard extends RequestGuard {
  readonly driverName = 'throwing'
  protected async identify(): Promise<AuthContext> {
    throw new Unauthenticated()
  }
}

class DecliningGuard extends RequestGuard {
  readonly driverName = 'declining'
  protected async identify() {
    return new Refusal(() => {
      errorsMade++
      return new Unauthenticated()
    })
  }
}

async function request(authorization?: string) {
  const manager = createManager({
    default: { guard: 'reports' },
    guards: {
      reports: { driver: 'basic', provider: 'users' },
      never: { driver: 'declining', provider: 'users' },
      throws: { driver: 'throwing', provider: 'users' },
    },
    providers: {
      users: { driver: 'memory', users: [{ email: 'ann@example.com', password: 'secret' }] },
    },
  })
  manager.registerDriver({
    name: 'basic',
    create:
      ({ name, users }) =>
      (ctx) =>
        new BasicGuard(name, users, ctx, manager),
  })
  manager.registerDriver({
    name: 'declining',
    create:
      ({ name, users }) =>
      () =>
        new DecliningGuard(name, users),
  })
  manager.registerDriver({
    name: 'throwing',
    create:
      ({ name, users }) =>
      () =>
        new ThrowingGuard(name, users),
  })
  await manager.build()
  await manager.warmUp()

  const ctx = new HttpContextFactory().create()
  if (authorization) {
    ctx.request.request.headers.authorization = authorization
  }
  Object.defineProperty(ctx, 'authenticator', { value: manager.createAuthenticator(ctx) })
  return ctx
}

const guards = (...names: string[]) => ({ guards: names as GuardName[] })

test.group('A guard of one’s own', () => {
  test('recognises its users by {$self}')
    .with(['ann@example.com', 'Ann@Example.com'])
    .run(async ({ assert }, typed) => {
      const ctx = await request(`Basic ${btoa(`${typed}:secret`)}`)
      const user: any = await currentUser(ctx)
      assert.equal(user.email, 'ann@example.com')
      assert.equal(ctx.authenticator.use().driverName as string, 'basic')
    })

  test('names its challenge, also for a request without credentials')
    .with([undefined, `Basic ${btoa('ann@example.com:wrong')}`, 'Basic &', 'Bearer x'])
    .run(async ({ assert }, authorization) => {
      const ctx = await request(authorization)
      const error = await currentUser(ctx).catch((failure) => failure)
      assert.equal(error.status, 401)
      assert.equal(error.headers['WWW-Authenticate'], 'Basic realm="Reports"')
    })

  test('that declines makes no error while another guard recognises the caller', async ({
    assert,
  }) => {
    errorsMade = 0
    const ctx = await request(`Basic ${btoa('ann@example.com:secret')}`)
    await currentUser(ctx, guards('never', 'reports'))
    assert.equal(errorsMade, 0)
    await currentUser(ctx, guards('never')).catch(() => {})
    assert.equal(errorsMade, 1)
  })

  test('refuses credentials that were sent, unless it says that there were none')
    .with(['never', 'throws'])
    .run(async ({ assert }, name) => {
      const error = await currentUser(await request(), guards('reports', name)).catch(
        (failure) => failure
      )
      assert.equal(error.headers['WWW-Authenticate'], 'Bearer')
    })

  test('cannot sign in the clients of tests unless it says how', async ({ assert }) => {
    const ctx = await request()
    await assert.rejects(
      () => ctx.authenticator.use().authenticateAsClient(1),
      'The guard "reports" (driver "basic") cannot sign in the clients of tests'
    )
  })
})
