import emitter from '@adonisjs/core/services/emitter'
import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import User from '#models/user'
import { socialAccounts } from '#services/social_accounts'
import SessionModel from '#kit/session/models/session'
import { afterReplies, authManager } from '#starter/helpers/passwords'
import { replaceForTest, wrapForTest } from '#starter/helpers/replace'
import { mailsTo, typesSeenBy } from '#starter/helpers/security_events'
import {
  PAGE,
  accountOf,
  begin,
  configureSocial,
  identitiesOf,
  pathOf,
  person,
  refusedReasons,
  signIn,
  useSocial,
  sentBack,
} from '#starter/helpers/social'
import { travel } from '#starter/helpers/time'
import { codeOf, turnOn } from '#starter/helpers/two_factor'
import { Visitor, isSignedIn } from '#starter/helpers/visitor'
import { apple, gitlab, google, microsoft, openIdConnect } from '#kit/social/presets'
import { defineConfig } from '#kit/social/define_config'
import { leadTo } from '#kit/social/lead_on'
import { Social } from '#kit/social/social'
import type { BeginOptions, SocialProfile, SocialServices } from '#kit/social/types'

/** Begins with the options that a test gives. */
const started: { options: BeginOptions } = { options: { purpose: 'sign_in', user: null } }
router.post('/_test/social/lead', async (ctx) => {
  const { identities } = (await authManager()).feature('social')!
  return leadTo(ctx, (await identities.provider('fake'))!, started.options)
})

test.group('Signing in through a provider', () => {
  test('a new person gets an account with a verified address and is signed in', async ({
    assert,
  }) => {
    const social = await useSocial()
    const ann = person()
    const { visitor, response, answer } = await signIn(social, ann)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepInclude(answer.user, { email: ann.email, full_name: 'Ann Example' })
    assert.isTrue(await isSignedIn(visitor))
    const user = await User.findByOrFail({ email: ann.email })
    assert.isNotNull(user.emailVerifiedAt)
    assert.isTrue(user.isActive)
    assert.deepEqual(await typesSeenBy(visitor), ['signed_in', 'registered'])
  })

  test('a name of the provider that covers other lines is left out of the account', async ({
    assert,
  }) => {
    const social = await useSocial()
    const name = `Ann ${'\u0335'.repeat(9)}`
    const { answer } = await signIn(social, { ...person(), name })
    assert.isNull(answer.user.full_name)
  })

  test('an identity that is removed while its session begins opens none', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const { visitor: first } = await signIn(social, ann)
    const user = await User.findByOrFail({ email: ann.email })
    const { store } = (await authManager()).feature('sessions')!
    wrapForTest(store, 'create', (create) => async (key, record, caller) => {
      if (record.userId !== null) {
        await identitiesOf(user).delete()
      }
      return create(key, record, caller)
    })
    const { visitor, response } = await signIn(social, ann)
    assert.equal(response.status, 401)
    assert.isFalse(await isSignedIn(visitor))
    assert.isTrue(await isSignedIn(first))
  })

  test('two browsers of a new person at once are one account', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    let first: Awaited<ReturnType<typeof signIn>>
    const restore = wrapForTest(socialAccounts, 'find', (find) => async (email) => {
      restore()
      first = await signIn(social, ann)
      return find(email)
    })
    const { answer, visitor } = await signIn(social, ann)
    assert.equal(answer.user.id, first!.answer.user.id)
    assert.isTrue(await isSignedIn(visitor))
    assert.lengthOf(await identitiesOf(answer.user), 1)
  })

  test('an account that cannot be made, because something else of it is taken, is tried once', async ({
    assert,
  }) => {
    const social = await useSocial()
    const codes = ['23505', '23505', 'EOTHER']
    replaceForTest(socialAccounts, 'create', async () => {
      throw Object.assign(new Error('not made'), { code: codes.shift() })
    })
    const reasons = refusedReasons()
    const { response, visitor } = await signIn(social, person())
    assert.equal(response.status, 401)
    assert.deepEqual(reasons, ['failed'])
    assert.lengthOf(codes, 2)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('the same identity signs in to the same account', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const first = await signIn(social, ann)
    const second = await signIn(social, ann)
    assert.equal(second.answer.user.id, first.answer.user.id)
    assert.lengthOf(await identitiesOf(first.answer.user), 1)
  })

  test('a changed address at the provider changes nothing here: it is a hint', async ({
    assert,
  }) => {
    const social = await useSocial()
    const ann = person()
    const first = await signIn(social, ann)
    const { user: victim } = await accountOf(`victim-${ann.sub}@example.com`)
    const second = await signIn(social, { ...ann, email: victim.email })
    assert.equal(second.answer.user.id, first.answer.user.id)
    assert.equal(second.answer.user.email, ann.email)
    assert.equal((await identitiesOf(first.answer.user).first()).email, victim.email)
  })

  test('the same subject of another issuer is somebody else', async ({ assert }) => {
    const ann = person()
    const first = await signIn(await useSocial(), ann)
    const other = person({ sub: ann.sub })
    const second = await signIn(await useSocial(), other)
    assert.notEqual(second.answer.user.id, first.answer.user.id)
  })

  test('GitHub: the id is the subject, the primary address of its API is the address', async ({
    assert,
  }) => {
    const social = await useSocial()
    const email = `hub-${Date.now()}@example.com`
    social.provider.emails = [
      { email: 'other@example.com', primary: false, verified: true },
      { email, primary: true, verified: true },
    ]
    const octocat = { sub: '', id: Date.now(), login: 'octocat', name: 'Octo' }
    const { answer } = await signIn(social, octocat, { path: '/auth/hub' })
    assert.equal(answer.user.email, email)
    const row = await identitiesOf(answer.user).first()
    assert.equal(row.subject, String(octocat.id))
    assert.equal(row.issuer, `${social.provider.issuer}/login/oauth`)

    const renamed = { ...octocat, login: 'octodog' }
    const again = await signIn(social, renamed, { path: '/auth/hub' })
    assert.equal(again.answer.user.id, answer.user.id)
  })

  test('GitHub: a primary address that is not verified does not count', async ({ assert }) => {
    const social = await useSocial()
    const email = `hub-${Date.now()}@example.com`
    social.provider.emails = [
      { email: 'other@example.com', primary: false, verified: true },
      { email, primary: true, verified: false },
    ]
    const { answer } = await signIn(social, { sub: '', id: Date.now() }, { path: '/auth/hub' })
    assert.deepEqual(answer, { verify_address: true })
  })

  test('GitHub: an answer without an id signs nobody in', async ({ assert }) => {
    const social = await useSocial()
    const email = `hub-${Date.now()}@example.com`
    social.provider.emails = [{ email, primary: true, verified: true }]
    const { answer } = await signIn(social, { sub: '', login: 'octocat' }, { path: '/auth/hub' })
    assert.equal(answer.error, 'invalid_session')
  })

  test('a person without an address is asked to make an account here', async ({ assert }) => {
    const social = await useSocial()
    const nameless = person({ email: undefined, email_verified: undefined })
    const { response, visitor } = await signIn(social, nameless, { headers: PAGE })
    assert.equal(response.headers.get('location'), '/login')
    const page = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(page, 'Fake did not give us an e-mail address')
  })

  test('userinfo is asked for what the ID token lacks, and for nothing else', async ({
    assert,
  }) => {
    const social = await useSocial()
    const asked = () => social.provider.requests.filter(({ path }) => path === '/userinfo').length
    await signIn(social, person())
    assert.equal(asked(), 0)
    social.provider.onlyUserInfo = ['email', 'email_verified']
    const bob = person()
    const { answer } = await signIn(social, bob)
    assert.equal(answer.user.email, bob.email)
    assert.equal(asked(), 1)
  })

  test('an inactive person is not signed in', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const { answer } = await signIn(social, ann)
    await User.query().where({ id: answer.user.id }).update({ isActive: false })
    const reasons = refusedReasons()
    const { response, visitor } = await signIn(social, ann)
    assert.equal(response.status, 401)
    assert.deepEqual(reasons, ['inactive'])
    const page = await signIn(social, ann, { headers: PAGE })
    assert.equal(page.response.headers.get('location'), '/login')
    assert.isFalse(await isSignedIn(visitor))
  })
})

test.group('Signing in through a provider, as any other login', () => {
  test('whoever has a second factor is asked for it', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const first = await signIn(social, ann)
    const { secret } = await turnOn(await User.findOrFail(first.answer.user.id))
    const { visitor, answer } = await signIn(social, ann)
    assert.deepEqual(answer, { two_factor: true })
    assert.isFalse(await isSignedIn(visitor))
    const json = { code: codeOf(secret, { steps: 1 }) }
    const done = await visitor.send('/login/two-factor', json)
    assert.equal(done.status, 200)
    assert.isTrue(await isSignedIn(visitor))
  })

  for (const acceptsAmr of [true, false]) {
    test(`the provider's "mfa" ${acceptsAmr ? 'is' : 'is not'} the second factor when "acceptsAmr" is ${acceptsAmr}`, async ({
      assert,
    }) => {
      const social = await useSocial({ acceptsAmr })
      const ann = person({ amr: ['pwd', 'mfa'] })
      const first = await signIn(social, ann)
      await turnOn(await User.findOrFail(first.answer.user.id))
      const { answer, visitor } = await signIn(social, ann)
      assert.equal(await isSignedIn(visitor), acceptsAmr)
      assert.equal('two_factor' in answer, !acceptsAmr)
    })
  }

  test('the session says how: "fed", and what an accepted provider names', async ({ assert }) => {
    const methodsOf = async (id: number) => {
      const rows = await SessionModel.query().where('user_id', String(id))
      return JSON.parse(String(rows.at(-1)!.login)).methods
    }
    const ann = person({ amr: ['hwk'] })
    const { answer } = await signIn(await useSocial(), ann)
    assert.deepEqual(await methodsOf(answer.user.id), ['fed'])
    const bob = person({ amr: ['hwk'] })
    const accepted = await signIn(await useSocial({ acceptsAmr: true }), bob)
    assert.deepEqual(await methodsOf(accepted.answer.user.id), ['fed', 'hwk'])
  })

  test('a sign-in from a new browser is told by mail', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    await signIn(social, ann)
    const subjects = await mailsTo(String(ann.email), () => signIn(social, ann))
    assert.lengthOf(subjects, 1)
    assert.include(subjects[0]!, 'New sign-in')
  })

  test('auth:login is emitted', async ({ assert, cleanup }) => {
    const social = await useSocial()
    const seen: string[] = []
    cleanup(emitter.on('auth:login', ({ user }) => void seen.push(user.email)))
    const ann = person()
    await signIn(social, ann)
    await afterReplies()
    assert.deepEqual(seen, [ann.email])
  })

  test('without a provider, and without a table for those of organisations, none is offered', async ({
    assert,
  }) => {
    const notifier = { verify: () => {}, taken: () => {} }
    const config = defineConfig({ providers: {}, accounts: socialAccounts, notifier })
    const isOffered = (organisations: unknown) =>
      new Social(config, { organisations } as SocialServices).isOffered()
    assert.isFalse(await isOffered(null))
    assert.isFalse(await isOffered({ isAny: async () => false }))
    assert.isTrue(await isOffered({ isAny: async () => true }))
  })

  test('a remembered session outlives the usual one', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const { visitor } = await signIn(social, ann, { body: { remember: true } })
    const short = await signIn(social, ann)
    travel(3 * 60 * 60)
    assert.isTrue(await isSignedIn(visitor))
    assert.isFalse(await isSignedIn(short.visitor))
  })

  test('a sign-in that asks for nothing is not remembered', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const remembers = async (options: { remember?: boolean }) => {
      started.options = { purpose: 'sign_in', user: null, ...options }
      const { visitor } = await signIn(social, ann, { path: '/_test/social/lead' })
      travel(3 * 60 * 60)
      return isSignedIn(visitor)
    }
    assert.isFalse(await remembers({}))
    assert.isTrue(await remembers({ remember: true }))
  })

  for (const { what, path, expected } of [
    { what: 'a path here', path: '/account/sessions', expected: '/account/sessions' },
    { what: 'another site', path: 'https://evil.example/', expected: '/account' },
    { what: 'another site without a scheme', path: '//evil.example/', expected: '/account' },
    { what: 'a backslash', path: '/\\evil.example/', expected: '/account' },
  ]) {
    test(`return_to with ${what} leads to ${expected}`, async ({ assert }) => {
      const social = await useSocial()
      const { response } = await signIn(social, person(), {
        body: { return_to: path },
        headers: PAGE,
      })
      assert.equal(response.headers.get('location'), expected)
    })
  }
})

test.group('Pages of signing in through a provider', () => {
  for (const path of ['/login', '/register']) {
    test(`${path} has a button for each provider, and none without providers`, async ({
      assert,
    }) => {
      const before = await (await new Visitor().get(path, { headers: PAGE })).text()
      assert.notInclude(before, 'Continue with')
      await useSocial()
      const page = await (await new Visitor().get(path, { headers: PAGE })).text()
      assert.include(page, 'Continue with Fake')
      assert.include(page, 'action="/auth/hub"')
    })
  }

  test('the button leads over a page that goes on by itself', async ({ assert }) => {
    const { provider } = await useSocial()
    const visitor = new Visitor()
    await visitor.get('/login', { headers: PAGE })
    const form = { _token: visitor.csrfToken }
    const page = await visitor.post('/auth/fake', { form, headers: PAGE })
    const text = await page.text()
    assert.equal(page.status, 200)
    assert.include(text, `http-equiv="refresh" content="0;url=${provider.issuer}/authorize?`)
  })

  test('a provider that is down: the sign-in page says so, programs get 503', async ({
    assert,
  }) => {
    const { provider } = await useSocial()
    provider.faults.down = true
    const visitor = new Visitor()
    await visitor.get('/login', { headers: PAGE })
    const form = { _token: visitor.csrfToken }
    const answer = await visitor.post('/auth/fake', { form, headers: PAGE })
    assert.equal(answer.headers.get('location'), '/login')
    const page = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(page, 'Fake does not answer at the moment')
    assert.include(page, 'name="password"')
    const program = await visitor.send('/auth/fake')
    assert.equal(program.status, 503)
    assert.equal(((await program.json()) as any).error, 'temporarily_unavailable')

    provider.faults = {}
    assert.isString(await begin(visitor))
  })

  test('a provider that goes down before the answer is redeemed: the same', async ({ assert }) => {
    const { provider, visitor, callback } = await sentBack()
    provider.faults.status = 503
    const response = await visitor.get(pathOf(callback))
    assert.equal(response.status, 503)
  })

  test('somebody who says no at the provider comes back to the sign-in page', async ({
    assert,
  }) => {
    await useSocial()
    const visitor = new Visitor()
    const state = new URL(await begin(visitor)).searchParams.get('state')
    const path = `/auth/fake/callback?error=access_denied&state=${state}`
    await visitor.get(path, { headers: PAGE })
    const page = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(page, 'You did not allow Fake to sign you in')
  })

  test('an unknown provider is 404, for a person as a page', async ({ assert }) => {
    await useSocial()
    const visitor = new Visitor()
    assert.equal((await visitor.post('/auth/nobody', { json: {} })).status, 404)
    assert.equal((await visitor.get('/auth/nobody/callback')).status, 404)
    for (const [method, path] of [
      ['POST', '/auth/nobody'],
      ['GET', '/auth/nobody/callback'],
    ] as const) {
      const response = await visitor.request(method, path, { headers: PAGE })
      assert.equal(response.status, 404)
      assert.include(await response.text(), 'Page not found')
    }
  })

  test('a link from another site without cookies passes over a page of this site, which no cache keeps and no site learns of', async ({
    assert,
  }) => {
    const { provider } = await useSocial()
    const visitor = new Visitor()
    const path = pathOf(provider.authorize(await begin(visitor), person()))
    const headers = { ...PAGE, 'sec-fetch-site': 'cross-site' }
    const passed = await new Visitor().get(path, { headers })
    assert.equal(passed.headers.get('cache-control'), 'no-store')
    assert.equal(passed.headers.get('referrer-policy'), 'strict-origin')
    const page = await passed.text()
    assert.include(page, `http-equiv="refresh" content="0;url=/auth/fake/callback?`)
    const done = await visitor.get(path, { headers })
    assert.equal(done.headers.get('location'), '/account')
  })

  test('an answer as a form (Apple) goes on as a link, with the cookies', async ({ assert }) => {
    const { provider, visitor, callback } = await sentBack()
    const form = Object.fromEntries(callback.searchParams)
    const crossSite = { 'origin': provider.issuer, 'sec-fetch-site': 'cross-site' }
    const answer = await new Visitor().post('/auth/fake/callback', { form, headers: crossSite })
    assert.equal(answer.status, 303)
    const done = await visitor.get(answer.headers.get('location')!)
    assert.equal(done.status, 200)
    assert.isTrue(await isSignedIn(visitor))
  })

  test('who came back without signing in finds "remember me" as it was: {remember}')
    .with([{ remember: true }, { remember: false }])
    .run(async ({ assert }, body) => {
      await useSocial()
      const visitor = new Visitor()
      const state = new URL(await begin(visitor, '/auth/fake', body)).searchParams.get('state')!
      const cancelled = `/auth/fake/callback?error=access_denied&state=${state}`
      await visitor.get(cancelled, { headers: PAGE })
      const page = await (await visitor.get('/login', { headers: PAGE })).text()
      assert.equal(/name="remember" value="true"\s+checked/.test(page), body.remember)
    })

  test('a browser whose request was refused goes back to where it began: {page}')
    .with([
      { page: '/login', path: '/auth/fake' },
      { page: '/confirm', path: '/confirm/social/fake' },
      { page: '/account/sign-in-methods', path: '/account/sign-in-methods/link/fake' },
    ])
    .run(async ({ assert }, { page, path }) => {
      const social = await useSocial()
      const { visitor } = await signIn(social, person())
      const url = new URL(await begin(visitor, path))
      const state = url.searchParams.get('state')!
      const refused = await visitor.get(`/auth/fake/callback?error=access_denied&state=${state}`, {
        headers: PAGE,
      })
      assert.equal(refused.headers.get('location'), page)
    })
})

test.group('Confirming through a provider', () => {
  async function stale(visitor: Visitor) {
    travel(16 * 60)
    return visitor.get('/account/sign-in-methods')
  }

  test('a fresh sign-in at the provider confirms', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const { visitor } = await signIn(social, ann)
    assert.equal((await stale(visitor)).status, 403)
    const page = await (await visitor.get('/confirm', { headers: PAGE })).text()
    assert.include(page, 'formaction="/confirm/social/fake"')
    assert.notInclude(page, '/confirm/social/hub')

    const url = await begin(visitor, '/confirm/social/fake')
    assert.equal(new URL(url).searchParams.get('max_age'), '0')
    const now = Math.floor(Date.now() / 1000)
    const callback = social.provider.authorize(url, { ...ann, auth_time: now })
    const response = await visitor.get(pathOf(callback))
    assert.deepEqual(await response.json(), { status: 'confirmed' })
    assert.equal((await visitor.get('/account/sign-in-methods')).status, 200)
  })

  for (const { what, claims, why } of [
    { what: 'a sign-in there of an hour ago', claims: { auth_time: -3600 }, why: 'failed' },
    { what: 'a sign-in there whose time is not told', claims: {}, why: 'failed' },
    {
      what: 'somebody else there',
      claims: { auth_time: 0, sub: 'somebody else' },
      why: 'other_person',
    },
  ]) {
    test(`${what} does not`, async ({ assert }) => {
      const social = await useSocial()
      const ann = person()
      const { visitor } = await signIn(social, ann)
      await stale(visitor)
      const now = Math.floor(Date.now() / 1000)
      const { auth_time: ago, ...others } = claims as { auth_time?: number }
      const who = { ...ann, ...(ago !== undefined && { auth_time: now + ago }), ...others }
      const reasons = refusedReasons()
      const { response } = await signIn(social, who, { visitor, path: '/confirm/social/fake' })
      assert.equal(response.status, 401)
      assert.deepEqual(reasons, [why])
      assert.equal((await visitor.get('/account/sign-in-methods')).status, 403)
    })
  }

  test('a provider that promises no time of a sign-in may tell none, and no old one', async ({
    assert,
  }) => {
    const social = await useSocial({ reauthentication: { prompt: 'select_account' } })
    const ann = person()
    const { visitor } = await signIn(social, ann)
    await stale(visitor)
    const how = { visitor, path: '/confirm/social/fake' }
    const anHourAgo = Math.floor(Date.now() / 1000) - 3600
    const old = await signIn(social, { ...ann, auth_time: anHourAgo }, how)
    assert.equal(old.response.status, 401)
    const untold = await signIn(social, ann, how)
    assert.deepEqual(untold.answer, { status: 'confirmed' })
  })

  test('an answer to sign in confirms nothing', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    const { visitor } = await signIn(social, ann)
    await stale(visitor)
    const url = await begin(visitor, '/confirm/social/fake')
    const own = await begin(visitor)
    const callback = social.provider.authorize(own, ann)
    callback.searchParams.set('state', new URL(url).searchParams.get('state')!)
    assert.equal((await visitor.get(pathOf(callback))).status, 401)
  })
})

test.group('Presets', () => {
  test('a provider without its variables is not there', ({ assert }) => {
    const label = 'X'
    assert.isNull(openIdConnect({ label, issuer: 'https://a.example', clientId: undefined }))
    assert.isNull(openIdConnect({ label, issuer: undefined, clientId: 'x' }))
  })

  test('Apple: the client secret is a token that the key of the team signs', async ({ assert }) => {
    const { provider } = await useSocial()
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const ids = { clientId: provider.clientId, teamId: 'TEAM', keyId: 'KEY' }
    const pem = await exportPKCS8(privateKey)
    const mails = await configureSocial({
      fake: apple({ ...ids, privateKey: pem.replaceAll('\n', '\\n'), issuer: provider.issuer }),
    })
    const visitor = new Visitor()
    const url = new URL(await begin(visitor))
    assert.equal(url.searchParams.get('response_mode'), 'form_post')
    assert.equal(url.searchParams.get('scope'), 'openid email')
    /* Apple writes its claims as text. */
    const ann = person({ email_verified: 'true', name: undefined })
    const callback = provider.authorize(url.href, ann)
    assert.equal((await visitor.get(pathOf(callback))).status, 200)
    assert.isEmpty(mails)

    const { body } = provider.requests.find(({ path }) => path === '/token')!
    assert.equal(body.get('client_id'), provider.clientId)
    const { payload, protectedHeader } = await jwtVerify(body.get('client_secret')!, publicKey, {
      issuer: 'TEAM',
      subject: provider.clientId,
      audience: 'https://appleid.apple.com',
    })
    assert.equal(protectedHeader.kid, 'KEY')
    assert.isAtMost(payload.exp! - payload.iat!, 300)
    assert.isNull(apple({ ...ids, keyId: undefined, privateKey: pem }))
  })

  for (const { what, email, hd, trusted } of [
    { what: 'Gmail', email: 'a@gmail.com', hd: undefined, trusted: true },
    { what: 'the organisation', email: 'a@corp.example', hd: 'Corp.example', trusted: true },
    { what: 'another organisation', email: 'a@other.example', hd: 'corp.example', trusted: false },
    { what: 'a host below it', email: 'a@x.corp.example', hd: 'corp.example', trusted: false },
    { what: 'a host that ends like Gmail', email: 'a@notgmail.com', hd: undefined, trusted: false },
    { what: 'a host that begins like it', email: 'a@gmail.com.x.example', hd: '', trusted: false },
  ]) {
    test(`Google ${trusted ? 'is' : 'is not'} trusted for an address of ${what}`, ({ assert }) => {
      const provider = google({ clientId: 'x' })!('google')
      const profile = { email, claims: { hd } } as unknown as SocialProfile
      assert.equal(provider.isTrustedFor(profile), trusted)
    })
  }

  test('GitLab is trusted for every address that it has verified', ({ assert }) => {
    const provider = gitlab({ clientId: 'x' })!('gitlab')
    assert.isTrue(provider.isTrustedFor({ email: 'a@x.example', claims: {} } as SocialProfile))
  })

  test('Microsoft is trusted for no address', ({ assert }) => {
    const provider = microsoft({ clientId: 'x' })!('microsoft')
    const profile = { email: 'a@outlook.com', claims: {} } as unknown as SocialProfile
    assert.isFalse(provider.isTrustedFor(profile))
  })

  test('an issuer over plain http on another machine is refused', async ({ assert }) => {
    const fake = openIdConnect({ label: 'X', issuer: 'http://a.example', clientId: 'x' })
    await assert.rejects(
      () => configureSocial({ fake }),
      'SocialConfig: the issuer of "fake" must be an https address'
    )
  })

  test('a password of an account that a provider made is nobody’s, until it is set', async ({
    assert,
  }) => {
    const social = await useSocial()
    const ann = person()
    const { answer } = await signIn(social, ann)
    const visitor = new Visitor()
    assert.equal((await visitor.login(String(ann.email), FACTORY_PASSWORD)).status, 401)
    const user = await User.findOrFail(answer.user.id)
    await user.merge({ password: FACTORY_PASSWORD }).save()
    assert.equal((await visitor.login(String(ann.email), FACTORY_PASSWORD)).status, 200)
    const methods = (await (await visitor.get('/account/sign-in-methods')).json()) as any
    assert.isTrue(methods.password)
  })
})
