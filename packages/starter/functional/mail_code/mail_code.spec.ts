import { inspect } from 'node:util'
import { mock } from 'node:test'

import emitter from '@adonisjs/core/services/emitter'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import { ApiToken } from '#kit/api_token/facade'
import SessionModel from '#kit/session/models/session'
import { ALL_GRANTS, isolate, post as postForm, useConfig } from '#starter/helpers/oauth'
import { limit } from '#starter/helpers/limits'
import { keepLog } from '#starter/helpers/log_lines'
import { askForCode, otherThan, typeCode, useMailCodes } from '#starter/helpers/mail_code'
import { afterReplies, authManager, countHashes } from '#starter/helpers/passwords'
import { wrapForTest } from '#starter/helpers/replace'
import { mailsTo, typesSeenBy } from '#starter/helpers/security_events'
import { serverUrl } from '#starter/helpers/server_url'
import { PAGE, person as identity, signIn, useSocial } from '#starter/helpers/social'
import { stopClock, travel } from '#starter/helpers/time'
import { codeOf, turnOn } from '#starter/helpers/two_factor'
import { Visitor, signedIn, isSignedIn } from '#starter/helpers/visitor'

const VERIFIED = { emailVerifiedAt: Date.now() }

/** Somebody who has asked for a code. */
async function asked(values: Partial<User> = VERIFIED, body: object = {}) {
  const mails = await useMailCodes()
  const user = await UserFactory.merge(values).create()
  const visitor = new Visitor()
  await askForCode(visitor, user.email, body)
  return { mails, user, visitor, ...mails.at(-1)! }
}

const statusOf = async (response: Promise<Response>) => (await response).status

async function methodsOf(user: User) {
  const [row] = await SessionModel.query().where('user_id', String(user.id))
  return JSON.parse(String(row!.login)).methods
}

/** Gives the address of a user to another one. */
async function passOn(user: User) {
  const { email } = user
  await user.merge({ email: `moved-${email}` }).save()
  await UserFactory.merge({ ...VERIFIED, email }).create()
}

test.group('Signing in by a code that was mailed', () => {
  test('the code signs in, once', async ({ assert }) => {
    const { visitor, user, code } = await asked()
    const response = await typeCode(visitor, code)
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { user: user.toProfile() })
    assert.isTrue(await isSignedIn(visitor))
    assert.deepEqual(await methodsOf(user), ['otp'])
    assert.equal(await statusOf(typeCode(visitor, code)), 401)
  })

  test('spaces in a code do no harm, and what is no code is a field error', async ({ assert }) => {
    const { visitor, code } = await asked()
    for (const wrong of ['', '12345', '1234567', 'abcdef', '<script>']) {
      assert.equal(await statusOf(typeCode(visitor, wrong)), 422)
    }
    assert.equal(await statusOf(typeCode(visitor, `${code.slice(0, 3)} ${code.slice(3)}`)), 200)
  })

  test('it has five tries', async ({ assert }) => {
    const { visitor, code } = await asked()
    for (let tries = 0; tries < 5; tries++) {
      assert.equal(await statusOf(typeCode(visitor, otherThan(code))), 422)
    }
    assert.equal(await statusOf(typeCode(visitor, code)), 401)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('guesses at the same moment use up a try each', async ({ assert }) => {
    const { visitor, code } = await asked()
    const guesses = Array.from({ length: 12 }, () => typeCode(visitor, otherThan(code)))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    assert.isAtMost(statuses.filter((status) => status === 422).length, 5)
    assert.equal(await statusOf(typeCode(visitor, code)), 401)
  })

  test('it works for ten minutes', async ({ assert }) => {
    const tick = stopClock()
    const [soon, late] = [await asked(), await asked()]
    tick(10 * 60 - 1)
    assert.equal(await statusOf(typeCode(soon.visitor, soon.code)), 200)
    tick(1)
    assert.equal(await statusOf(typeCode(late.visitor, late.code)), 401)
  })

  test('a purge deletes the codes that have expired, and those that work go on working', async ({
    assert,
  }) => {
    await db.from('mail_codes').delete()
    await asked()
    travel(10 * 60)
    const { visitor, code } = await asked()
    /* One row is that of the code, one tells the password that the account had. */
    assert.equal(await (await authManager()).feature('mailCodes')!.purge(), 2)
    assert.lengthOf(await db.from('mail_codes'), 2)
    assert.equal(await statusOf(typeCode(visitor, code)), 200)
  })

  test('another browser can do nothing with it, and neither with the link', async ({ assert }) => {
    const { code, link, visitor } = await asked()
    const elsewhere = new Visitor()
    const page = await (await elsewhere.get(link, { headers: PAGE })).text()
    assert.include(page, 'This browser did not ask for the code')
    assert.notInclude(page, code)
    assert.equal(await statusOf(typeCode(elsewhere, code)), 401)
    await askForCode(elsewhere, 'nobody@example.com')
    assert.equal(await statusOf(typeCode(elsewhere, code)), 422)
    assert.isFalse(await isSignedIn(elsewhere))
    assert.equal(await statusOf(typeCode(visitor, code)), 200)
  })

  test('the link in the same browser fills the code in, and signs nobody in by itself', async ({
    assert,
  }) => {
    const { code, link, visitor } = await asked()
    const response = await visitor.get(link, { headers: PAGE })
    assert.equal(response.headers.get('referrer-policy'), 'same-origin')
    assert.include(await response.text(), `value="${code}"`)
    assert.isFalse(await isSignedIn(visitor))
    const form = { mail_code: code, _token: visitor.csrfToken }
    const done = await visitor.post('/login/code/verify', { form, headers: PAGE })
    assert.equal(done.headers.get('location'), '/account')
    const again = await visitor.get(link, { headers: PAGE })
    assert.equal(again.headers.get('location'), '/account')
  })

  test('the form of a code that no longer works leads back, and says so', async ({ assert }) => {
    const { visitor, code } = await asked()
    travel(10 * 60)
    const form = { mail_code: code, _token: visitor.csrfToken }
    const refused = await visitor.post('/login/code/verify', { form, headers: PAGE })
    assert.equal(refused.headers.get('location'), '/login/code')
    const page = await (await visitor.get('/login/code', { headers: PAGE })).text()
    assert.include(page, 'This code no longer works. Ask for another one.')
  })

  test('its form has the address, also one that was typed at the sign-in', async ({ assert }) => {
    const { visitor, user } = await asked()
    const page = await (await visitor.get('/login/code', { headers: PAGE })).text()
    assert.include(page, `If ${user.email} has an account`)
    assert.include(page, `value="${user.email}"`)
    const other = new Visitor()
    await other.get('/login', { headers: PAGE })
    const form = { email: user.email, password: 'wrong', _token: other.csrfToken }
    await other.post('/login', { form, headers: PAGE })
    await other.get('/login', { headers: PAGE })
    const next = await (await other.get('/login/code', { headers: PAGE })).text()
    assert.include(next, `value="${user.email}"`)
  })

  test('the newest code of a browser counts', async ({ assert }) => {
    const { mails, user, visitor, code } = await asked()
    await askForCode(visitor, user.email)
    assert.equal(await statusOf(typeCode(visitor, code)), 422)
    assert.equal(await statusOf(typeCode(visitor, mails.at(-1)!.code)), 200)
  })

  test('the code of somebody else is worth nothing in a browser that asked for its own', async ({
    assert,
  }) => {
    const { code } = await asked()
    const attacker = await asked()
    assert.equal(await statusOf(typeCode(attacker.visitor, code)), 422)
  })

  test('an address that changed meanwhile, and an inactive account, let nobody in', async ({
    assert,
  }) => {
    const moved = await asked()
    await User.query()
      .where({ id: moved.user.id })
      .update({ email: `moved-${moved.user.email}` })
    assert.equal(await statusOf(typeCode(moved.visitor, moved.code)), 401)
    const inactive = await asked()
    await User.query().where({ id: inactive.user.id }).update({ isActive: false })
    assert.equal(await statusOf(typeCode(inactive.visitor, inactive.code)), 401)
  })

  test('another password of the account ends the codes that were asked for before', async ({
    assert,
  }) => {
    const { mails, visitor, user, code } = await asked()
    const users = (await authManager()).usersOf()
    await users.provider.updatePassword(await User.findOrFail(user.id), 'another password')
    assert.equal(await statusOf(typeCode(visitor, code)), 401)
    assert.isFalse(await isSignedIn(visitor))
    await askForCode(visitor, user.email)
    assert.equal(await statusOf(typeCode(visitor, mails.at(-1)!.code)), 200)
  })

  test('an account that was deleted meanwhile, and made anew, has no code', async ({ assert }) => {
    const { visitor, user, code } = await asked()
    const { email } = user
    await user.delete()
    await UserFactory.merge({ ...VERIFIED, email }).create()
    assert.equal(await statusOf(typeCode(visitor, code)), 401)
  })

  test('a password that is reset while the session begins ends it, as every other session', async ({
    assert,
  }) => {
    const { visitor, user, code } = await asked()
    const manager = await authManager()
    const users = manager.usersOf()
    const { store } = manager.feature('sessions')!
    wrapForTest(store, 'create', (create) => async (key, record, caller) => {
      if (record.userId !== null) {
        const owner = await User.findOrFail(user.id)
        await users.provider.updatePassword(owner, 'another password')
        await manager.accountAccess.recover(owner, users)
      }
      return create(key, record, caller)
    })
    assert.equal(await statusOf(typeCode(visitor, code)), 401)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('the session has a new id, and one of before gets nowhere', async ({ assert }) => {
    const { visitor, code } = await asked()
    const planted = new Visitor()
    visitor.cookies.forEach((value, name) => planted.cookies.set(name, value))
    await typeCode(visitor, code)
    assert.isTrue(await isSignedIn(visitor))
    assert.isFalse(await isSignedIn(planted))
  })

  test('no other site can ask for a code or send one', async ({ assert }) => {
    await useMailCodes()
    const headers = { 'origin': 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const path of ['/login/code', '/login/code/verify']) {
      const form = { email: 'ann@example.com', mail_code: '123456' }
      assert.equal(await statusOf(new Visitor().post(path, { form, headers })), 403)
    }
  })

  test('without the setting there is neither button nor route', async ({ assert }) => {
    await useMailCodes({ signIn: false })
    const visitor = new Visitor()
    const page = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.notInclude(page, 'Mail me a code')
    assert.equal(await statusOf(askForCode(visitor, 'ann@example.com')), 404)
    assert.equal(await statusOf(visitor.get('/login/code', { headers: PAGE })), 404)
    assert.equal(await statusOf(typeCode(visitor, '123456')), 404)
  })
})

test.group('A code by mail, as any other login', () => {
  test('whoever has a second factor is asked for it', async ({ assert }) => {
    const tick = stopClock()
    const { visitor, user, code } = await asked()
    const { secret } = await turnOn(user)
    tick(30)
    const response = await typeCode(visitor, code)
    assert.deepEqual(await response.json(), { two_factor: true })
    assert.isFalse(await isSignedIn(visitor))
    const json = { code: codeOf(secret) }
    assert.equal(await statusOf(visitor.send('/login/two-factor', json)), 200)
    assert.deepEqual(await methodsOf(user), ['otp', 'otp', 'mfa'])
  })

  test('a remembered session outlives the usual one', async ({ assert }) => {
    const kept = await asked(VERIFIED, { remember: true })
    await typeCode(kept.visitor, kept.code)
    const short = await asked()
    await typeCode(short.visitor, short.code)
    travel(3 * 60 * 60)
    assert.isTrue(await isSignedIn(kept.visitor))
    assert.isFalse(await isSignedIn(short.visitor))
  })

  test('it is emitted, logged, and told by mail where the browser is new', async ({
    assert,
    cleanup,
  }) => {
    const seen: string[] = []
    cleanup(emitter.on('auth:login', ({ user }) => void seen.push(user.email)))
    const { mails, user, visitor, code } = await asked()
    await typeCode(visitor, code)
    const subjects = await mailsTo(user.email, async () => {
      const other = new Visitor()
      await askForCode(other, user.email)
      await typeCode(other, mails.at(-1)!.code)
    })
    assert.isTrue(subjects.join().includes('New sign-in'))
    assert.includeMembers(await typesSeenBy(visitor), ['signed_in', 'new_device'])
    assert.deepEqual(seen, [user.email, user.email])
  })

  test('people go where they wanted to', async ({ assert }) => {
    const { user, mails } = await asked()
    const visitor = new Visitor()
    await visitor.get('/account/sessions', { headers: PAGE })
    const login = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(login, 'formaction="/login/code"')
    const form = { email: user.email, password: '', _token: visitor.csrfToken }
    const sent = await visitor.post('/login/code', { form, headers: PAGE })
    assert.equal(sent.headers.get('location'), '/login/code')
    await afterReplies()
    const page = await (await visitor.get('/login/code', { headers: PAGE })).text()
    assert.include(page, 'Only the newest code works.')
    const wrong = { mail_code: otherThan(mails.at(-1)!.code), _token: visitor.csrfToken }
    await visitor.post('/login/code/verify', { form: wrong, headers: PAGE })
    const refused = await (await visitor.get('/login/code', { headers: PAGE })).text()
    assert.include(refused, 'This code is wrong')
    const right = { mail_code: mails.at(-1)!.code, _token: visitor.csrfToken }
    const done = await visitor.post('/login/code/verify', { form: right, headers: PAGE })
    assert.equal(done.headers.get('location'), '/account/sessions')
  })

  test('an unverified address is verified, and nothing that a stranger prepared goes on', async ({
    assert,
  }) => {
    const { visitor, user, code } = await asked({ emailVerifiedAt: null })
    const { visitor: stranger } = await signedIn(user)
    await ApiToken.create(user, { name: 'of the stranger' })
    await turnOn(user)
    assert.equal(await statusOf(typeCode(visitor, code)), 200)
    await user.refresh()
    assert.isNotNull(user.emailVerifiedAt)
    assert.isFalse(await isSignedIn(stranger))
    assert.isEmpty(await ApiToken.tokens(user))
    assert.equal((await new Visitor().login(user.email, FACTORY_PASSWORD)).status, 401)
    assert.isTrue(await isSignedIn(visitor))
  })

  test('an account whose address a stranger changes while its owner arrives is not opened', async ({
    assert,
  }) => {
    const { visitor, user, code } = await asked({ emailVerifiedAt: null })
    const verification = (await authManager()).feature('emailVerification')!
    wrapForTest(verification, 'markVerified', (markVerified) => async (...given) => {
      const change = { email: `stranger-${user.email}`, emailVerifiedAt: Date.now() }
      await User.query().where('id', user.id).update(change)
      return markVerified(...given)
    })
    assert.equal(await statusOf(typeCode(visitor, code)), 401)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('it joins the identity that waits for the owner of a verified account', async ({
    assert,
  }) => {
    const mails = await useMailCodes()
    const social = await useSocial()
    const ann = identity()
    const user = await UserFactory.merge({ ...VERIFIED, email: String(ann.email) }).create()
    const { visitor, answer } = await signIn(social, ann)
    assert.deepEqual(answer, { sign_in_required: true })
    await askForCode(visitor, user.email)
    await typeCode(visitor, mails.at(-1)!.code)
    const path = '/account/sign-in-methods/join'
    assert.equal(await statusOf(visitor.send(path)), 200)
    assert.equal((await signIn(social, ann)).answer.user.id, user.id)
  })
})

test.group('Nobody learns who has an account', () => {
  /** What a stranger sees, from the question to the last try. */
  async function everything(email: string) {
    const visitor = new Visitor()
    const told: unknown[] = []
    const note = async (response: Response) => {
      const headers = Object.fromEntries(response.headers)
      delete headers['set-cookie']
      delete headers.date
      delete headers['x-request-id']
      told.push([response.status, headers, (await response.text()).replaceAll(email, 'EMAIL')])
    }
    const statements = await countHashes(async () => {
      await note(await askForCode(visitor, email))
      for (let tries = 0; tries < 7; tries++) {
        await note(await typeCode(visitor, '000000'))
      }
      for (let asks = 0; asks < 3; asks++) {
        await note(await askForCode(visitor, email))
      }
    })
    return { told, statements }
  }

  test('an unknown address gets the same answers, rows, hashes and limits as a known one', async ({
    assert,
    cleanup,
  }) => {
    /* An answer may name the seconds that are left, for which the limiter asks `new Date()`, too. */
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    cleanup(() => mock.timers.reset())
    const mails = await useMailCodes()
    await limit({ verificationMails: { perSubject: { attempts: 3, seconds: 60 } } })
    const { email } = await UserFactory.merge(VERIFIED).create()
    const inactive = await UserFactory.merge({ ...VERIFIED, isActive: false }).create()
    const rows = async () => (await db.from('mail_codes')).length
    const before = await rows()
    const known = await everything(email)
    const afterKnown = await rows()
    const unknown = await everything(`nobody-${email}`)
    assert.deepEqual(unknown, known)
    assert.equal((await rows()) - afterKnown, afterKnown - before)
    assert.deepEqual(await everything(inactive.email), known)
    assert.deepEqual([...new Set(mails.map((one) => one.email))], [email])
    const statuses = known.told.map((one: any) => one[0])
    assert.deepEqual(statuses, [200, 422, 422, 422, 422, 422, 401, 401, 200, 200, 429])
  })

  test('a device that has signed in by a code has a budget of its own', async ({ assert }) => {
    const { user, visitor, code } = await asked()
    await typeCode(visitor, code)
    await visitor.send('/logout')
    await limit({ verificationMails: { perSubject: { attempts: 1, seconds: 60 } } })
    await askForCode(new Visitor(), user.email)
    assert.equal(await statusOf(askForCode(new Visitor(), user.email)), 429)
    assert.equal(await statusOf(askForCode(visitor, user.email)), 200)
  })

  test('what strangers ask for uses up none of the codes of who is signed in, or knows the password', async ({
    assert,
  }) => {
    await useMailCodes({ afterPassword: true })
    await limit({ verificationMails: { perSubject: { attempts: 1, seconds: 60 } } })
    const { email } = await UserFactory.merge(VERIFIED).create()
    await askForCode(new Visitor(), email)
    assert.equal(await statusOf(askForCode(new Visitor(), email)), 429)
    const step = await new Visitor().login(email, FACTORY_PASSWORD)
    assert.deepEqual(await step.json(), { mail_code: true })

    await useMailCodes()
    const visitor = new Visitor()
    await visitor.login(email, FACTORY_PASSWORD)
    const confirm = () => visitor.send('/confirm/code')
    assert.equal(await statusOf(confirm()), 200)
    assert.equal(await statusOf(confirm()), 429)
  })

  test('wrong codes of one caller are limited over all browsers', async ({ assert }) => {
    await useMailCodes()
    await limit({ failedLogins: { perAddress: { attempts: 2, seconds: 60 } } })
    const statuses: number[] = []
    for (let guess = 0; guess < 3; guess++) {
      const visitor = new Visitor()
      await askForCode(visitor, `nobody-${guess}@example.com`)
      statuses.push(await statusOf(typeCode(visitor, '000000')))
    }
    assert.deepEqual(statuses, [422, 422, 429])
  })

  test('the code stands in no row and in no line of the log', async ({ assert }) => {
    const log = keepLog()
    let sent = ''
    await useMailCodes({
      notifier: (_, { code }) => {
        sent = code
        throw new Error(`550 no mailbox for ${code}`)
      },
    })
    const user = await UserFactory.merge(VERIFIED).create()
    const visitor = new Visitor()
    assert.equal(await statusOf(askForCode(visitor, user.email)), 200)
    await typeCode(visitor, otherThan(sent))
    assert.include(log(), '550 no mailbox for [secret]')
    assert.notInclude(log(), sent)
    const rows = inspect([await db.from('mail_codes'), await db.from('sessions').select('data')])
    assert.notMatch(rows, new RegExp(`\\b${sent}\\b`))
  })
})

test.group('A code by mail after the password', (group) => {
  group.each.setup(isolate)

  async function halfway(settings = {}, values: Partial<User> = VERIFIED) {
    const mails = await useMailCodes({ signIn: false, afterPassword: true, ...settings })
    const user = await UserFactory.merge(values).create()
    const visitor = new Visitor()
    const response = await visitor.login(user.email, FACTORY_PASSWORD)
    await afterReplies()
    return { mails, user, visitor, answer: await response.json() }
  }

  test('the password alone gives {"mail_code": true}, and the code signs in', async ({
    assert,
  }) => {
    const { mails, user, visitor, answer } = await halfway()
    assert.deepEqual(answer, { mail_code: true })
    assert.isFalse(await isSignedIn(visitor))
    const [{ code, email }] = mails as [(typeof mails)[number]]
    assert.equal(email, user.email)
    assert.equal(await statusOf(typeCode(visitor, otherThan(code))), 422)
    assert.equal(await statusOf(typeCode(visitor, code)), 200)
    assert.isTrue(await isSignedIn(visitor))
    assert.deepEqual(await methodsOf(user), ['pwd', 'otp'])
  })

  test('the form of the password leads to that of the code, as the link of the mail does', async ({
    assert,
  }) => {
    const { mails, user } = await halfway()
    const visitor = new Visitor()
    await visitor.get('/login', { headers: PAGE })
    const form = { email: user.email, password: FACTORY_PASSWORD }
    const halfwayThere = await visitor.post('/login', { form, headers: PAGE, csrf: true })
    assert.equal(halfwayThere.headers.get('location'), '/login/code')
    assert.equal(mails[0]!.link, `/login/code?code=${mails[0]!.code}`)
    const page = await (await visitor.get(mails[0]!.link, { headers: PAGE })).text()
    assert.include(page, `If ${user.email} has an account`)
    assert.include(page, `value="${mails[0]!.code}"`)
  })

  test('it verifies the address, and the password that came before goes on working', async ({
    assert,
  }) => {
    const { mails, user, visitor } = await halfway({}, { emailVerifiedAt: null })
    await typeCode(visitor, mails[0]!.code)
    assert.isTrue(await isSignedIn(visitor))
    await user.refresh()
    assert.isNotNull(user.emailVerifiedAt)
    const again = await new Visitor().login(user.email, FACTORY_PASSWORD)
    assert.deepEqual(await again.json(), { mail_code: true })
  })

  test('another code is mailed at the same place, without an address', async ({ assert }) => {
    const { mails, visitor } = await halfway()
    const again = await visitor.send('/login/code')
    assert.equal(again.status, 200)
    await afterReplies()
    assert.lengthOf(mails, 2)
    const page = await (await visitor.get('/login/code', { headers: PAGE })).text()
    assert.notInclude(page, 'type="email"')
    assert.equal(await statusOf(typeCode(visitor, mails[1]!.code)), 200)
  })

  test('after five wrong codes another one is asked for', async ({ assert }) => {
    const { mails, visitor } = await halfway()
    for (let tries = 0; tries < 5; tries++) {
      await typeCode(visitor, otherThan(mails[0]!.code))
    }
    assert.equal(await statusOf(typeCode(visitor, mails[0]!.code)), 401)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('a code that was asked for without the password does not take the step', async ({
    assert,
  }) => {
    const mails = await useMailCodes({ afterPassword: true })
    const user = await UserFactory.merge(VERIFIED).create()
    const visitor = new Visitor()
    await askForCode(visitor, user.email)
    const [{ code }] = mails as [(typeof mails)[number]]
    const json = { email: user.email, password: FACTORY_PASSWORD, mail_code: code }
    const login = await visitor.send('/login', json)
    assert.deepEqual(await login.json(), { mail_code: true })
    await afterReplies()
    assert.equal(await statusOf(typeCode(visitor, code)), 422)
  })

  test('a code of another person does not take the step', async ({ assert }) => {
    const { mails, visitor } = await halfway()
    const other = await UserFactory.merge(VERIFIED).create()
    const { visitor: attacker } = await signedIn(other)
    assert.equal(await statusOf(typeCode(attacker, mails[0]!.code)), 422)
    assert.isFalse(await isSignedIn(attacker))
    assert.equal(await statusOf(typeCode(visitor, mails[0]!.code)), 200)
  })

  test('a code does not take the step when its address has become that of another person', async ({
    assert,
  }) => {
    const { mails, user, visitor } = await halfway()
    await passOn(user)
    assert.equal(await statusOf(typeCode(visitor, mails[0]!.code)), 401)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('a function says of whom, and a provider stands for it', async ({ assert }) => {
    const { answer, user } = await halfway({ afterPassword: () => false })
    assert.deepEqual(answer, { user: user.toProfile() })
    await useMailCodes({ afterPassword: true })
    const { visitor } = await signIn(await useSocial(), identity())
    assert.isTrue(await isSignedIn(visitor))
  })

  test('token endpoints ask for it, too', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const { user, mails } = await halfway()
    const form = { grant_type: 'password', username: user.email, password: FACTORY_PASSWORD }
    const missing = await postForm('/token', form)
    assert.equal(missing.status, 400)
    assert.include(missing.body.error_description, 'another step: mail_code')
    const { status, body } = await postForm('/token', { ...form, mail_code: mails[0]!.code })
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_grant')
  })
})

test.group('Confirming by a code that was mailed', () => {
  async function stale(values: Partial<User> = VERIFIED) {
    const mails = await useMailCodes()
    const user = await UserFactory.merge(values).create()
    const { visitor } = await signedIn(user)
    travel(16 * 60)
    return { mails, user, visitor }
  }

  const ask = async (visitor: Visitor) => {
    const response = await visitor.send('/confirm/code')
    await afterReplies()
    return response
  }

  const isFresh = async (visitor: Visitor) =>
    (await visitor.get('/account/passkeys')).status === 200

  test('it counts as a fresh confirmation', async ({ assert }) => {
    const { mails, user, visitor } = await stale()
    assert.isFalse(await isFresh(visitor))
    assert.deepEqual(await (await ask(visitor)).json(), { status: 'code sent' })
    assert.equal(mails[0]!.email, user.email)
    const path = '/confirm/code/verify'
    assert.equal(await statusOf(typeCode(visitor, otherThan(mails[0]!.code), path)), 422)
    const done = await typeCode(visitor, mails[0]!.code, path)
    assert.deepEqual(await done.json(), { status: 'confirmed' })
    assert.isTrue(await isFresh(visitor))
    assert.equal(await statusOf(typeCode(visitor, mails[0]!.code, path)), 403)
  })

  test('a page asks for it and for no address, and leads back', async ({ assert }) => {
    const { mails, user, visitor } = await stale()
    await visitor.get('/account/passkeys', { headers: PAGE })
    const confirm = await (await visitor.get('/confirm', { headers: PAGE })).text()
    assert.include(confirm, 'action="/confirm/code"')
    const form = { _token: visitor.csrfToken }
    const sent = await visitor.post('/confirm/code', { form, headers: PAGE })
    assert.equal(sent.headers.get('location'), '/confirm/code')
    const waits = await (await visitor.get('/confirm/code', { headers: PAGE })).text()
    assert.include(waits, '<p>A mail with a code is on its way to ')
    await afterReplies()
    const page = await (await visitor.get(mails[0]!.link, { headers: PAGE })).text()
    assert.include(page, `value="${mails[0]!.code}"`)
    assert.notInclude(page, 'name="email"')
    assert.include(page, `<p>A mail with a code is on its way to ${user.email}`)
    const right = { mail_code: mails[0]!.code, _token: visitor.csrfToken }
    const done = await visitor.post('/confirm/code/verify', { form: right, headers: PAGE })
    assert.equal(done.headers.get('location'), '/account/passkeys')
    const used = { ...right, _token: visitor.csrfToken }
    const late = await visitor.post('/confirm/code/verify', { form: used, headers: PAGE })
    assert.equal(late.headers.get('location'), '/confirm/code')
    const gone = await (await visitor.get('/confirm/code', { headers: PAGE })).text()
    assert.include(gone, 'This code no longer works.')
  })

  test('a page that nobody has asked for a code on says what its button does', async ({
    assert,
  }) => {
    const { visitor } = await stale()
    for (const [one, path] of [
      [visitor, '/confirm/code'],
      [new Visitor(), '/login/code'],
    ] as const) {
      const page = await (await one.get(path, { headers: PAGE })).text()
      assert.include(page, '<p>We send a code to the address of your account.')
      assert.include(page, '<h1>Mail me a code</h1>')
    }
  })

  test('it is the proof that an account is deleted by, and a wrong or a used one is none', async ({
    assert,
  }) => {
    const { mails, user, visitor } = await stale()
    const remove = (mail_code: string) => visitor.send('/account/delete', { mail_code })
    assert.equal(await statusOf(remove('123456')), 422)
    const headers = { ...PAGE, referer: await serverUrl('/account/delete') }
    const form = { _token: visitor.csrfToken, asks: 'proof' }
    const sent = await visitor.post('/confirm/code', { form, headers })
    assert.equal(sent.headers.get('location'), headers.referer)
    await afterReplies()
    const page = await (await visitor.get('/account/delete', { headers: PAGE })).text()
    assert.include(page, 'name="mail_code"')
    assert.include(page, `A mail with a code is on its way to ${user.email}`)
    const { code } = mails.at(-1)!
    const { errors }: any = await (await remove(otherThan(code))).json()
    assert.deepEqual([errors[0].field, errors[0].rule], ['mail_code', 'mailCode'])
    assert.isNotNull(await User.find(user.id))
    assert.equal(await statusOf(remove(code)), 204)
    assert.isNull(await User.find(user.id))
  })

  test('the form for another address sends it along when it asks for a code, and has it again', async ({
    assert,
  }) => {
    const { visitor } = await stale()
    const path = '/account/email'
    const form = async () => {
      const page = await (await visitor.get(path, { headers: PAGE })).text()
      return /<form method="post" action="\/account\/email"[^]*?<\/form>/.exec(page)![0]
    }
    assert.match(
      await form(),
      /<button [^>]*formaction="\/confirm\/code"[^>]*name="asks" value="proof"/
    )
    const typed = { email: 'typed@example.com', current_password: 'half of it' }
    const headers = { ...PAGE, referer: await serverUrl(path) }
    const fields = { _token: visitor.csrfToken, asks: 'proof', ...typed }
    await visitor.post('/confirm/code', { form: fields, headers })
    const again = await form()
    assert.include(again, 'value="typed@example.com"')
    assert.notInclude(again, 'half of it')
  })

  test('the code of a sign-in does not confirm, nor one of a confirmation sign in', async ({
    assert,
  }) => {
    const { mails, user, visitor } = await stale()
    await askForCode(visitor, user.email)
    const path = '/confirm/code/verify'
    assert.equal(await statusOf(typeCode(visitor, mails.at(-1)!.code, path)), 403)
    await ask(visitor)
    assert.equal(await statusOf(typeCode(visitor, mails.at(-1)!.code)), 401)
    assert.isFalse(await isFresh(visitor))
  })

  test('a code that was typed where it does not count still counts for its purpose', async ({
    assert,
  }) => {
    const { mails, visitor } = await stale()
    await ask(visitor)
    assert.equal(await statusOf(typeCode(visitor, mails.at(-1)!.code)), 401)
    const path = '/confirm/code/verify'
    assert.equal(await statusOf(typeCode(visitor, mails.at(-1)!.code, path)), 200)
    assert.isTrue(await isFresh(visitor))
  })

  test('it confirms nobody when its address has become that of another person', async ({
    assert,
  }) => {
    const { mails, user, visitor } = await stale()
    await ask(visitor)
    await passOn(user)
    const response = await typeCode(visitor, mails[0]!.code, '/confirm/code/verify')
    assert.equal(response.status, 403)
    assert.include(await response.json(), { error: 'confirmation_required' })
    assert.isFalse(await isFresh(visitor))
  })

  test('without the setting there is neither button nor route, and a code of before is no proof', async ({
    assert,
  }) => {
    const { mails, user, visitor } = await stale()
    await ask(visitor)
    const { code } = mails.at(-1)!
    await useMailCodes({ signIn: false, afterPassword: true })
    const page = await (await visitor.get('/confirm', { headers: PAGE })).text()
    assert.notInclude(page, '/confirm/code')
    assert.equal(await statusOf(visitor.get('/confirm/code', { headers: PAGE })), 404)
    assert.equal(await statusOf(ask(visitor)), 404)
    assert.equal(await statusOf(typeCode(visitor, code, '/confirm/code/verify')), 404)
    assert.equal(await statusOf(visitor.send('/account/delete', { mail_code: code })), 422)
    assert.isNotNull(await User.find(user.id))
    assert.isFalse(await isFresh(visitor))
  })

  test('it needs somebody who is signed in', async ({ assert }) => {
    await useMailCodes()
    const visitor = new Visitor()
    await visitor.get('/login', { headers: PAGE })
    for (const path of ['/confirm/code', '/confirm/code/verify']) {
      assert.equal(await statusOf(visitor.send(path)), 401)
    }
    assert.equal(await statusOf(visitor.get('/confirm/code')), 401)
  })

  test('it verifies the address of the account, whose other access ends', async ({ assert }) => {
    const { mails, user, visitor } = await stale({ emailVerifiedAt: null })
    await ApiToken.create(user, { name: 'of before' })
    await ask(visitor)
    await typeCode(visitor, mails[0]!.code, '/confirm/code/verify')
    await user.refresh()
    assert.isNotNull(user.emailVerifiedAt)
    assert.isEmpty(await ApiToken.tokens(user))
    assert.isTrue(await isFresh(visitor))
    assert.equal((await new Visitor().login(user.email, FACTORY_PASSWORD)).status, 200)
  })
})
