import emitter from '@adonisjs/core/services/emitter'
import mail from '@adonisjs/mail/services/main'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import SecurityMail from '#kit/accounts/security_mail'
import { limit } from '#starter/helpers/limits'
import { afterReplies, authManager } from '#starter/helpers/passwords'
import { meetForTest } from '#starter/helpers/replace'
import { serverUrl } from '#starter/helpers/server_url'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn, wrongCodeOf } from '#starter/helpers/two_factor'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const HOME = '/account/two-factor'
const STEP = 30
/** No part of an identifier like the one in a user's e-mail address. */
const RECOVERY_CODE = /(?<![\w-])([0-9a-z]{4}-){5}[0-9a-z]{4}(?![\w-])/g

/** Somebody who is signed in and has a second factor. The code of this moment was not used. */
async function protectedPerson() {
  const tick = stopClock()
  const { user, visitor } = await signedIn()
  const factor = await turnOn(user)
  tick(STEP)
  return { user, visitor, tick, ...factor }
}

const postForm = (visitor: Visitor, path: string, form: Record<string, string> = {}) =>
  visitor.post(path, { form: { ...form, _token: visitor.csrfToken }, headers: PAGE })

async function read(response: Response): Promise<any> {
  return response.json()
}

async function needsSecondStep(email: string) {
  const response = await new Visitor().login(email, FACTORY_PASSWORD)
  return (await read(response)).two_factor === true
}

/** The key on the page, which stands in groups. */
const secretIn = (html: string) =>
  /id="totp-secret"[^>]*>(.*?)<\/code>/.exec(html)![1]!.replace(/<[^>]*>/g, '')

test.group('Setting the second factor up', () => {
  test('201 with secret, address and QR code; the first code turns it on and gives ten recovery codes', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const begun = await visitor.send(HOME)
    assert.equal(begun.status, 201)
    assert.equal(begun.headers.get('cache-control'), 'no-store')
    const { secret, uri, qr_code: qrCode } = await read(begun)
    assert.match(secret, /^[A-Z2-7]{32}$/)
    const url = new URL(uri)
    assert.equal(url.protocol, 'otpauth:')
    assert.equal(url.searchParams.get('secret'), secret)
    assert.include(decodeURIComponent(url.pathname), user.email)
    assert.match(qrCode, /^<svg /)
    assert.isFalse(await needsSecondStep(user.email))

    const enabled = await visitor.send(`${HOME}/enable`, { code: codeOf(secret) })
    assert.equal(enabled.status, 200)
    assert.equal(enabled.headers.get('cache-control'), 'no-store')
    const { recovery_codes: codes } = await read(enabled)
    assert.lengthOf(new Set(codes), 10)
    assert.isTrue(await needsSecondStep(user.email))

    const state = await visitor.get(HOME)
    assert.deepEqual(await read(state), { enabled: true, recovery_codes_left: 10 })
  })

  test('a second click on the form that turns it on shows the recovery codes, too', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const { secret } = await read(await visitor.send(HOME))
    const form = { code: codeOf(secret) }
    await postForm(visitor, `${HOME}/enable`, form)
    const second = await postForm(visitor, `${HOME}/enable`, form)
    const next = second.headers.get('location')!
    assert.equal(next, `${HOME}/recovery-codes`)
    const page = await (await visitor.get(next, { headers: PAGE })).text()
    assert.lengthOf(new Set(page.match(RECOVERY_CODE)), 10)
  })

  test('so does the one of two clicks at once that comes too late', async ({ assert }) => {
    const { visitor } = await signedIn()
    const { secret } = await read(await visitor.send(HOME))
    const twoFactor = (await authManager()).feature('twoFactor')!
    meetForTest(twoFactor, 'enable')
    const form = { code: codeOf(secret), _token: visitor.csrfToken }
    const late = `${HOME}/setup`
    const headers = { ...PAGE, referer: await serverUrl(late) }
    const clicks = [1, 2].map(() => visitor.post(`${HOME}/enable`, { form, headers }))
    const places = (await Promise.all(clicks)).map((answer) => answer.headers.get('location'))
    assert.sameMembers(places, [`${HOME}/recovery-codes`, late])
    const page = await (await visitor.get(late, { headers: PAGE })).text()
    assert.lengthOf(new Set(page.match(RECOVERY_CODE)), 10)
  })

  test('the page shows the QR code, and the recovery codes once', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    const begun = await postForm(visitor, HOME)
    assert.equal(begun.headers.get('location'), `${HOME}/setup`)
    const page = await visitor.get(`${HOME}/setup`, { headers: PAGE })
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const html = await page.text()
    assert.include(html, '<svg ')
    const secret = secretIn(html)

    const wrong = await postForm(visitor, `${HOME}/enable`, { code: wrongCodeOf(secret) })
    assert.equal(wrong.status, 302)
    assert.isFalse(await needsSecondStep(user.email))
    const again = await visitor.get(`${HOME}/setup`, { headers: PAGE })
    const shown = await again.text()
    assert.include(shown, 'This code is wrong')
    assert.equal(secretIn(shown), secret)

    const codes = await postForm(visitor, `${HOME}/enable`, { code: codeOf(secret) })
    const next = codes.headers.get('location')!
    const once = await visitor.get(next, { headers: PAGE })
    const [shownOnce] = /id="recovery-codes">[^<]*/.exec(await once.text())!
    assert.lengthOf(shownOnce.match(RECOVERY_CODE)!, 10)
    const twice = await visitor.get(next, { headers: PAGE })
    assert.equal(twice.headers.get('location'), HOME)
    const home = await visitor.get(HOME, { headers: PAGE })
    const text = await home.text()
    assert.include(text, 'Two-factor authentication is on')
    assert.notMatch(text, RECOVERY_CODE)
    const over = await visitor.get(`${HOME}/setup`, { headers: PAGE })
    assert.equal(over.headers.get('location'), HOME)
  })

  test('neither secret nor recovery codes are stored in plain text', async ({ assert }) => {
    const { visitor } = await signedIn()
    const begun = await visitor.send(HOME)
    const { secret } = await read(begun)
    const tables = ['sessions', 'two_factor_secrets', 'two_factor_recovery_codes']
    const dump = async () => {
      const rows = await Promise.all(tables.map((table) => db.from(table).select('*')))
      return JSON.stringify(rows)
    }
    assert.notInclude(await dump(), secret)
    const enabled = await visitor.send(`${HOME}/enable`, { code: codeOf(secret) })
    const stored = await dump()
    assert.notInclude(stored, secret)
    for (const code of (await read(enabled)).recovery_codes) {
      assert.notInclude(stored, code)
      assert.notInclude(stored, code.replaceAll('-', ''))
    }
  })

  test('a secret that was begun in another session is not the one that is turned on', async ({
    assert,
  }) => {
    const { user, visitor: thief } = await signedIn()
    const begun = await thief.send(HOME)
    const { secret } = await read(begun)
    const { visitor: owner } = await signedIn(user)
    const page = await owner.get(`${HOME}/setup`, { headers: PAGE })
    assert.equal(page.headers.get('location'), HOME)
    const enabled = await owner.send(`${HOME}/enable`, { code: codeOf(secret) })
    assert.equal(enabled.status, 422)
  })

  test('it has to be done within half an hour', async ({ assert }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    const begun = await visitor.send(HOME)
    const { secret } = await read(begun)
    tick(1800)
    await visitor.send('/confirm', { password: FACTORY_PASSWORD })
    const response = await visitor.send(`${HOME}/enable`, { code: codeOf(secret) })
    assert.equal(response.status, 422)
  })

  test('what is on already is not set up again: 409', async ({ assert }) => {
    const { visitor } = await protectedPerson()
    const json = await visitor.send(HOME)
    assert.equal(json.status, 409)
    const form = await postForm(visitor, HOME)
    assert.equal(form.headers.get('location'), HOME)
  })

  test('two sessions that finish at the same moment: one wins, and its secret counts', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const { visitor: other } = await signedIn(user)
    const secrets = []
    for (const one of [visitor, other]) {
      const begun = await one.send(HOME)
      secrets.push((await read(begun)).secret)
    }
    const responses = await Promise.all([
      visitor.send(`${HOME}/enable`, { code: codeOf(secrets[0]) }),
      other.send(`${HOME}/enable`, { code: codeOf(secrets[1]) }),
    ])
    const statuses = responses.map(({ status }) => status)
    assert.sameMembers(statuses, [200, 422])
    const codes = await db.from('two_factor_recovery_codes').where('user_id', String(user.id))
    assert.lengthOf(codes, 10)
  })

  test('422 for {what}')
    .with([
      { what: 'no code', json: {} },
      { what: 'letters', json: { code: 'abcdef' } },
      { what: 'a code without a set-up', json: { code: '123456' } },
    ])
    .run(async ({ assert }, { json }) => {
      const { visitor } = await signedIn()
      const response = await visitor.send(`${HOME}/enable`, json)
      assert.equal(response.status, 422)
      assert.equal((await read(response)).errors[0].field, 'code')
    })

  test('guesses are limited', async ({ assert }) => {
    await limit({ failedSecondFactors: { perSubject: { attempts: 2, seconds: 60 } } } as any)
    const { visitor } = await signedIn()
    const begun = await visitor.send(HOME)
    const { secret } = await read(begun)
    const statuses = []
    for (const code of [wrongCodeOf(secret), wrongCodeOf(secret), codeOf(secret)]) {
      const response = await visitor.send(`${HOME}/enable`, { code })
      statuses.push(response.status)
    }
    assert.deepEqual(statuses, [422, 422, 429])
  })
})

test.group('Changing the second factor', () => {
  test('new recovery codes replace the old ones', async ({ assert }) => {
    const { user, visitor, recoveryCodes } = await protectedPerson()
    const response = await visitor.send(`${HOME}/recovery-codes`)
    const { recovery_codes: codes } = await read(response)
    assert.lengthOf(codes, 10)
    const login = new Visitor()
    await login.login(user.email, FACTORY_PASSWORD)
    const old = await login.send('/login/two-factor', { recovery_code: recoveryCodes[0] })
    const renewed = await login.send('/login/two-factor', { recovery_code: codes[0] })
    assert.deepEqual([old.status, renewed.status], [422, 200])
    const state = await visitor.get(HOME)
    assert.equal((await read(state)).recovery_codes_left, 9)
  })

  test('without a second factor there are none to replace: 409', async ({ assert }) => {
    const { visitor } = await signedIn()
    const json = await visitor.send(`${HOME}/recovery-codes`)
    assert.equal(json.status, 409)
    const form = await postForm(visitor, `${HOME}/recovery-codes`, { sure: '1' })
    assert.equal(form.headers.get('location'), HOME)
  })

  test('turned off, it is not asked for, and nothing of it is left', async ({ assert }) => {
    const { user, visitor } = await protectedPerson()
    const response = await visitor.send(`${HOME}/disable`)
    assert.deepEqual(await read(response), { enabled: false })
    assert.isFalse(await needsSecondStep(user.email))
    for (const table of ['two_factor_secrets', 'two_factor_recovery_codes']) {
      assert.isEmpty(await db.from(table).where('user_id', String(user.id)))
    }
    const again = await postForm(visitor, `${HOME}/disable`, { sure: '1' })
    assert.equal(again.headers.get('location'), HOME)
    const page = await visitor.get(HOME, { headers: PAGE })
    assert.include(await page.text(), 'Two-factor authentication is off.')
  })

  test('every page and route of it needs a confirmation', async ({ assert }) => {
    const { visitor, tick } = await protectedPerson()
    tick(900)
    for (const path of ['', '/setup']) {
      const page = await visitor.get(HOME + path, { headers: PAGE })
      assert.equal(page.headers.get('location'), '/confirm')
      const json = await visitor.get(HOME + path)
      assert.equal((await read(json)).error, 'confirmation_required')
    }
    for (const path of ['', '/enable', '/recovery-codes', '/disable']) {
      const response = await visitor.send(HOME + path)
      assert.equal((await read(response)).error, 'confirmation_required')
    }
  })

  test('changes are security events, and told by mail', async ({ assert, cleanup }) => {
    const heard: string[] = []
    cleanup(emitter.on('auth:security_event', ({ type }) => void heard.push(type)))
    await afterReplies()
    const { mails } = mail.fake()
    cleanup(() => mail.restore())
    const { user, visitor } = await signedIn()
    const begun = await visitor.send(HOME)
    const { secret } = await read(begun)
    await visitor.send(`${HOME}/enable`, { code: codeOf(secret) })
    await visitor.send(`${HOME}/recovery-codes`)
    await visitor.send(`${HOME}/disable`)
    await visitor.send(`${HOME}/disable`)
    await afterReplies()

    const subjects = mails
      .sent((sent) => sent instanceof SecurityMail)
      .map((sent) => sent.subject ?? '')
    for (const words of ['turned on', 'New recovery codes', 'turned off']) {
      assert.lengthOf(
        subjects.filter((subject) => subject.includes(words)),
        1
      )
    }
    mails.assertSent(SecurityMail, ({ message }) => message.hasTo(user.email))
    const changes = heard.filter((type) => type !== 'signed_in')
    assert.deepEqual(changes, [
      'two_factor_enabled',
      'recovery_codes_created',
      'two_factor_disabled',
    ])
  })

  test('a deleted account leaves nothing of it', async ({ assert }) => {
    const { user, visitor } = await protectedPerson()
    await visitor.send('/account/delete', { password: FACTORY_PASSWORD })
    for (const table of ['two_factor_secrets', 'two_factor_recovery_codes']) {
      assert.isEmpty(await db.from(table).where('user_id', String(user.id)))
    }
  })
})

test.group('POST /confirm with a second factor', () => {
  test('{what} confirms')
    .with([{ what: 'the password' }, { what: 'a code' }, { what: 'a recovery code' }])
    .run(async ({ assert }, { what }) => {
      const { visitor, secret, recoveryCodes, tick } = await protectedPerson()
      tick(900)
      const proofs: Record<string, object> = {
        'the password': { password: FACTORY_PASSWORD },
        'a code': { code: codeOf(secret) },
        'a recovery code': { recovery_code: recoveryCodes[0] },
      }
      const response = await visitor.send('/confirm', proofs[what])
      assert.equal(response.status, 200)
      const state = await visitor.get(HOME)
      assert.equal(state.status, 200)
    })

  test('a wrong code confirms nothing, and neither does the code of somebody without a second factor', async ({
    assert,
  }) => {
    const { visitor, secret, tick } = await protectedPerson()
    const { visitor: stranger } = await signedIn()
    tick(900)
    const wrong = await visitor.send('/confirm', { code: wrongCodeOf(secret) })
    assert.equal(wrong.status, 422)
    assert.equal((await read(wrong)).errors[0].field, 'code')
    const foreign = await stranger.send('/confirm', { code: codeOf(secret) })
    assert.equal(foreign.status, 422)
    for (const one of [visitor, stranger]) {
      const state = await one.get(HOME)
      assert.equal(state.status, 403)
    }
  })

  test('a code that confirmed signs nobody in, and the other way round', async ({ assert }) => {
    const { user, visitor, secret } = await protectedPerson()
    const confirmed = await visitor.send('/confirm', { code: codeOf(secret) })
    assert.equal(confirmed.status, 200)
    const login = new Visitor()
    await login.login(user.email, FACTORY_PASSWORD)
    const replayed = await login.send('/login/two-factor', { code: codeOf(secret) })
    assert.equal(replayed.status, 422)
  })

  test('the form offers the code to those who have one', async ({ assert }) => {
    const { visitor } = await protectedPerson()
    const { visitor: other } = await signedIn()
    const form = await visitor.get('/confirm', { headers: PAGE })
    assert.include(await form.text(), 'autocomplete="one-time-code"')
    const plain = await other.get('/confirm', { headers: PAGE })
    assert.notInclude(await plain.text(), 'autocomplete="one-time-code"')
  })
})
