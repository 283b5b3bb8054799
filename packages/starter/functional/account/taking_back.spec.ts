import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import { endEverything } from '#kit/accounts/ending'
import { ApiToken } from '#kit/api_token/facade'
import VerifyAddressMail from '#kit/email_verification/verify_address_mail'
import {
  type TestClient,
  isolate,
  obtainCode,
  obtainTokens,
  opens,
  postToken,
  redemption,
  refreshing,
  registerClient,
} from '#starter/helpers/oauth'
import { usePasskeys } from '#starter/helpers/passkeys'
import { Authenticator } from '#starter/helpers/software_authenticator'
import { authManager } from '#starter/helpers/passwords'
import { wrapForTest } from '#starter/helpers/replace'
import { interceptTokens } from '#starter/helpers/reset_tokens'
import { typesSeenBy } from '#starter/helpers/security_events'
import { linkOf } from '#starter/helpers/sent_links'
import { turnOn } from '#starter/helpers/two_factor'
import { travel } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const OLD_PASSWORD = 'a secret of a stranger'
const NEW_PASSWORD = 'a secret of the owner'

const uniqueAddress = () => `${crypto.randomUUID()}@example.com`

async function json(response: Response): Promise<any> {
  return response.json()
}

/** Somebody who has registered an address, with every way into the account that there is. */
async function prepare(client: TestClient) {
  const { origin, rpId } = await usePasskeys()
  const email = uniqueAddress()
  const visitor = new Visitor()
  const fields = { email, password: OLD_PASSWORD, password_confirmation: OLD_PASSWORD }
  await visitor.post('/register', { json: fields })
  await visitor.login(email, OLD_PASSWORD)

  const authenticator = new Authenticator(origin, rpId)
  const options = await json(await visitor.send('/account/passkeys/options'))
  await visitor.send('/account/passkeys', { name: 'key', response: authenticator.create(options) })
  const abilities = ['posts:read']
  const apiToken = await json(await visitor.send('/api/tokens', { name: 'a token', abilities }))
  const personal = await json(
    await visitor.send('/oauth/personal-access-tokens', { name: 'another', scopes: abilities })
  )
  const granted = await obtainTokens(visitor, client)
  const code = await obtainCode(visitor, client)
  await visitor.send('/account/email', {
    email: uniqueAddress(),
    current_password: OLD_PASSWORD,
  })
  return { email, visitor, authenticator, apiToken, personal, granted, code }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/** What still works of it. */
async function whatWorks(prepared: Prepared, client: TestClient) {
  const { email, visitor, authenticator, apiToken, personal, granted, code } = prepared
  const browser = new Visitor()
  const options = await json(await browser.send('/login/passkey/options'))
  const passkey = await browser.send('/login/passkey', { response: authenticator.get(options) })
  const works = {
    session: (await visitor.get('/api/me')).status === 200,
    password: (await new Visitor().login(email, OLD_PASSWORD)).status === 200,
    passkey: passkey.status === 200,
    apiToken: await opens(apiToken.token),
    personalToken: await opens(personal.access_token),
    accessToken: await opens(granted.access_token),
    code: (await postToken(redemption(client, code))).status === 200,
    refreshToken: (await postToken(refreshing(client, granted.refresh_token))).status === 200,
    proposal: (await User.findByOrFail({ email })).proposedEmail !== null,
  }
  return Object.entries(works).flatMap(([name, isWorking]) => (isWorking ? [name] : []))
}

async function reset(email: string, visitor = new Visitor(), page = false) {
  const delivered = await interceptTokens()
  await (await authManager()).broker().sendResetLink(email)
  const fields = { email, token: delivered.at(-1)!.token, password: NEW_PASSWORD }
  return page
    ? visitor.post('/password/reset', { form: fields, headers: PAGE })
    : visitor.post('/password/reset', { json: fields })
}

async function ownerOf(email: string) {
  const owner = new Visitor()
  await owner.login(email, NEW_PASSWORD)
  return owner
}

test.group('A password reset where the address was not verified', (group) => {
  group.each.setup(() => isolate())

  test('ends all that was prepared, and verifies the address', async ({ assert }) => {
    const client = await registerClient()
    const prepared = await prepare(client)
    const response = await reset(prepared.email)
    assert.equal(await response.text(), JSON.stringify({ status: 'password reset' }))
    assert.deepEqual(await whatWorks(prepared, client), [])

    const user = await User.findByOrFail({ email: prepared.email })
    assert.isNotNull(user.emailVerifiedAt)
    const owner = await ownerOf(prepared.email)
    const types = await typesSeenBy(owner)
    assert.includeMembers(types, ['password_changed', 'email_verified', 'access_ended'])
    assert.deepEqual(await json(await owner.get('/account/access')), { access: [] })
  })

  test('ends the second factor, which would lock the owner out', async ({ assert }) => {
    const user = await UserFactory.create()
    await turnOn(user)
    await reset(user.email)
    const login = await new Visitor().login(user.email, NEW_PASSWORD)
    assert.property(await json(login), 'user')
  })

  test('ends what a slow request of an old session makes while it runs', async ({ assert }) => {
    const manager = await authManager()
    const users = manager.usersOf()
    const user = await UserFactory.merge({ emailVerifiedAt: null }).create()
    const verification = manager.feature('emailVerification')!
    const session = new Visitor()
    wrapForTest(verification, 'markVerified', (markVerified) => async (...parameters) => {
      await session.login(user.email, FACTORY_PASSWORD)
      await ApiToken.create(user)
      return markVerified(...parameters)
    })
    await manager.accountAccess.recover(user, users)
    assert.equal((await session.get('/api/me')).status, 401)
    assert.isEmpty(await ApiToken.tokens(user))
  })

  test('ends nothing of anybody else', async ({ assert }) => {
    const client = await registerClient()
    const other = await prepare(client)
    await reset((await prepare(client)).email)
    assert.lengthOf(await whatWorks(other, client), 9)
  })
})

test.group('A password reset where the address was verified', (group) => {
  group.each.setup(() => isolate())

  async function verified(client: TestClient) {
    const prepared = await prepare(client)
    const user = await User.findByOrFail({ email: prepared.email })
    await user.merge({ emailVerifiedAt: Date.now() }).save()
    return prepared
  }

  test('ends sessions and the proposed address; tokens and passkeys are the owner’s to end', async ({
    assert,
  }) => {
    const client = await registerClient()
    const prepared = await verified(client)
    await reset(prepared.email)
    assert.deepEqual(await whatWorks(prepared, client), [
      'passkey',
      'apiToken',
      'personalToken',
      'accessToken',
      'code',
      'refreshToken',
    ])
  })

  test('the person is shown what still works when they sign in, and ends it with one click', async ({
    assert,
  }) => {
    const client = await registerClient()
    const prepared = await verified(client)
    const owner = new Visitor()
    const response = await reset(prepared.email, owner, true)
    assert.equal(response.headers.get('location'), '/login')
    const login = await owner.post('/login', {
      form: { email: prepared.email, password: NEW_PASSWORD, _token: owner.csrfToken },
      headers: PAGE,
    })
    assert.equal(login.headers.get('location'), '/account/access')
    const page = await (await owner.get('/account/access', { headers: PAGE })).text()
    for (const words of [
      '1 passkey',
      '1 API token',
      '1 personal access token',
      '1 connected app',
    ]) {
      assert.include(page, words)
    }

    const ended = await owner.post('/account/access/end', {
      form: { _token: owner.csrfToken },
      headers: PAGE,
    })
    assert.equal(ended.headers.get('location'), '/account/access')
    assert.deepEqual(await whatWorks(prepared, client), [])
    assert.equal((await owner.get('/api/me')).status, 200)
    const after = await (await owner.get('/account/access', { headers: PAGE })).text()
    assert.include(after, 'Your password alone opens your account')
  })

  test('ending it ends the sessions that came by it since, and keeps that of this browser', async ({
    assert,
  }) => {
    const client = await registerClient()
    const prepared = await verified(client)
    await reset(prepared.email)
    const owner = await ownerOf(prepared.email)
    const stranger = new Visitor()
    const options = await json(await stranger.send('/login/passkey/options'))
    const answer = { response: prepared.authenticator.get(options) }
    assert.equal((await stranger.send('/login/passkey', answer)).status, 200)
    assert.deepEqual(await json(await owner.send('/account/access/end')), { ended: 4 })
    assert.equal((await stranger.get('/api/me')).status, 401)
    assert.equal((await owner.get('/api/me')).status, 200)
  })

  test('the second factor goes on: it guards the account', async ({ assert }) => {
    const user = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    await turnOn(user)
    await reset(user.email)
    const login = await new Visitor().login(user.email, NEW_PASSWORD)
    assert.deepEqual(await json(login), { two_factor: true })
  })

  test('a person with nothing else goes to their account', async ({ assert }) => {
    const { email } = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    const owner = new Visitor()
    await reset(email, owner, true)
    const login = await owner.post('/login', {
      form: { email, password: NEW_PASSWORD, _token: owner.csrfToken },
      headers: PAGE,
    })
    assert.equal(login.headers.get('location'), '/account')
  })

  test('programs read it as JSON, and end it; nobody without a session does', async ({
    assert,
  }) => {
    const client = await registerClient()
    const { visitor } = await verified(client)
    assert.deepEqual(await json(await visitor.get('/account/access')), {
      access: [
        { name: 'api_tokens', count: 1 },
        { name: 'access_tokens', count: 1 },
        { name: 'connected_apps', count: 1 },
        { name: 'passkeys', count: 1 },
      ],
    })
    assert.equal((await visitor.post('/account/access/end', { json: {} })).status, 403)
    assert.deepEqual(await json(await visitor.send('/account/access/end')), { ended: 4 })
    assert.equal((await new Visitor().get('/account/access')).status, 401)
    assert.equal((await new Visitor().post('/account/access/end')).status, 401)
  })

  test('a session from before ends them all together after a proof, as it does one by one', async ({
    assert,
  }) => {
    const { visitor } = await verified(await registerClient())
    travel(1000)
    const refused = await visitor.send('/account/access/end')
    assert.equal(refused.status, 403)
    assert.equal((await json(refused)).error, 'confirmation_required')
    await visitor.send('/confirm', { password: OLD_PASSWORD })
    assert.deepEqual(await json(await visitor.send('/account/access/end')), { ended: 4 })
  })
})

test.group('An owner who verifies their address', (group) => {
  group.each.setup(() => isolate())

  test('keeps the session of this browser, and all that was made before ends', async ({
    assert,
  }) => {
    const client = await registerClient()
    const prepared = await prepare(client)
    const owner = new Visitor()
    await owner.login(prepared.email, OLD_PASSWORD)
    const path = await linkOf(VerifyAddressMail, () => owner.send('/email/verify'))
    assert.equal((await owner.send(path)).status, 200)
    assert.deepEqual(await whatWorks(prepared, client), ['password', 'proposal'])
    assert.equal((await owner.get('/api/me')).status, 200)
  })

  test('who arrives in another way, e.g. with a provider, ends the password and the proposal, too', async ({
    assert,
  }) => {
    const client = await registerClient()
    const prepared = await prepare(client)
    const manager = await authManager()
    const user = await User.findByOrFail({ email: prepared.email })
    const arrive = () =>
      manager.accountAccess.firstArrival(user, manager.usersOf(), new HttpContextFactory().create())
    assert.isTrue(await arrive())
    assert.deepEqual(await whatWorks(prepared, client), [])
    await user.refresh()
    const { password } = user
    assert.isFalse(await arrive())
    await user.refresh()
    assert.equal(user.password, password)
  })

  test('ends what a slow request of an old session makes while they arrive', async ({ assert }) => {
    const manager = await authManager()
    const user = await UserFactory.merge({ emailVerifiedAt: null }).create()
    const verification = manager.feature('emailVerification')!
    wrapForTest(verification, 'markVerified', (markVerified) => async (...parameters) => {
      await ApiToken.create(user)
      return markVerified(...parameters)
    })
    const ctx = new HttpContextFactory().create()
    assert.isTrue(await manager.accountAccess.firstArrival(user, manager.usersOf(), ctx))
    assert.isEmpty(await ApiToken.tokens(user))
  })

  for (const [isVerified, what] of [
    [false, 'where none was verified before, ends what was made before'],
    [true, 'in place of a verified one, ends nothing'],
  ] as const) {
    test(`of a new address ${what}`, async ({ assert }) => {
      const { email, visitor, apiToken, granted } = await prepare(await registerClient())
      const user = await User.findByOrFail({ email })
      await user.merge({ emailVerifiedAt: isVerified ? Date.now() : null }).save()
      const change = { email: uniqueAddress(), current_password: OLD_PASSWORD }
      const path = await linkOf(VerifyAddressMail, () => visitor.send('/account/email', change))
      assert.equal((await visitor.send(path)).status, 200)
      assert.equal((await user.refresh()).email, change.email)
      assert.equal(await opens(apiToken.token), isVerified)
      assert.equal(await opens(granted.access_token), isVerified)
      assert.equal((await visitor.get('/api/me')).status, 200)
    })
  }

  test('loses nothing by a link that is opened once more', async ({ assert }) => {
    const client = await registerClient()
    const { visitor, apiToken } = await prepare(client)
    const path = await linkOf(VerifyAddressMail, () => visitor.send('/email/verify'))
    await visitor.send(path)
    assert.isFalse(await opens(apiToken.token))
    const later = await json(
      await visitor.send('/api/tokens', { name: 'later', abilities: ['posts:read'] })
    )
    assert.equal((await visitor.send(path)).status, 200)
    assert.isTrue(await opens(later.token))
  })
})

test.group('An operator who ends everything of a person', (group) => {
  group.each.setup(() => isolate())

  test('ends the token that a session makes until the last moment', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const sessions = (await authManager()).feature('sessions')!
    wrapForTest(sessions, 'destroyAllOf', (destroyAllOf) => async (...parameters) => {
      const made = await visitor.send('/api/tokens', { name: 'late', abilities: ['posts:read'] })
      assert.equal(made.status, 201)
      return destroyAllOf(...parameters)
    })
    await endEverything(user)
    assert.isEmpty(await ApiToken.tokens(user))
    assert.equal((await visitor.get('/api/me')).status, 401)
  })
})
