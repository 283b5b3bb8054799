import { Session } from '@adonisjs/session'
import { HttpContextFactory, RequestFactory } from '@adonisjs/core/factories/http'
import emitter from '@adonisjs/core/services/emitter'
import hash from '@adonisjs/core/services/hash'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'

import { defineConfig as defineAuthConfig } from '#kit/auth/define_config'
import { AuthManager } from '#kit/auth/manager'
import { Users } from '#kit/auth/users'
import { defineConfig } from '#kit/session/define_config'
import { SessionGuard } from '#kit/session/guard'
import { RequestSession } from '#kit/session/request_session'
import { SafeValues, SessionValues } from '#kit/session/session_values'
import { MAX_DATA_BYTES, SessionService } from '#kit/session/session_service'
import { MemorySessionStore } from '#kit/session/store'
import { pickTyped } from '#kit/session/typed_fields'
import { heapAfterShortCollections } from '#starter/helpers/heap'
import { stopClock, travel } from '#starter/helpers/time'

function createService(options?: { strict: boolean }) {
  const manager = new AuthManager(defineAuthConfig({ guards: {}, providers: {} }), hash.use())
  const store = new MemorySessionStore()
  return new SessionService(defineConfig(), manager, store, emitter, options)
}

/** Lets a request bring the cookie of a session. */
function bring(ctx: HttpContext, id: string) {
  ctx.request.request.headers.cookie = `service_session=${id}`
  ctx.request.cookie = (name: string) => (name === 'service_session' ? id : null)
}

async function open(ctx: HttpContext = new HttpContextFactory().create(), options?: any) {
  await RequestSession.open(ctx, createService(options))
  return RequestSession.of(ctx)
}

/** Methods of AdonisJS's session that do not touch its private store. */
const INDEPENDENT = [
  'constructor',
  'shouldFlashValue',
  'cleanupFlashData',
  'flashErrors',
  'flashValidationErrors',
  'supportsTagging',
  'tag',
  'untag',
]

test.group('Session values', () => {
  test("every method of AdonisJS's session that uses its private store is overridden", ({
    assert,
  }) => {
    const overridden = [SessionValues, RequestSession].flatMap((type) =>
      Object.getOwnPropertyNames(type.prototype)
    )
    const members = Object.getOwnPropertyNames(Session.prototype)
    const missing = members.filter((name) => ![...INDEPENDENT, ...overridden].includes(name))
    assert.deepEqual(missing, [], 'override them in session_values.ts, or list them here')
  })

  for (const key of [
    '__proto__.polluted',
    'a.__proto__.polluted',
    'a[__proto__].polluted',
    'a["__proto__"].polluted',
    'constructor.prototype.polluted',
    'a.constructor',
    'prototype',
    '__proto__',
  ]) {
    test(`no method takes the key ${key}`, async ({ assert }) => {
      const session = await open()
      session.put('a', {})
      const calls: (() => unknown)[] = [
        () => session.put(key, 1),
        () => session.get(key),
        () => session.has(key),
        () => session.forget(key),
        () => session.pull(key),
        () => session.increment(key),
        () => session.decrement(key),
        () => session.flash(key, 1),
        () => session.responseFlashMessages.set(key, 1),
        () => session.responseFlashMessages.merge(JSON.parse('{"a":{"__proto__":{"polluted":1}}}')),
        () => session.flash(JSON.parse('{"__proto__":{"polluted":1}}')),
        () => session.flashMessages.get(['a', '__proto__', 'polluted']),
      ]
      for (const call of calls) {
        assert.throws(
          call,
          /^A session key cannot have "(__proto__|constructor|prototype)" in its path$/
        )
      }
      assert.isUndefined(({} as any).polluted)
    })
  }

  test('keys that only look alike are taken', async ({ assert }) => {
    const session = await open()
    session.put('constructors.prototype_of', 1)
    assert.equal(session.get('constructors.prototype_of'), 1)
    const values = new SafeValues({})
    values.set(['a.b', 'c'] as any, 2)
    assert.equal(values.get(['a.b', 'c']), 2)
  })

  test('data that was read pollutes nothing', async ({ assert }) => {
    const service = createService()
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},' +
        '"__flash__":{"__proto__":{"polluted":1},"email":"a"},"cart":{"__proto__":{"polluted":1}}}'
    )
    const { id } = await service.start(hostile)
    const ctx = new HttpContextFactory().create()
    bring(ctx, id)
    await RequestSession.open(ctx, service)
    const session = RequestSession.of(ctx)
    session.reflash()
    session.put('cart.items', 1)
    session.flash({ note: 'x' })
    assert.equal(session.responseFlashMessages.get('note'), 'x')
    await session.commit()
    assert.isUndefined(({} as any).polluted)
    assert.equal(session.flashMessages.get('email'), 'a')
  })

  test('data moves to a login of the same user alone: an equal id at another guard is somebody else', async ({
    assert,
  }) => {
    const session = await open()
    await session.login({ userId: '5', guard: 'web' })
    session.put('cart', 'full')
    await session.login({ userId: '5', guard: 'web' })
    assert.equal(session.get('cart'), 'full')
    await session.login({ userId: '5', guard: 'staff' })
    assert.isUndefined(session.get('cart'))
  })

  test('flash messages are kept for another request: all, some, or all but some', async ({
    assert,
  }) => {
    const session = await open()
    session.flashMessages.update({ sent: 'yes', email: 'a', note: 'n' })
    const kept = () => session.responseFlashMessages.get('reflashed')
    session.reflash()
    assert.deepEqual(kept(), { sent: 'yes', email: 'a', note: 'n' })
    session.reflashOnly(['sent'])
    assert.deepEqual(kept(), { sent: 'yes' })
    session.reflashExcept(['sent', 'note'])
    assert.deepEqual(kept(), { email: 'a' })
  })

  test('a session knows whether it has values, and whether they have changed', async ({
    assert,
  }) => {
    const session = await open()
    assert.isTrue(session.initiated)
    assert.isFalse(session.readonly)
    assert.isTrue(session.isEmpty)
    assert.isFalse(session.hasBeenModified)
    session.increment('visits', 3)
    session.decrement('visits')
    assert.deepEqual(session.all(), { visits: 2 })
    assert.isFalse(session.isEmpty)
    assert.isTrue(session.hasBeenModified)
    assert.equal(session.pull('visits'), 2)
    session.put('cart', 1)
    session.clear()
    assert.isTrue(session.isEmpty)
  })

  test('a request that brings no cookie is missing a session', async ({ assert }) => {
    const session = await open()
    assert.equal(session.absence, 'missing')
  })

  test('a confirmation has a name that processes of another version know', async ({ assert }) => {
    const session = await open()
    await session.confirm()
    assert.isNumber(session.get('confirmed_at'))
  })

  test('the address to return to has at most 2500 characters, and is one of this application', async ({
    assert,
  }) => {
    const session = await open()
    for (const url of [`/${'x'.repeat(2500)}`, 'https://evil.example', 'posts']) {
      session.setIntendedUrl(url)
      assert.isNull(session.getIntendedUrl())
    }
    const longest = `/${'x'.repeat(2499)}`
    session.setIntendedUrl(longest)
    assert.equal(session.getIntendedUrl(), longest)
  })

  test('the address to return to is given once', async ({ assert }) => {
    const session = await open()
    assert.isNull(session.pullIntendedUrl())
    session.setIntendedUrl('/posts')
    assert.equal(session.getIntendedUrl(), '/posts')
    assert.equal(session.pullIntendedUrl(), '/posts')
    assert.isNull(session.getIntendedUrl())
  })
})

test.group('The id of a session', () => {
  test('is empty and fresh for a guest without a record', async ({ assert }) => {
    const session = await open()
    assert.deepEqual(
      [session.sessionId, session.fresh, session.hasRegeneratedSession],
      ['', true, false]
    )
  })

  test('is fresh after every change, and regenerated where a cookie brought another one', async ({
    assert,
  }) => {
    const service = createService()
    const { id } = await service.start({ cart: 1 })
    const ctx = new HttpContextFactory().create()
    bring(ctx, id)
    await RequestSession.open(ctx, service)
    const session = RequestSession.of(ctx)
    assert.isNull(session.absence)
    assert.deepEqual(
      [session.sessionId, session.fresh, session.hasRegeneratedSession],
      [id, false, false]
    )
    await session.rotate()
    assert.notEqual(session.sessionId, id)
    assert.deepEqual([session.fresh, session.hasRegeneratedSession], [true, true])
    assert.equal(session.get('cart'), 1)
  })

  test('without an open session there is none to ask', ({ assert }) => {
    const ctx = new HttpContextFactory().create()
    const message = /^There are no sessions: register AuthSessionProvider, and keep/
    assert.throws(() => RequestSession.of(ctx), message)
    assert.throws(() => RequestSession.liveOf(ctx), message)
    assert.isUndefined(RequestSession.find(ctx))
    assert.isNull(RequestSession.existing(ctx))
  })
})

test.group('A form that waits for a sign-in', () => {
  /** What a request of this page reads of a form that was kept for `/posts/create`. */
  async function shown(
    url: string,
    { method = 'GET', seconds = 0, leadsTo = '', ends = false } = {}
  ) {
    const service = createService()
    const ctx = new HttpContextFactory().create()
    ctx.request.setInitialBody({ title: 'Hello', password: 'secret', note: 'x' })
    await RequestSession.open(ctx, service)
    RequestSession.of(ctx).keepForm('/posts/create')
    await RequestSession.of(ctx).commit()
    const { id } = RequestSession.of(ctx).live!

    if (seconds) travel(seconds)
    const request = new RequestFactory().merge({ url, method }).create()
    const next = new HttpContextFactory().merge({ request }).create()
    bring(next, id)
    await RequestSession.open(next, service)
    const { flashMessages } = RequestSession.of(next)
    leadsTo && next.response.redirect().toPath(leadsTo)
    ends && (await RequestSession.of(next).invalidate())
    await RequestSession.of(next).commit()
    return { typed: flashMessages.all(), left: RequestSession.of(next).has('kept_form') }
  }

  test('is shown on its page once, without secrets', async ({ assert }) => {
    const typed = { title: 'Hello', note: 'x' }
    assert.deepEqual(await shown('/posts/create?tab=1'), { typed, left: false })
  })

  test('is kept while other pages are shown', async ({ assert }) => {
    assert.deepEqual(await shown('/posts'), { typed: {}, left: true })
    const sent = await shown('/posts/create', { method: 'POST' })
    assert.deepEqual(sent, { typed: {}, left: true })
  })

  test('is kept while its page leads to another one', async ({ assert }) => {
    const { left } = await shown('/posts/create', { leadsTo: '/workspaces' })
    assert.isTrue(left)
  })

  test('is gone with its session, wherever the page that ends it leads', async ({ assert }) => {
    const { left } = await shown('/posts/create', { leadsTo: '/login', ends: true })
    assert.isFalse(left)
  })

  test('is gone after half an hour', async ({ assert }) => {
    stopClock()
    const typed = { title: 'Hello', note: 'x' }
    assert.deepEqual(await shown('/posts/create', { seconds: 1799 }), { typed, left: false })
    assert.deepEqual(await shown('/posts/create', { seconds: 1 }), { typed, left: false })
    assert.deepEqual(await shown('/posts/create', { seconds: 1800 }), { typed: {}, left: false })
  })
})

test.group('What was typed', () => {
  test('a field of up to 1 KiB of JSON is kept', ({ assert }) => {
    const fields = { fits: 'x'.repeat(1022), large: 'x'.repeat(1023), count: 5, list: [['a']] }
    const { large, ...kept } = fields
    assert.deepEqual(pickTyped(fields, Object.keys(fields)), kept)
    assert.deepEqual(pickTyped(fields, ['constructor', 'absent', 'count']), { count: 5 })
  })

  test('no secret and no large field is kept, at any depth', ({ assert }) => {
    const input = {
      email: 'ann@example.com',
      password: 'p',
      password_confirmation: 'p',
      passphrase: 'p',
      _token: 't',
      apiSecret: 's',
      otp: '123456',
      code: '654321',
      recovery_code: 'abcd-efgh',
      mail_code: '135246',
      note: 'x'.repeat(1025),
      choices: ['a', 'b'],
      card: { holder: 'Ann', cvc: '123' },
    }
    assert.deepEqual(pickTyped(input, Object.keys(input)), {
      email: 'ann@example.com',
      choices: ['a', 'b'],
      card: { holder: 'Ann' },
    })
  })

  test('fields are known from the validators of the request, those of groups too', async ({
    assert,
  }) => {
    const ctx = new HttpContextFactory().create()
    const session = await open(ctx)
    const validator = vine.create(
      vine
        .object({ email: vine.string().email() })
        .merge(vine.group([vine.group.if(() => true, { company: vine.string() })]))
    )
    const body = { email: 'no address', company: 'x', extra: 'y', __proto_: 'z' }
    ctx.request.setInitialBody(body)
    session.flashAll()
    assert.deepEqual(session.responseFlashMessages.get('input'), {})
    await ctx.request.tryValidateUsing(validator)
    session.flashAll()
    assert.deepEqual(session.responseFlashMessages.get('input'), {
      email: 'no address',
      company: 'x',
    })
    session.flashExcept(['email'])
    assert.deepEqual(session.responseFlashMessages.get('input'), { company: 'x' })
    session.flashOnly(['extra'])
    assert.deepEqual(session.responseFlashMessages.get('input'), { extra: 'y' })
  })
})

test.group('Size of session data', () => {
  test('data that is too large is not written, and what was there stays', async ({ assert }) => {
    const ctx = new HttpContextFactory().create()
    const lines: unknown[] = []
    ctx.logger.error = ((details: unknown) => lines.push(details)) as any
    const session = await open(ctx)
    session.put('large', 'x'.repeat(MAX_DATA_BYTES))
    await session.commit()
    assert.isNull(session.live)
    assert.deepEqual(lines, [{ bytes: 65_536 + '{"large":""}'.length }])
    await session.csrfToken()
    assert.deepEqual(session.live!.record.data, {})
  })

  test('in development it is an error', async ({ assert }) => {
    const session = await open(undefined, { strict: true })
    session.put('large', 'x'.repeat(MAX_DATA_BYTES))
    await assert.rejects(() => session.commit(), /^A session holds at most 65536 bytes/)
  })

  test('data of the largest size is written', async ({ assert }) => {
    const session = await open(undefined, { strict: true })
    session.put('large', 'x'.repeat(MAX_DATA_BYTES - '{"large":""}'.length))
    await session.commit()
    assert.isNotNull(session.live)
  })
})

test.group('The session of a request', () => {
  test('is garbage when the request is, without a full collection, also where it has told who calls', async ({
    assert,
  }) => {
    const service = createService()
    const provider: any = {
      retrieveById: async (id: string) => ({ id }),
      getIdentifier: (user: { id: string }) => user.id,
      isActive: () => true,
    }
    const users = new Users('users', provider, hash)
    const { id } = await service.start({}, { userId: '1', guard: 'web' })
    const before = heapAfterShortCollections()
    for (let request = 0; request < 500; request++) {
      const ctx = new HttpContextFactory().create()
      Object.assign(ctx, { weight: Array.from({ length: 5000 }, (_, index) => index) })
      bring(ctx, id)
      await RequestSession.open(ctx, service)
      const { user } = await new SessionGuard('web', users, ctx, service).resolve()
      assert.deepEqual(user, { id: '1' })
    }
    /* All of them weigh over 30 MB; what AdonisJS makes for a test stays for longer. */
    assert.isBelow(heapAfterShortCollections() - before, 20_000_000)
  })
})
