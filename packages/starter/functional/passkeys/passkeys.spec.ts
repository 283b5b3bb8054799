import emitter from '@adonisjs/core/services/emitter'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import mail from '@adonisjs/mail/services/main'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import SecurityMail from '#kit/accounts/security_mail'
import SessionModel from '#kit/session/models/session'
import { Purges } from '#kit/database/purges'
import { usePasskeys } from '#starter/helpers/passkeys'
import { Authenticator, type AuthenticatorChanges } from '#starter/helpers/software_authenticator'
import { limit } from '#starter/helpers/limits'
import { useMailCodes } from '#starter/helpers/mail_code'
import { afterReplies, authManager } from '#starter/helpers/passwords'
import { meetForTest, wrapForTest } from '#starter/helpers/replace'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn } from '#starter/helpers/two_factor'
import { Visitor, signedIn, isSignedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const HOME = '/account/passkeys'

async function read(response: Response): Promise<any> {
  return response.json()
}

async function optionsOf(visitor: Visitor, path: string) {
  return read(await visitor.send(`${path}/options`))
}

/** Somebody with a passkey, signed in. */
async function owner() {
  const { origin, rpId } = await usePasskeys()
  const { user, visitor } = await signedIn()
  const authenticator = new Authenticator(origin, rpId)
  const answer = authenticator.create(await optionsOf(visitor, HOME))
  const response = await visitor.send(HOME, { name: 'My laptop', response: answer })
  const passkey = await read(response)
  return { user, visitor, authenticator, passkey, response }
}

/** Signs in with a passkey, in a browser of its own. */
async function signIn(
  authenticator: Authenticator,
  {
    changes,
    visitor = new Visitor(),
    body = {},
  }: {
    changes?: AuthenticatorChanges
    visitor?: Visitor
    body?: object
  } = {}
) {
  const answer = authenticator.get(await optionsOf(visitor, '/login/passkey'), changes)
  const response = await visitor.send('/login/passkey', { response: answer, ...body })
  return { visitor, response, answer }
}

test.group('Registering passkeys', () => {
  test('201 with its name; the list has it, and no key', async ({ assert }) => {
    const { visitor, response, passkey } = await owner()
    assert.equal(response.status, 201)
    assert.equal(passkey.name, 'My laptop')
    const list = await visitor.get(HOME)
    assert.equal(list.headers.get('cache-control'), 'no-store')
    const { passkeys } = await read(list)
    assert.deepEqual(passkeys, [passkey])
    assert.sameMembers(Object.keys(passkey), ['id', 'name', 'last_used_at', 'created_at'])
    assert.isNull(passkey.last_used_at)
  })

  test('the options ask for a key that is kept on the device, and exclude those that are known', async ({
    assert,
  }) => {
    const { user, visitor, authenticator } = await owner()
    const options = await optionsOf(visitor, HOME)
    assert.equal(options.rp.id, 'localhost')
    assert.deepEqual(options.pubKeyCredParams, [
      { alg: -8, type: 'public-key' },
      { alg: -7, type: 'public-key' },
      { alg: -257, type: 'public-key' },
    ])
    assert.equal(options.user.name, user.email)
    assert.lengthOf(Buffer.from(options.user.id, 'base64url'), 32)
    assert.deepInclude(options.authenticatorSelection, {
      residentKey: 'required',
      userVerification: 'required',
    })
    assert.deepEqual(
      options.excludeCredentials.map(({ id }: any) => id),
      [authenticator.id]
    )
  })

  test('a person has several', async ({ assert }) => {
    const { visitor, authenticator } = await owner()
    const second = new Authenticator(authenticator.origin, authenticator.rpId)
    const answer = second.create(await optionsOf(visitor, HOME))
    const added = await visitor.send(HOME, { name: 'My key', response: answer })
    assert.equal(added.status, 201)
    for (const one of [authenticator, second]) {
      const { response } = await signIn(one)
      assert.equal(response.status, 200)
    }
  })

  test('422 for an answer {what}, and no passkey is added')
    .with([
      { what: 'of another origin', changes: { origin: 'https://evil.example' } },
      { what: 'for another host', changes: { rpId: 'evil.example' } },
      { what: 'to another challenge', changes: { challenge: 'AAAA' } },
      { what: 'without a check of the person', changes: { verified: false } },
      { what: 'out of a frame of another site', changes: { clientData: { crossOrigin: true } } },
      {
        what: 'of a page inside of another site',
        changes: { clientData: { topOrigin: 'https://evil.example' } },
      },
    ])
    .run(async ({ assert }, { changes }) => {
      const { origin, rpId } = await usePasskeys()
      const { visitor } = await signedIn()
      const answer = new Authenticator(origin, rpId).create(await optionsOf(visitor, HOME), changes)
      const response = await visitor.send(HOME, { name: 'x', response: answer })
      assert.equal(response.status, 422)
      assert.equal((await read(response)).errors[0].field, 'response')
      assert.isEmpty((await read(await visitor.get(HOME))).passkeys)
    })

  test('422 for {what}')
    .with([
      { what: 'no name', field: 'name', json: { response: { id: 'x' } } },
      { what: 'an empty name', field: 'name', json: { name: ' ', response: { id: 'x' } } },
      { what: 'no answer', field: 'response', json: { name: 'x' } },
      { what: 'an answer that is no object', field: 'response', json: { name: 'x', response: 7 } },
      { what: 'an answer that is no JSON', field: 'response', json: { name: 'x', response: '{' } },
      {
        what: 'an answer without parts',
        field: 'response',
        json: { name: 'x', response: { id: 'x' } },
      },
      {
        what: 'parts of wrong types',
        field: 'response',
        json: { name: 'x', response: { id: 'x', response: [] } },
      },
    ])
    .run(async ({ assert }, { json, field }) => {
      const { visitor } = await signedIn()
      await optionsOf(visitor, HOME)
      const response = await visitor.send(HOME, json)
      assert.equal(response.status, 422)
      const { errors } = await read(response)
      assert.deepEqual(
        errors.map((error: any) => error.field),
        [field]
      )
    })

  test('a name has 1 to 255 characters, none of which is a control character', async ({
    assert,
  }) => {
    const { visitor, passkey } = await owner()
    const rename = async (name: string) => {
      const response = await visitor.send(`${HOME}/${passkey.id}`, { name })
      return response.status
    }
    for (const name of ['x', 'n'.repeat(255)]) {
      assert.equal(await rename(name), 204)
    }
    for (const name of ['', 'n'.repeat(256), 'two\nlines', 'nul\0', 'half \ud83d']) {
      assert.equal(await rename(name), 422)
    }
    const { passkeys } = await read(await visitor.get(HOME))
    assert.equal(passkeys[0].name, 'n'.repeat(255))
  })

  test('a form leads back to the list, which tells of the new one', async ({ assert }) => {
    const { origin, rpId } = await usePasskeys()
    const { visitor } = await signedIn()
    const answer = new Authenticator(origin, rpId).create(await optionsOf(visitor, HOME))
    const form = { name: 'My phone', response: JSON.stringify(answer), _token: visitor.csrfToken }
    const response = await visitor.post(HOME, { form, headers: PAGE })
    assert.equal(response.headers.get('location'), HOME)
    const page = await (await visitor.get(HOME, { headers: PAGE })).text()
    assert.include(page, 'My phone')
    assert.include(page, 'The passkey has been added.')
  })

  test('an answer registers once, also when it is sent twice at the same time', async ({
    assert,
  }) => {
    const { origin, rpId } = await usePasskeys()
    const { visitor } = await signedIn()
    const answer = new Authenticator(origin, rpId).create(await optionsOf(visitor, HOME))
    const responses = await Promise.all(
      [1, 2, 3].map((number) => visitor.send(HOME, { name: `No. ${number}`, response: answer }))
    )
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 422, 422])
  })

  test('the passkey of somebody else is not registered again', async ({ assert }) => {
    const { authenticator } = await owner()
    const { visitor } = await signedIn()
    const answer = authenticator.create(await optionsOf(visitor, HOME))
    const response = await visitor.send(HOME, { name: 'mine now', response: answer })
    assert.equal(response.status, 422)
  })

  test('every route needs a confirmation', async ({ assert }) => {
    const tick = stopClock()
    const { visitor, passkey } = await owner()
    tick(900)
    for (const path of ['', '/options', `/${passkey.id}`, `/${passkey.id}/remove`]) {
      const response = await visitor.send(HOME + path, { name: 'x' })
      assert.equal((await read(response)).error, 'confirmation_required')
    }
    const page = await visitor.get(HOME, { headers: PAGE })
    assert.equal(page.headers.get('location'), '/confirm')
  })
})

test.group('Changing passkeys', () => {
  test('a new name, and removal: as JSON and as a form', async ({ assert }) => {
    const { visitor, passkey, authenticator } = await owner()
    const renamed = await visitor.send(`${HOME}/${passkey.id}`, { name: 'Old laptop' })
    assert.equal(renamed.status, 204)
    const pageText = async () => (await visitor.get(HOME, { headers: PAGE })).text()
    assert.include(await pageText(), 'Old laptop')
    const form = { name: 'Older laptop', _token: visitor.csrfToken }
    await visitor.post(`${HOME}/${passkey.id}`, { form, headers: PAGE })
    assert.include(await pageText(), 'The passkey has a new name.')
    const removed = await visitor.post(`${HOME}/${passkey.id}/remove`, {
      form: { _token: visitor.csrfToken, sure: '1' },
      headers: PAGE,
    })
    assert.equal(removed.headers.get('location'), HOME)
    assert.include(await pageText(), 'The passkey has been removed.')
    const { response } = await signIn(authenticator)
    assert.equal(response.status, 401)
    const again = await visitor.request('DELETE', `${HOME}/${passkey.id}`, { csrf: true })
    assert.equal(again.status, 404)
  })

  test('both are of that passkey alone, whose key has one spelling', async ({ assert }) => {
    const { user, visitor, passkey, authenticator } = await owner()
    const phone = new Authenticator(authenticator.origin, authenticator.rpId)
    const answer = phone.create(await optionsOf(visitor, HOME))
    const other = await read(await visitor.send(HOME, { name: 'Phone', response: answer }))
    for (const key of [`0${other.id}`, `${other.id}.0`, `${other.id}e0`]) {
      const renamed = await visitor.send(`${HOME}/${key}`, { name: 'x' })
      const removed = await visitor.request('DELETE', `${HOME}/${key}`, { csrf: true })
      assert.deepEqual([renamed.status, removed.status], [404, 404], key)
    }
    await visitor.send(`${HOME}/${passkey.id}`, { name: 'Old laptop' })
    const own = () => db.from('passkeys').where('user_id', String(user.id)).orderBy('id')
    const names = async () => (await own()).map(({ name }) => name)
    assert.deepEqual(await names(), ['Old laptop', 'Phone'])
    await visitor.request('DELETE', `${HOME}/${passkey.id}`, { csrf: true })
    assert.deepEqual(await names(), ['Phone'])
  })

  test('a new name is there for its own passkey, and for no new one, when the person has confirmed', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { visitor, passkey } = await owner()
    const { url } = await visitor.get('/health')
    tick(1000)
    const form = { name: 'Old laptop', row: String(passkey.id), _token: visitor.csrfToken }
    const headers = { ...PAGE, referer: new URL(HOME, url).href }
    const refused = await visitor.post(`${HOME}/${passkey.id}`, { form, headers })
    assert.equal(refused.headers.get('location'), '/confirm')
    await visitor.send('/confirm', { password: FACTORY_PASSWORD })
    const page = await (await visitor.get(HOME, { headers: PAGE })).text()
    assert.include(page, `<input type="hidden" name="row" value="${passkey.id}" />`)
    assert.match(page, /<details class="more" open>/)
    assert.lengthOf(page.match(/value="Old laptop"/g)!, 1)
    assert.match(page, new RegExp(`id="name-${passkey.id}"[^>]* value="Old laptop"`))
  })

  test('one that is gone is said to be gone, whether it was to be renamed or removed', async ({
    assert,
  }) => {
    const { visitor, passkey } = await owner()
    await visitor.request('DELETE', `${HOME}/${passkey.id}`, { csrf: true })
    for (const [path, fields] of [
      ['', { name: 'Old laptop' }],
      ['/remove', { sure: '1' }],
    ] as const) {
      const form = { ...fields, _token: visitor.csrfToken }
      await visitor.post(`${HOME}/${passkey.id}${path}`, { form, headers: PAGE })
      const page = await (await visitor.get(HOME, { headers: PAGE })).text()
      assert.include(page, 'This passkey had been removed already.')
    }
  })

  test('those of somebody else are none: 404 for {id}')
    .with([{ id: 'theirs' }, { id: '0' }, { id: 'x' }, { id: '9'.repeat(30) }])
    .run(async ({ assert }, { id }) => {
      const { passkey, authenticator } = await owner()
      const { visitor } = await signedIn()
      const key = id === 'theirs' ? passkey.id : id
      const renamed = await visitor.send(`${HOME}/${key}`, { name: 'x' })
      const removed = await visitor.request('DELETE', `${HOME}/${key}`, { csrf: true })
      assert.deepEqual([renamed.status, removed.status], [404, 404])
      const { response } = await signIn(authenticator)
      assert.equal(response.status, 200)
    })

  test('are security events, and told by mail', async ({ assert, cleanup }) => {
    const heard: string[] = []
    cleanup(emitter.on('auth:passkey_added', ({ details }) => void heard.push(`+${details.name}`)))
    cleanup(
      emitter.on('auth:passkey_removed', ({ details }) => void heard.push(`-${details.name}`))
    )
    await afterReplies()
    const { mails } = mail.fake()
    cleanup(() => mail.restore())
    const { user, visitor, passkey } = await owner()
    const removed = await visitor.request('DELETE', `${HOME}/${passkey.id}`, { csrf: true })
    assert.equal(removed.status, 204)
    await afterReplies()
    const subjects = mails
      .sent((sent) => sent instanceof SecurityMail)
      .map((sent) => sent.subject ?? '')
    assert.lengthOf(
      subjects.filter((subject) => subject.startsWith('A passkey was')),
      2
    )
    mails.assertSent(SecurityMail, ({ message }) => message.hasTo(user.email))
    assert.deepEqual(heard, ['+My laptop', '-My laptop'])
  })

  test('a deleted account leaves none', async ({ assert }) => {
    const { user, visitor } = await owner()
    await visitor.send('/account/delete', { password: FACTORY_PASSWORD })
    assert.isEmpty(await db.from('passkeys').where('user_id', String(user.id)))
  })
})

test.group('POST /login/passkey', () => {
  test('signs the owner in, without a password', async ({ assert }) => {
    const { user, visitor: first, authenticator, passkey } = await owner()
    const { visitor, response } = await signIn(authenticator)
    assert.equal(response.status, 200)
    assert.deepEqual(await read(response), { user: user.toProfile() })
    assert.isTrue(await isSignedIn(visitor))
    const { passkeys } = await read(await first.get(HOME))
    assert.equal(passkeys[0].id, passkey.id)
    assert.isNumber(passkeys[0].last_used_at)
  })

  test('one that is removed while its session begins opens none', async ({ assert }) => {
    const { authenticator, passkey } = await owner()
    const { store } = (await authManager()).feature('sessions')!
    wrapForTest(store, 'create', (create) => async (key, record, caller) => {
      if (record.userId !== null) {
        await db.from('passkeys').where('id', passkey.id).delete()
      }
      return create(key, record, caller)
    })
    const { visitor, response } = await signIn(authenticator)
    assert.equal(response.status, 401)
    assert.equal((await visitor.get('/api/me')).status, 401)
  })

  test('the options name nobody', async ({ assert }) => {
    await owner()
    const options = await optionsOf(new Visitor(), '/login/passkey')
    assert.deepEqual(options.allowCredentials, [])
    assert.equal(options.userVerification, 'required')
    assert.equal(options.rpId, 'localhost')
  })

  test('a form leads to the page that was asked for', async ({ assert }) => {
    const { authenticator } = await owner()
    const visitor = new Visitor()
    await visitor.get('/account/password', { headers: PAGE })
    await visitor.get('/login', { headers: PAGE })
    const answer = authenticator.get(await optionsOf(visitor, '/login/passkey'))
    const response = await visitor.post('/login/passkey', {
      form: { response: JSON.stringify(answer), _token: visitor.csrfToken },
      headers: PAGE,
    })
    assert.equal(response.headers.get('location'), '/account/password')
    assert.isTrue(await isSignedIn(visitor))
  })

  test('the form of an answer that is refused leads back to the sign-in, and says why', async ({
    assert,
  }) => {
    const { authenticator } = await owner()
    const visitor = new Visitor()
    await visitor.get('/login', { headers: PAGE })
    const answer = authenticator.get(await optionsOf(new Visitor(), '/login/passkey'))
    const response = await visitor.post('/login/passkey', {
      form: { response: JSON.stringify(answer), _token: visitor.csrfToken },
      headers: PAGE,
    })
    assert.equal(response.headers.get('location'), '/login')
    const page = await visitor.get('/login', { headers: PAGE })
    assert.include(await page.text(), 'This passkey is not known here')
  })

  test('a new one is asked for without attestation, which would tell the make of the device', async ({
    assert,
  }) => {
    const { visitor } = await owner()
    const options = await optionsOf(visitor, HOME)
    assert.equal(options.attestation, 'none')
  })

  test('it is not asked for a second factor, and for no password', async ({ assert }) => {
    const { user, authenticator } = await owner()
    await turnOn(user)
    const { visitor, response } = await signIn(authenticator)
    assert.equal(response.status, 200)
    assert.isTrue(await isSignedIn(visitor))
  })

  test('nor for a code by mail, whoever needs one after the password', async ({ assert }) => {
    const { authenticator } = await owner()
    const mails = await useMailCodes({ afterPassword: true })
    const { visitor, response } = await signIn(authenticator)
    assert.equal(response.status, 200)
    assert.isTrue(await isSignedIn(visitor))
    await afterReplies()
    assert.isEmpty(mails)
  })

  test('a session lives for {hours} hours {what}')
    .with([
      { what: 'where it is remembered', body: { remember: true }, hours: 30 * 24 },
      { what: 'where it is not', body: { remember: false }, hours: 2 },
      { what: 'where nothing is said', body: {}, hours: 2 },
    ])
    .run(async ({ assert }, { body, hours }) => {
      const { user, visitor, authenticator } = await owner()
      await visitor.send('/logout')
      await signIn(authenticator, { body })
      const session = await SessionModel.findByOrFail('userId', String(user.id))
      assert.equal(session.expiresAt - session.createdAt, hours * 60 * 60 * 1000)
    })

  test('its use is told with its name and without its key, but not of an inactive user', async ({
    assert,
    cleanup,
  }) => {
    const told: object[] = []
    cleanup(emitter.on('passkeys:used', ({ user, passkey }) => void told.push([user?.id, passkey])))
    const { user, authenticator } = await owner()
    await signIn(authenticator)
    assert.lengthOf(told, 1)
    const [[id, passkey]] = told as [[number, object]]
    assert.equal(id, user.id)
    assert.sameMembers(Object.keys(passkey), ['id', 'name', 'lastUsedAt', 'createdAt'])
    await user.merge({ isActive: false }).save()
    await signIn(authenticator)
    assert.lengthOf(told, 1)
  })

  test('401 for an answer {what}')
    .with([
      { what: 'of another origin', changes: { origin: 'https://evil.example' } },
      { what: 'for another host', changes: { rpId: 'evil.example' } },
      { what: 'to another challenge', changes: { challenge: 'AAAA' } },
      { what: 'without a check of the person', changes: { verified: false } },
      { what: 'out of a frame of another site', changes: { clientData: { crossOrigin: true } } },
      {
        what: 'of a page inside of another site',
        changes: { clientData: { topOrigin: 'https://evil.example' } },
      },
      { what: 'that names another user', changes: { userHandle: 'AAAA' } },
    ])
    .run(async ({ assert }, { changes }) => {
      const { authenticator } = await owner()
      const { visitor, response } = await signIn(authenticator, { changes })
      assert.equal(response.status, 401)
      assert.equal((await read(response)).error, 'invalid_session')
      assert.isFalse(await isSignedIn(visitor))
    })

  test('401 for a passkey that nobody has, and for a forged signature', async ({ assert }) => {
    const { authenticator } = await owner()
    const stranger = new Authenticator(authenticator.origin, authenticator.rpId)
    stranger.create(await optionsOf((await signedIn()).visitor, HOME))
    const unknown = await signIn(stranger)
    assert.equal(unknown.response.status, 401)

    const visitor = new Visitor()
    /* Without a user handle, nothing but the signature is wrong. */
    const options = await optionsOf(visitor, '/login/passkey')
    const forged = stranger.get(options, { userHandle: '' })
    const response = await visitor.send('/login/passkey', {
      response: { ...forged, id: authenticator.id, rawId: authenticator.id },
    })
    assert.equal(response.status, 401)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('an inactive user is refused', async ({ assert }) => {
    const { user, authenticator } = await owner()
    await user.merge({ isActive: false }).save()
    const { response } = await signIn(authenticator)
    assert.equal(response.status, 401)
  })

  test('422 for {what}')
    .with([
      { what: 'nothing', json: {} },
      { what: 'a list', json: { response: [] } },
      { what: 'an id that is no text', json: { response: { id: {} } } },
    ])
    .run(async ({ assert }, { json }) => {
      const response = await new Visitor().send('/login/passkey', json)
      assert.equal(response.status, 422)
    })

  test('401 for an id with {what}')
    .with([
      { what: 'NUL', id: '\0' },
      { what: 'a million characters', id: 'a'.repeat(1_000_000) },
    ])
    .run(async ({ assert }, { id }) => {
      const response = await new Visitor().send('/login/passkey', { response: { id } })
      assert.isTrue([401, 413].includes(response.status))
    })

  test('failures are limited', async ({ assert }) => {
    await limit({ failedLogins: { perAddress: { attempts: 2, seconds: 60 } } } as any)
    await usePasskeys()
    const statuses = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const response = await new Visitor().send('/login/passkey', { response: { id: 'x' } })
      statuses.push(response.status)
    }
    assert.deepEqual(statuses, [401, 401, 429])
  })
})

test.group('Who knows the id of a passkey', () => {
  test('does not lock its owner out', async ({ assert }) => {
    const { authenticator } = await owner()
    const few = { attempts: 2, seconds: 60 }
    await limit({ failedLogins: { perSubject: few, perSubjectAndAddress: few } })
    for (let attempt = 0; attempt < 3; attempt++) {
      await new Visitor().send('/login/passkey', { response: { id: authenticator.id } })
    }
    const { response } = await signIn(authenticator)
    assert.equal(response.status, 200)
  })
})

test.group('An answer counts once', () => {
  test('replayed in the same session or in another one it is refused', async ({ assert }) => {
    const { authenticator } = await owner()
    const { visitor, answer } = await signIn(authenticator)
    await visitor.send('/logout')
    const replays = [visitor, new Visitor()]
    for (const one of replays) {
      await optionsOf(one, '/login/passkey')
      const response = await one.send('/login/passkey', { response: answer })
      assert.equal(response.status, 401)
    }
  })

  test('also when it is sent ten times at the same time, counted or not: {counter}')
    .with([{ counter: 0 }, { counter: 5 }])
    .run(async ({ assert, cleanup }, { counter }) => {
      const reasons: string[] = []
      cleanup(emitter.on('passkeys:refused', ({ reason }) => void reasons.push(reason)))
      const { authenticator } = await owner()
      const visitor = new Visitor()
      const options = await optionsOf(visitor, '/login/passkey')
      const answer = authenticator.get(options, { counter })
      const cookies = new Map(visitor.cookies)
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => {
          const copy = new Visitor()
          cookies.forEach((value, name) => copy.cookies.set(name, value))
          return copy.send('/login/passkey', { response: answer })
        })
      )
      const statuses = responses.map(({ status }) => status)
      assert.lengthOf(
        statuses.filter((status) => status === 200),
        1
      )
      assert.lengthOf(
        statuses.filter((status) => status >= 400 && status < 500),
        9
      )
      /* One that comes when the session has a new id is refused before anybody looks at its answer. */
      assert.lengthOf(reasons, statuses.filter((status) => status === 401).length)
    })

  test('an answer to the challenge of another session is refused', async ({ assert }) => {
    const { authenticator } = await owner()
    const options = await optionsOf(new Visitor(), '/login/passkey')
    const thief = new Visitor()
    await optionsOf(thief, '/login/passkey')
    const response = await thief.send('/login/passkey', { response: authenticator.get(options) })
    assert.equal(response.status, 401)
  })

  test('a challenge for one purpose is refused for another', async ({ assert }) => {
    const { visitor, authenticator } = await owner()
    const forConfirmation = await optionsOf(visitor, '/confirm/passkey')
    const login = await visitor.send('/login/passkey', {
      response: authenticator.get(forConfirmation),
    })
    assert.equal(login.status, 401)
    const forLogin = await optionsOf(visitor, '/login/passkey')
    const confirm = await visitor.send('/confirm/passkey', {
      response: authenticator.get(forLogin),
    })
    assert.equal(confirm.status, 422)
  })

  test('a challenge lives half an hour: {status} after {seconds} seconds')
    .with([
      { seconds: 1799, status: 200 },
      { seconds: 1800, status: 401 },
    ])
    .run(async ({ assert }, { seconds, status }) => {
      const tick = stopClock()
      const { authenticator } = await owner()
      const visitor = new Visitor()
      const options = await optionsOf(visitor, '/login/passkey')
      tick(seconds)
      const answer = authenticator.get(options)
      const response = await visitor.send('/login/passkey', { response: answer })
      assert.equal(response.status, status)
    })

  test('a challenge that was answered wrongly is used up', async ({ assert }) => {
    const { authenticator } = await owner()
    const visitor = new Visitor()
    const options = await optionsOf(visitor, '/login/passkey')
    for (const changes of [{ verified: false }, {}]) {
      const answer = authenticator.get(options, changes)
      const response = await visitor.send('/login/passkey', { response: answer })
      assert.equal(response.status, 401)
    }
  })

  test('tabs that ask at the same moment keep a challenge each', async ({ assert }) => {
    const { visitor, authenticator } = await owner()
    const passkeys = (await authManager()).feature('passkeys')!
    meetForTest(passkeys, 'confirmationOptions', { calls: 3 })
    const tabs = Array.from({ length: 3 }, () => optionsOf(visitor, '/confirm/passkey'))
    const statuses: number[] = []
    for (const options of await Promise.all(tabs)) {
      const json = { response: authenticator.get(options) }
      statuses.push((await visitor.send('/confirm/passkey', json)).status)
    }
    assert.deepEqual(statuses, [200, 200, 200])
  })

  test('the last five challenges of a session work, whichever is answered first', async ({
    assert,
  }) => {
    const { authenticator } = await owner()
    const visitor = new Visitor()
    const tabs = []
    while (tabs.length < 6) {
      tabs.push(await optionsOf(visitor, '/login/passkey'))
    }
    const statuses = []
    for (const options of [tabs[0], tabs[5], tabs[1]]) {
      const response = await visitor.send('/login/passkey', {
        response: authenticator.get(options),
      })
      statuses.push(response.status)
    }
    assert.deepEqual(statuses, [401, 200, 200])
  })

  test('a counter that does not go up is refused and told: the passkey was copied', async ({
    assert,
    cleanup,
  }) => {
    const reasons: string[] = []
    cleanup(emitter.on('passkeys:refused', ({ reason }) => void reasons.push(reason)))
    const { authenticator } = await owner()
    const first = await signIn(authenticator, { changes: { counter: 7 } })
    assert.equal(first.response.status, 200)
    for (const counter of [7, 3, 0]) {
      const { response } = await signIn(authenticator, { changes: { counter } })
      assert.equal(response.status, 401)
    }
    assert.lengthOf(reasons, 3)
    const next = await signIn(authenticator, { changes: { counter: 8 } })
    assert.equal(next.response.status, 200)
  })

  test(
    'what is kept about used challenges is purged a minute after they would have expired: {kept} after {seconds} seconds'
  )
    .with([
      { seconds: 1859, kept: 1 },
      { seconds: 1860, kept: 0 },
    ])
    .run(async ({ assert }, { seconds, kept }) => {
      const tick = stopClock()
      const purges = await app.container.make(Purges)
      await db.from('used_once').delete()
      await owner()
      tick(seconds)
      await purges.run()
      assert.lengthOf(await db.from('used_once').select('digest'), kept)
    })
})

test.group('A passkey after the password', () => {
  test('takes the second step', async ({ assert }) => {
    const tick = stopClock()
    const { user, authenticator } = await owner()
    await turnOn(user)
    tick(30)
    const visitor = new Visitor()
    await visitor.post('/login', {
      json: { email: user.email, password: FACTORY_PASSWORD, remember: true },
    })
    const form = await visitor.get('/login/two-factor', { headers: PAGE })
    assert.include(await form.text(), 'data-passkey="get"')
    const options = await optionsOf(visitor, '/login/passkey')
    assert.deepEqual(
      options.allowCredentials.map(({ id }: any) => id),
      [authenticator.id]
    )
    const response = await visitor.send('/login/passkey', { response: authenticator.get(options) })
    assert.equal(response.status, 200)
    assert.isTrue(await isSignedIn(visitor))
    const sessions = await SessionModel.query().where('userId', String(user.id))
    assert.isTrue(sessions.some((one) => one.expiresAt - one.createdAt === 30 * 86_400_000))
  })

  test('of somebody else does not, and leaves the step open', async ({ assert }) => {
    const tick = stopClock()
    const { authenticator } = await owner()
    const user = await UserFactory.create()
    const { secret } = await turnOn(user)
    tick(30)
    const visitor = new Visitor()
    await visitor.login(user.email, FACTORY_PASSWORD)
    const { response } = await signIn(authenticator, { visitor })
    assert.equal(response.status, 401)
    assert.isFalse(await isSignedIn(visitor))
    const code = await visitor.send('/login/two-factor', { code: codeOf(secret) })
    assert.equal(code.status, 200)
  })
})

test.group('POST /confirm/passkey', () => {
  test('confirms for a while', async ({ assert }) => {
    const tick = stopClock()
    const { visitor, authenticator } = await owner()
    tick(900)
    const form = await visitor.get('/confirm', { headers: PAGE })
    assert.include(await form.text(), 'action="/confirm/passkey"')
    const options = await optionsOf(visitor, '/confirm/passkey')
    assert.lengthOf(options.allowCredentials, 1)
    const answer = authenticator.get(options)
    const response = await visitor.send('/confirm/passkey', { response: answer })
    assert.deepEqual(await read(response), { status: 'confirmed' })
    const list = await visitor.get(HOME)
    assert.equal(list.status, 200)
  })

  test('the passkey of somebody else confirms nothing', async ({ assert }) => {
    const tick = stopClock()
    const { authenticator } = await owner()
    const { visitor } = await signedIn()
    tick(900)
    const answer = authenticator.get(await optionsOf(visitor, '/confirm/passkey'))
    const response = await visitor.send('/confirm/passkey', { response: answer })
    assert.equal(response.status, 422)
    const list = await visitor.get(HOME)
    assert.equal(list.status, 403)
  })

  test('a stranger gets 401', async ({ assert }) => {
    for (const path of ['/confirm/passkey', '/confirm/passkey/options']) {
      const response = await new Visitor().send(path, { response: { id: 'x' } })
      assert.equal(response.status, 401)
    }
  })
})
