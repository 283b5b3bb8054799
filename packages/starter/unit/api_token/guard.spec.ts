import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { AuthContext, type UserContext } from '#kit/auth/outcome'
import { apiTokenGuard, sessionGuard } from '#kit/auth/define_config'
import { InvalidSession, InvalidToken } from '#kit/auth/errors'
import { type Guard, RequestGuard } from '#kit/auth/guards/guard'
import type { GuardDriver } from '#kit/auth/guards/driver'
import type { UserProviderSpec } from '#kit/auth/user_providers/user_provider'
import type { Users } from '#kit/auth/users'
import type { ApiTokenConfig } from '#kit/api_token/define_config'
import { type ApiTokenGuard, tokenDriver } from '#kit/api_token/guard'
import { createService } from '#starter/helpers/fixtures/api_tokens'
import { createManager } from '#starter/helpers/fixtures/auth_manager'

const PEOPLE: UserProviderSpec = {
  driver: 'memory',
  users: [
    { id: 1, email: 'ann@example.com', password: 'secret' },
    { id: 2, email: 'ben@example.com', password: 'secret' },
  ],
}

/** Stands for the session room: the header `x-session` names the user who is signed in. */
class FakeSessionGuard extends RequestGuard {
  readonly driverName = 'session'

  constructor(
    name: string,
    users: Users,
    private id: string | undefined
  ) {
    super(name, users)
  }

  change(context: AuthContext | null) {
    this.remember(context)
  }

  protected async identify() {
    if (this.id === 'broken') {
      throw new Error('the session store is down')
    }
    const user = this.id ? await this.users.find(this.id) : null
    if (!user) {
      throw new InvalidSession()
    }
    return new AuthContext({ user, scopes: ['*'] })
  }
}

const fakeSessionDriver: GuardDriver = {
  name: 'session',
  create:
    ({ name, users }) =>
    (ctx) =>
      new FakeSessionGuard(name, users, ctx.request.header('x-session')),
}

async function createApp(config: ApiTokenConfig = {}) {
  const service = createService(config)
  const manager = createManager({
    guards: {
      web: sessionGuard({ provider: 'users' }),
      api: apiTokenGuard({ provider: 'users' }),
      admin: apiTokenGuard({ provider: 'admins' }),
    },
    providers: { users: PEOPLE, admins: PEOPLE },
  })
  manager.registerDriver(fakeSessionDriver)
  manager.registerDriver(tokenDriver(service, manager))
  await manager.build()
  await manager.warmUp()

  return {
    service,
    users: manager.users('users'),
    request(headers: Record<string, string> = {}) {
      const ctx = new HttpContextFactory().create()
      for (const [name, value] of Object.entries(headers)) {
        ctx.request.request.headers[name.toLowerCase()] = value
      }
      const auth = manager.createAuthenticator<Record<string, Guard>>(ctx)
      Object.defineProperty(ctx, 'authenticator', { value: auth })
      return auth
    },
  }
}

test.group('Token guard', () => {
  test('reads Bearer {id}|{secret} from Authorization, whatever the case of the scheme')
    .with(['Bearer ', 'bearer ', 'BEARER ', 'Bearer   '])
    .run(async ({ assert }, scheme) => {
      const { service, users, request } = await createApp()
      const { plainText, details } = await service.create(users, 1, { abilities: ['posts:read'] })

      const guard = request({ authorization: `${scheme}${plainText}` }).use('api') as ApiTokenGuard
      const user = await guard.authenticate()
      assert.equal(user.id, 1)
      assert.deepEqual(guard.context?.scopes, ['posts:read'])
      assert.isNull(guard.context?.clientId)
      assert.isNull(guard.context?.jti)
      assert.equal(guard.token?.id, details.id)
    })

  test('needs the scheme Bearer on Authorization').run(async ({ assert }) => {
    const { service, users, request } = await createApp()
    const { plainText } = await service.create(users, 1)
    for (const authorization of [plainText, `Basic ${plainText}`, `Token ${plainText}`]) {
      assert.isFalse(await request({ authorization }).checkUsing(['api']))
    }
  })

  test('reads a header of another name with Bearer and bare, and then not Authorization', async ({
    assert,
  }) => {
    const { service, users, request } = await createApp({ header: 'X-Api-Token' })
    const { plainText } = await service.create(users, 1)

    assert.isTrue(await request({ 'X-Api-Token': `Bearer ${plainText}` }).checkUsing(['api']))
    assert.isTrue(await request({ 'x-api-token': plainText }).checkUsing(['api']))
    assert.isFalse(await request({ authorization: `Bearer ${plainText}` }).checkUsing(['api']))
  })

  test('a missing token and every wrong one give the same message', async ({ assert }) => {
    const { service, users, request } = await createApp()
    const { plainText, details } = await service.create(users, 1)
    const expired = await service.create(users, 1, { expiresAt: new Date(0) })
    const messages = new Set<string>()

    for (const authorization of [
      '',
      'Bearer',
      'Bearer |',
      `Bearer ${details.id}|`,
      `Bearer |${plainText.split('|')[1]}`,
      `Bearer ${plainText}|y`,
      `Bearer ${plainText} `.padEnd(70, 'x'),
      `Bearer 123456789012345678901234567890|${plainText.split('|')[1]}`,
      `Bearer 999|${plainText.split('|')[1]}`,
      `Bearer ${details.id}|${'x'.repeat(43)}`,
      `Bearer ${expired.plainText}`,
    ]) {
      const error = await request({ authorization })
        .use('api')
        .authenticate()
        .catch((refusal) => refusal)
      assert.instanceOf(error, InvalidToken, authorization)
      messages.add(error.message)
    }
    assert.lengthOf(messages, 1)
  })

  test('a guard of another user provider does not take the token', async ({ assert }) => {
    const { service, users, request } = await createApp()
    const { plainText } = await service.create(users, 1)
    const authorization = `Bearer ${plainText}`

    assert.isTrue(await request({ authorization }).checkUsing(['api']))
    assert.isFalse(await request({ authorization }).checkUsing(['admin']))
  })

  test('without SPA mode a session is not looked at', async ({ assert }) => {
    const { request } = await createApp()
    assert.isFalse(await request({ 'x-session': '1' }).checkUsing(['api']))
  })
})

test.group('Token guard in SPA mode', () => {
  const spa: ApiTokenConfig = { statefulOrigins: ['https://app.example.com'] }

  test('takes the session first, then the token', async ({ assert }) => {
    const { service, users, request } = await createApp(spa)
    const { plainText } = await service.create(users, 2, { abilities: ['posts:read'] })
    const authorization = `Bearer ${plainText}`
    const identify = async (headers: Record<string, string>) =>
      (await request(headers).use('api').resolve()) as UserContext

    const bySession = await identify({ 'x-session': '1' })
    assert.equal(bySession.user.id, 1)
    assert.deepEqual(bySession.scopes, ['*'])

    const both = await identify({ 'x-session': '1', authorization })
    assert.equal(both.user.id, 1)

    const byToken = await identify({ authorization })
    assert.equal(byToken.user.id, 2)
    assert.deepEqual(byToken.scopes, ['posts:read'])
  })

  test('neither session nor token is refused as a missing token', async ({ assert }) => {
    const { request } = await createApp(spa)
    const error = await request()
      .use('api')
      .authenticate()
      .catch((refusal) => refusal)
    assert.instanceOf(error, InvalidToken)
    assert.isTrue(error.absent)
  })

  test('a caller was asked for when the session or the token was', async ({ assert }) => {
    const { users, request } = await createApp(spa)
    const unasked = request()
    assert.isFalse(unasked.use('api').authenticationAttempted)
    const web = unasked.use('web') as FakeSessionGuard
    web.change(new AuthContext({ user: await users.find(1), scopes: ['*'] }))
    assert.isTrue(unasked.use('api').authenticationAttempted)
    const asked = request()
    await asked.use('api').resolve()
    assert.isTrue(asked.use('api').authenticationAttempted)
  })

  test('a failing session store is an error, not a missing session', async ({ assert }) => {
    const { request } = await createApp(spa)
    await assert.rejects(
      () => request({ 'x-session': 'broken' }).use('api').authenticate(),
      'the session store is down'
    )
  })

  test('a login and a logout count at once, within the request', async ({ assert }) => {
    const { users, request } = await createApp(spa)
    const auth = request()
    const web = auth.use('web') as FakeSessionGuard
    assert.isFalse(await auth.checkUsing(['api']))

    web.change(new AuthContext({ user: await users.find(1), scopes: ['*'] }))
    assert.isTrue(await auth.checkUsing(['api']))
    assert.equal(auth.use('api').context?.user.id, 1)

    web.change(null)
    assert.isFalse(await auth.checkUsing(['api']))
    assert.isNull(auth.use('api').context)
  })

  test("a session of one user provider does not open another provider's guard", async ({
    assert,
  }) => {
    const { request } = await createApp(spa)
    assert.isTrue(await request({ 'x-session': '1' }).checkUsing(['api']))
    assert.isFalse(await request({ 'x-session': '1' }).checkUsing(['admin']))
  })
})
