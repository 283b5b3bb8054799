import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { endEverything, endSessions } from '#kit/accounts/ending'
import type { UserOf } from '#kit/auth/guard_types'
import type { ResolvedEmailVerificationConfig } from '#kit/email_verification/define_config'
import { SessionService } from '#kit/session/session_service'
import { allow, open } from '#starter/helpers/consent'
import { beginDevice, decideDevice, pollDevice, useDevices } from '#starter/helpers/device'
import {
  authorizationFields,
  authorizationServer,
  obtainCode,
  obtainTokens,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { usePasskeys } from '#starter/helpers/passkeys'
import { Authenticator } from '#starter/helpers/software_authenticator'
import { authManager, configure, endSessionsOfRequests } from '#starter/helpers/passwords'
import { wrapForTest } from '#starter/helpers/replace'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn } from '#starter/helpers/two_factor'
import { Visitor, isSignedIn, signedIn } from '#starter/helpers/visitor'

/** Seconds that a confirmation counts here: shorter than anything that a person has begun. */
const CONFIRMATION_TTL = 2

/** Tables whose rows open an account, with their keys. What clients are given, a person allows them on the consent page. */
const CREDENTIALS = {
  personal_api_tokens: 'id',
  oauth_access_tokens: 'jti',
  passkeys: 'id',
  two_factor_secrets: 'id',
  two_factor_recovery_codes: 'id',
} as const

/** Routes of an application that make credentials: each of them, once. */
const MAKERS = [
  'POST /account/access-tokens',
  'POST /account/passkeys',
  'POST /account/tokens',
  'POST /account/two-factor/enable',
  'POST /account/two-factor/recovery-codes',
  'POST /api/tokens',
  'POST /oauth/personal-access-tokens',
]

async function shortenConfirmations() {
  const { config } = await app.container.make(SessionService)
  const original = config.confirmationTtl
  config.confirmationTtl = CONFIRMATION_TTL
  return () => {
    config.confirmationTtl = original
  }
}

const UNSAFE = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Every unsafe route, as `POST /path`. */
function unsafeRoutes() {
  const routes = Object.values(router.toJSON()).flat()
  const own = routes.filter(({ pattern }) => !pattern.startsWith('/_test'))
  return [
    ...new Set(
      own.flatMap(({ methods, pattern }) =>
        methods.filter((method) => UNSAFE.includes(method)).map((method) => `${method} ${pattern}`)
      )
    ),
  ]
}

/** Those that work. */
async function credentialsOf(): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const [table, key] of Object.entries(CREDENTIALS)) {
    const rows = await db.from(table)
    rows.forEach((row) => row.revoked_at ?? keys.add(`${table} ${row[key]}`))
  }
  return keys
}

async function json(response: Response): Promise<any> {
  return response.json()
}

/** Somebody who has begun everything that can be begun, and what completes each of it. */
async function person(route: string) {
  const { origin, rpId } = await usePasskeys()
  const { user, visitor } = await signedIn()
  const post = async (path: string) => json(await visitor.send(path))
  const options = await post('/account/passkeys/options')
  const { secret } = await post('/account/two-factor')
  if (route.endsWith('/recovery-codes')) {
    await turnOn(user)
  }
  const fields = () => ({
    name: 'a credential',
    abilities: ['posts:read'],
    scopes: ['posts:read'],
    ttl: 3600,
    response: new Authenticator(origin, rpId).create(options),
    code: codeOf(secret),
  })
  return { user, visitor, fields }
}

/** Those of the routes that make credentials, for people who signed in some seconds ago. */
async function makersOf(routes: readonly string[], seconds: number, { endsSession = false } = {}) {
  const makers: string[] = []
  const tick = stopClock()
  for (const route of routes) {
    const { user, visitor, fields } = await person(route)
    const before = await credentialsOf()
    tick(seconds)
    const restore = endsSession ? await endSessionsOfRequests(user) : () => {}
    const [method, pattern] = route.split(' ') as [string, string]
    const path = pattern.replace(/:\w+/g, '1')
    await visitor.request(method, path, { json: fields(), csrf: true }).finally(restore)
    if ([...(await credentialsOf())].some((key) => !before.has(key))) {
      makers.push(route)
    }
  }
  return makers.sort()
}

test.group('Routes that make credentials', (group) => {
  group.tap((one) => one.timeout(180_000))
  group.each.setup(shortenConfirmations)

  test('each makes one for a person who has just signed in', async ({ assert }) => {
    assert.deepEqual(await makersOf(unsafeRoutes(), 0), MAKERS)
  })

  test('none makes one without a fresh confirmation, by page, JSON or protocol', async ({
    assert,
  }) => {
    assert.deepEqual(await makersOf(MAKERS, CONFIRMATION_TTL), [])
  })

  test('none leaves one to a session that ended meanwhile: whoever ended it has ended what was there', async ({
    assert,
  }) => {
    /* New recovery codes open nothing that those of before did not open. */
    const replaced = ['POST /account/two-factor/recovery-codes']
    assert.deepEqual(await makersOf(MAKERS, 0, { endsSession: true }), replaced)
  })
})

test.group('Sessions that end while their requests run', () => {
  test('what they allowed a client ends', async ({ assert, cleanup }) => {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    cleanup(await endSessionsOfRequests(user))
    await assert.rejects(() => obtainCode(visitor, client), /invalid_session/)
    const grants = await db.from('oauth_grants').where({ user_id: String(user.id) })
    assert.lengthOf(grants, 1)
    assert.isNotNull(grants[0].revoked_at)
  })

  test('a device that they allowed gets nothing', async ({ assert, cleanup }) => {
    await useDevices()
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    const device = await beginDevice(client)
    cleanup(await endSessionsOfRequests(user))
    const { status } = await decideDevice(visitor, device.user_code)
    assert.equal(status, 401)
    const polled = await pollDevice(client, device.device_code)
    assert.equal(polled.body.error, 'invalid_grant')
    const [grant] = await db.from('oauth_grants').where({ user_id: String(user.id) })
    assert.isNotNull(grant.revoked_at)
  })

  test('a connected client is given no code, and stays connected', async ({ assert, cleanup }) => {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client)
    cleanup(await endSessionsOfRequests(user))
    const { status, headers } = await open(visitor, client)
    assert.equal(status, 302)
    assert.notInclude(headers.get('location'), 'code=')
    const [grant] = await db.from('oauth_grants').where({ user_id: String(user.id) })
    assert.isNull(grant.revoked_at)
  })

  test('the account that they would delete stays', async ({ assert, cleanup }) => {
    const { user, visitor } = await signedIn()
    cleanup(await endSessionsOfRequests(user))
    const fields = { json: { password: FACTORY_PASSWORD }, csrf: true }
    assert.equal((await visitor.post('/account/delete', fields)).status, 401)
    await user.refresh()
  })

  test('the address that they proposed is forgotten', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const { addresses } = app.config.get<ResolvedEmailVerificationConfig>('email_verification')
    /* After the proof, which asks for the session as well. */
    const restore = wrapForTest(addresses, 'propose', (propose) => async (...parameters) => {
      restore()
      await endSessions(user)
      return propose(...parameters)
    })
    const fields = { email: 'another@example.com', current_password: FACTORY_PASSWORD }
    const response = await visitor.send('/account/email', fields)
    assert.equal(response.status, 401)
    await user.refresh()
    assert.isNull(user.proposedEmail)
  })

  test('what a route makes ends, too, when it has asked its guard itself', async ({ assert }) => {
    const { visitor } = await signedIn()
    assert.equal((await visitor.get('/_test/settle')).status, 401)
  })
})

/** A route that asks its guard itself, and whose session ends before what it makes is settled. */
router.get('/_test/settle', async (ctx) => {
  await endSessions(await ctx.auth.use('web').authenticate())
  await ctx.authenticator.settle(() => {})
})

/** Ends all that opens the account of a person before a method of the server stores what it was asked for. */
function endBefore<Name extends string>(
  part: { [name in Name]: (...parameters: any[]) => any },
  name: Name,
  user: UserOf
) {
  const original = part[name]
  part[name] = async (...parameters) => {
    part[name] = original
    await endEverything(user)
    return original.apply(part, parameters)
  }
  return () => void (part[name] = original)
}

test.group('Tokens that end while their requests run', () => {
  /** Somebody, and a client with a token that acts for them. */
  async function holder() {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    const { access_token: token } = await obtainTokens(visitor, client)
    return { user, client, headers: { authorization: `Bearer ${token}` } }
  }

  test('a personal access token that one makes ends with it, {$self} the feature of sessions')
    .with(['beside', 'without'] as const)
    .run(async ({ assert, cleanup }, sessions) => {
      const { user, headers } = await holder()
      const manager = await authManager()
      const { config } = manager
      if (sessions === 'without') {
        const feature = manager.feature('sessions')!
        manager.registerFeature('sessions', undefined as never)
        cleanup(() => void manager.registerFeature('sessions', feature))
      }
      await configure({ default: { ...config.default, guard: 'oauth' } })
      const { personalAccessTokens } = await authorizationServer()
      cleanup(endBefore(personalAccessTokens, 'create', user))
      const fields = { name: 'a token', scopes: ['posts:read'] }
      const path = '/oauth/personal-access-tokens'
      const answer = await new Visitor().post(path, { json: fields, headers })
      assert.equal(answer.status, 401)
      assert.equal((await json(answer)).error, 'invalid_token')
      const made = await db
        .from('oauth_access_tokens')
        .where({ user_id: String(user.id), name: 'a token' })
      assert.lengthOf(made, 1)
      assert.isNotNull(made[0].revoked_at)
    })

  test('what one has allowed a client ends with it', async ({ assert, cleanup }) => {
    const { user, client, headers } = await holder()
    const { tokens } = await useConfig({ authorizationGuard: 'oauth' })
    cleanup(endBefore(tokens.grants, 'approve', user))
    const decision = { ...authorizationFields(client), approved: true }
    const answer = await new Visitor().post('/oauth/authorize', { json: decision, headers })
    assert.equal(answer.status, 401)
    const living = { user_id: String(user.id), revoked_at: null }
    assert.lengthOf(await db.from('oauth_grants').where(living), 0)
  })
})

test.group('POST /account/password', () => {
  const password = 'a secret of a stranger'
  const change = (visitor: Visitor) => {
    const fields = { current_password: FACTORY_PASSWORD, password, password_confirmation: password }
    return visitor.send('/account/password', fields)
  }

  test('a session that ends while the password is checked ends no other', async ({ assert }) => {
    const manager = await authManager()
    const users = manager.usersOf()
    const user = await UserFactory.create()
    const [visitor, owner] = [new Visitor(), new Visitor()]
    await visitor.login(user.email, FACTORY_PASSWORD)
    wrapForTest(users, 'hasPassword', (hasPassword) => async (...parameters) => {
      const isRight = await hasPassword(...parameters)
      const recovered = (await users.find(user.id))!
      await users.provider.updatePassword(recovered, 'a secret of the owner')
      await manager.accountAccess.recover(recovered, users)
      await owner.login(user.email, 'a secret of the owner')
      return isRight
    })
    const response = await change(visitor)
    assert.equal(response.status, 401)
    assert.equal((await owner.get('/api/me')).status, 200)
  })

  test('a reset before the change is written keeps the session that its owner opens then', async ({
    assert,
  }) => {
    const manager = await authManager()
    const users = manager.usersOf()
    const { user, visitor } = await signedIn()
    const owner = new Visitor()
    wrapForTest(users, 'changePassword', (changePassword) => async (...parameters) => {
      const recovered = (await users.find(user.id))!
      await users.provider.updatePassword(recovered, 'a secret of the owner')
      await manager.accountAccess.recover(recovered, users)
      await owner.login(user.email, 'a secret of the owner')
      return changePassword(...parameters)
    })
    assert.equal((await change(visitor)).status, 401)
    assert.isTrue(await isSignedIn(owner))
  })

  for (const moment of ['before', 'after'] as const) {
    test(`a reset ${moment} the change is written wins: its password stays, and no session`, async ({
      assert,
    }) => {
      const manager = await authManager()
      const users = manager.usersOf()
      const { user, visitor } = await signedIn()
      wrapForTest(users, 'changePassword', (changePassword) => async (...parameters) => {
        const reset = async () => {
          const owner = (await users.find(user.id))!
          await users.provider.updatePassword(owner, 'a secret of the owner')
          await manager.accountAccess.recover(owner, users)
        }
        moment === 'before' && (await reset())
        await changePassword(...parameters)
        moment === 'after' && (await reset())
      })
      const response = await change(visitor)
      assert.equal(response.status, 401)
      assert.equal((await visitor.get('/api/me')).status, 401)
      assert.equal((await new Visitor().login(user.email, password)).status, 401)
      assert.equal((await new Visitor().login(user.email, 'a secret of the owner')).status, 200)
    })
  }
})

test.group('POST /oauth/personal-access-tokens', (group) => {
  group.each.setup(shortenConfirmations)
  const fields = { name: 'a token', scopes: ['posts:read'] }

  test('403 confirmation_required for a session that is stale, 201 after a confirmation', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { visitor } = await person('')
    tick(CONFIRMATION_TTL)
    const make = () => visitor.send('/oauth/personal-access-tokens', fields)
    const refused = await make()
    assert.equal(refused.status, 403)
    assert.equal((await json(refused)).error, 'confirmation_required')
    await visitor.send('/confirm', { password: FACTORY_PASSWORD })
    assert.equal((await make()).status, 201)
  })

  test('a caller with a token has no confirmation to show, and is not asked for one', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { visitor } = await person('')
    const path = '/oauth/personal-access-tokens'
    const made = await json(await visitor.send(path, fields))
    tick(CONFIRMATION_TTL)
    const { config } = await authManager()
    await configure({ default: { ...config.default, guard: 'oauth' } })
    const headers = { authorization: `Bearer ${made.access_token}` }
    assert.equal((await new Visitor().post(path, { json: fields, headers })).status, 201)
  })
})
