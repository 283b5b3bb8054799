import { mock } from 'node:test'

import { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import hash from '@adonisjs/core/services/hash'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import SecurityMail from '#kit/accounts/security_mail'
import { type SecurityEvent, recordSecurityEvent } from '#kit/auth/security_events'
import { Users } from '#kit/auth/users'
import { SecurityLog } from '#kit/security_log/security_log'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { afterReplies, authManager } from '#starter/helpers/passwords'
import { interceptTokens } from '#starter/helpers/reset_tokens'
import { eventsSeenBy, mailsTo, typesSeenBy } from '#starter/helpers/security_events'
import { stopClock, travel } from '#starter/helpers/time'
import { Visitor } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const LINUX_FIREFOX = { 'user-agent': FIREFOX }

async function signIn(user: User, visitor = new Visitor()) {
  await visitor.post('/login', {
    json: { email: user.email, password: FACTORY_PASSWORD },
    headers: LINUX_FIREFOX,
    csrf: visitor.cookies.size > 0,
  })
  return visitor
}

test.group('The security log', () => {
  test('a sign-in is in the log, with its address and device', async ({ assert }) => {
    stopClock()
    const visitor = await signIn(await UserFactory.create())
    const [event] = await eventsSeenBy(visitor)
    assert.equal(event.type, 'signed_in')
    assert.equal(event.ip_address, '127.0.0.1')
    assert.deepEqual([event.browser, event.system], ['Firefox', 'Linux'])
    assert.equal(event.created_at, Date.now() / 1000)
  })

  test('the page says it in words, and is kept by no cache', async ({ assert }) => {
    const visitor = await signIn(await UserFactory.create())
    const response = await visitor.get('/account/security', { headers: PAGE })
    const text = await response.text()
    assert.include(text, 'Signed in')
    assert.include(text, 'Firefox on Linux')
    assert.include(response.headers.get('cache-control')!, 'no-store')
  })

  test('it has pages of 50 events, and shows sign-ins or changes alone', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    const manager = await authManager()
    const log = manager.feature('securityLog')!
    for (let count = 0; count < 50; count++) {
      await log.append({
        type: 'token_created',
        details: { name: `Token ${count}` },
        user,
        users: manager.usersOf(),
        ctx: await testUtils.createHttpContext(),
      })
    }
    const seen = async (query: string) =>
      (await (await visitor.get(`/account/security${query}`)).json()) as any
    const first = await seen('')
    assert.lengthOf(first.events, 50)
    assert.include(first, { page: 1, has_more: true })
    const second = await seen('?page=2')
    assert.deepEqual(
      second.events.map(({ type }: any) => type),
      ['signed_in']
    )
    assert.include(second, { page: 2, has_more: false })
    assert.lengthOf((await seen('?show=sign_ins')).events, 1)
    assert.include(await seen('?show=changes'), { has_more: false })
    const newest = await visitor.get('/account/security', { headers: PAGE })
    assert.include(await newest.text(), 'href="/account/security?page=2"')
    const page = await visitor.get('/account/security?page=2', { headers: PAGE })
    assert.include(await page.text(), 'href="/account/security?page=1"')
  })

  test('a selection goes on over its pages; new devices and ended sessions are sign-ins', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    const manager = await authManager()
    const append = async (type: 'token_created' | 'new_device' | 'sessions_ended') =>
      manager.feature('securityLog')!.append({
        ...{ type, details: { name: 'A token' }, user, users: manager.usersOf() },
        ctx: await testUtils.createHttpContext(),
      } as SecurityEvent)
    for (let count = 0; count < 51; count++) await append('token_created')
    await append('new_device')
    await append('sessions_ended')
    const typesOf = async (query: string) => {
      const response = await visitor.get(`/account/security${query}`)
      return ((await response.json()) as any).events.map(({ type }: any) => type)
    }
    assert.sameMembers(await typesOf('?show=sign_ins'), [
      'signed_in',
      'new_device',
      'sessions_ended',
    ])
    assert.deepEqual(await typesOf('?show=changes&page=2'), ['token_created'])
    const page = await visitor.get('/account/security?show=changes', { headers: PAGE })
    assert.include(await page.text(), 'href="/account/security?show=changes&amp;page=2"')
  })

  test('a deleted account leaves no event', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    const events = () => db.from('security_events').where('user_id', String(user.id))
    assert.lengthOf(await events(), 1)
    const deleted = await visitor.send('/account/delete', { password: FACTORY_PASSWORD })
    assert.equal(deleted.status, 204)
    await afterReplies()
    assert.isEmpty(await events())
  })

  test('a page that is no number, and events that are none, are refused', async ({ assert }) => {
    const visitor = await signIn(await UserFactory.create())
    assert.equal((await visitor.get('/account/security?page=1000')).status, 200)
    for (const query of ['page=0', 'page=x', 'page=1.5', 'page=1001', 'show=all', 'show=x']) {
      const response = await visitor.get(`/account/security?${query}`)
      assert.equal(response.status, 422, query)
    }
    await afterReplies()
  })

  test('a purge keeps an event for 180 days, and no longer', async ({ assert }) => {
    const user = await UserFactory.create()
    await signIn(user)
    const log = await app.container.make(SecurityLog)
    const users = (await authManager()).usersOf()
    travel(180 * 24 * 60 * 60 - 60)
    await log.purge()
    assert.lengthOf(await log.latest(user, users, 10), 1)
    travel(60)
    await log.purge()
    assert.lengthOf(await log.latest(user, users, 10), 0)
  })

  test('nobody else sees it', async ({ assert }) => {
    await signIn(await UserFactory.create())
    const other = await signIn(await UserFactory.create())
    assert.lengthOf(await eventsSeenBy(other), 1)
    const stranger = await new Visitor().get('/account/security')
    assert.equal(stranger.status, 401)
  })

  test('what a user of another provider does is not in the log of the one with the same id', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    const { provider } = (await authManager()).usersOf()
    const admins = new Users('admins', provider, hash.use())
    const ctx = await testUtils.createHttpContext()
    await recordSecurityEvent(ctx, user, 'token_created', { name: 'of an admin' }, admins)
    assert.deepEqual(await typesSeenBy(visitor), ['signed_in'])
    const log = (await authManager()).feature('securityLog') as SecurityLog
    const [event] = await log.latest(user, admins, 1)
    assert.equal(event?.type, 'token_created')
  })

  test('a new device is told by mail; the first one and a known one are not', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    let visitor = new Visitor()
    assert.deepEqual(await mailsTo(user.email, () => signIn(user, visitor)), [])

    visitor.cookies.delete('service_session')
    visitor.cookies.delete('XSRF-TOKEN')
    assert.deepEqual(await mailsTo(user.email, () => signIn(user, visitor)), [])

    visitor = new Visitor()
    const [subject] = await mailsTo(user.email, () => signIn(user, visitor))
    assert.include(subject, 'New sign-in')
    assert.deepEqual(await typesSeenBy(visitor), ['new_device', 'signed_in', 'signed_in'])
  })

  test('after a password reset every device is a new one; after a change of its own it is not', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    const password = 'another secret of mine'
    await visitor.send('/account/password', {
      current_password: FACTORY_PASSWORD,
      password,
      password_confirmation: password,
    })
    assert.notInclude(await typesSeenBy(visitor), 'new_device')

    const delivered = await interceptTokens()
    await (await authManager()).broker().sendResetLink(user.email)
    const { token } = delivered[0]!
    await new Visitor().post('/password/reset', {
      json: { email: user.email, token, password: FACTORY_PASSWORD },
    })
    visitor.cookies.delete('service_session')
    visitor.cookies.delete('XSRF-TOKEN')
    await signIn(user, visitor)
    assert.include(await typesSeenBy(visitor), 'new_device')
  })

  test('a cheaper hash that is renewed at a sign-in makes no device a new one', async ({
    assert,
    cleanup,
  }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    const { provider } = (await authManager()).usersOf()
    provider.needsRehash = () => true
    cleanup(() => {
      delete provider.needsRehash
    })
    visitor.cookies.delete('service_session')
    visitor.cookies.delete('XSRF-TOKEN')
    const subjects = await mailsTo(user.email, () => signIn(user, visitor))
    assert.deepEqual(subjects, [])
  })

  test("somebody else's known device is a new one", async ({ assert }) => {
    const [user, other] = [await UserFactory.create(), await UserFactory.create()]
    await signIn(user)
    const visitor = await signIn(other)
    await visitor.post('/logout', { csrf: true })
    const subjects = await mailsTo(user.email, () => signIn(user, visitor))
    assert.lengthOf(subjects, 1)
  })

  test('a device mark that nobody signed is none', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    await visitor.post('/logout', { csrf: true })
    visitor.cookies.set('known_device', `${visitor.cookies.get('known_device')}x`)
    assert.lengthOf(await mailsTo(user.email, () => signIn(user, visitor)), 1)
  })

  test('a changed password is in the log and told by mail', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    const [subject] = await mailsTo(user.email, () =>
      visitor.send('/account/password', {
        current_password: FACTORY_PASSWORD,
        password: 'quite another secret',
        password_confirmation: 'quite another secret',
      })
    )
    assert.include(subject, 'password was changed')
    assert.include(await typesSeenBy(visitor), 'password_changed')
  })

  test('a reset password is in the log and told by mail', async ({ assert }) => {
    const user = await UserFactory.create()
    const tokens = await interceptTokens()
    await new Visitor().post('/password/email', { json: { email: user.email } })
    await afterReplies()
    const subjects = await mailsTo(user.email, () =>
      new Visitor().post('/password/reset', {
        json: { ...tokens[0], password: FACTORY_PASSWORD },
      })
    )
    assert.lengthOf(subjects, 1)
    assert.include(await typesSeenBy(await signIn(user)), 'password_changed')
  })

  test('tokens that are created and revoked are in the log by name, without the secret', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    let id: unknown
    const subjects = await mailsTo(user.email, async () => {
      const response = await visitor.send('/api/tokens', {
        name: 'Laptop',
        abilities: ['posts:read'],
      })
      id = ((await response.json()) as any).id
      await visitor.request('DELETE', `/api/tokens/${id}`, { csrf: true })
    })
    assert.lengthOf(subjects, 1)
    const [revoked, created] = await eventsSeenBy(visitor)
    assert.deepEqual([revoked.type, revoked.details], ['token_revoked', { name: 'Laptop' }])
    assert.deepEqual([created.type, created.details], ['token_created', { name: 'Laptop' }])
  })

  test('registering is an event for code, too', async ({ assert, cleanup }) => {
    const heard: SecurityEvent<'registered'>[] = []
    const stop = emitter.on('auth:registered', (event) => void heard.push(event))
    cleanup(() => stop())
    const email = `${crypto.randomUUID()}@example.com`
    const visitor = new Visitor()
    await visitor.post('/register', {
      json: { email, password: 'a secret of mine', password_confirmation: 'a secret of mine' },
    })
    assert.equal(heard[0]?.user.email, email)
    assert.equal(heard[0]?.users.name, 'users')
    await visitor.post('/login', { json: { email, password: 'a secret of mine' } })
    assert.deepEqual(await typesSeenBy(visitor), ['signed_in', 'registered'])
  })

  test('deleting the account deletes its log, and says so by mail', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    const subjects = await mailsTo(user.email, () =>
      visitor.send('/account/delete', { password: FACTORY_PASSWORD })
    )
    assert.lengthOf(subjects, 1)
    const manager = await authManager()
    assert.isFalse(await manager.feature('securityLog')!.hasSignIns(user, manager.usersOf()))
  })

  test('a log that fails refuses nobody, calls no device new, and operators hear of it', async ({
    assert,
    cleanup,
  }) => {
    const manager = await authManager()
    const log = manager.feature('securityLog')!
    cleanup(() => void manager.registerFeature('securityLog', log))
    const lines: string[] = []
    const spy = mock.method(Logger.prototype, 'error', (_: unknown, message: string) =>
      lines.push(message)
    )
    cleanup(() => spy.mock.restore())
    const types: string[] = []
    cleanup(emitter.on('auth:security_event', ({ type }) => void types.push(type)))
    manager.registerFeature('securityLog', {
      append: () => Promise.reject(new Error('The disk is full')),
      hasSignIns: () => Promise.reject(new Error('The disk is full')),
      forget: () => Promise.resolve(),
    })
    const visitor = await signIn(await UserFactory.create())
    const me = await visitor.get('/api/me')
    assert.equal(me.status, 200)
    assert.deepEqual(types, ['signed_in'])
    assert.deepEqual(lines, ['Cannot read the security log', 'Cannot log a security event'])
  })

  test('the mail of {type} leads to {path}')
    .with([
      /* Somebody else may have the account: its pages help its owner no more. */
      { type: 'password_changed', path: '/password/forgot' },
      { type: 'email_change_requested', path: '/password/forgot' },
      { type: 'email_changed', path: '/' },
      { type: 'account_deleted', path: '/' },
      { type: 'passkey_added', path: '/account/security' },
    ] as const)
    .run(async ({ assert }, { type, path }) => {
      const user = await UserFactory.create()
      const users = (await authManager()).usersOf()
      const ctx = await testUtils.createHttpContext()
      const mail = new SecurityMail({
        type,
        details: { name: 'x', from: user.email, to: user.email },
        user,
        users,
        ctx,
      })
      await mail.buildWithContents()
      const text = mail.message.toObject().message.text as string
      assert.include(text.split(/\s+/), new URL(path, process.env.APP_URL).href)
    })

  test('the mail of an event goes to the owner of the account, whatever its details are called', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const details = { from: '+1 555 0100', to: '+1 555 0199' }
    const users = (await authManager()).usersOf()
    const ctx = await testUtils.createHttpContext()
    const mail = new SecurityMail({ type: 'phone_changed' as any, details, user, users, ctx })
    await mail.buildWithContents()
    assert.isTrue(mail.message.hasTo(user.email))
    assert.isFalse(mail.message.hasTo(details.from))
  })

  test('every event has words', async ({ assert }) => {
    const visitor = await signIn(await UserFactory.create())
    const page = await visitor.get('/account/security', { headers: PAGE })
    assert.notInclude(await page.text(), 'translation missing')
  })
})
