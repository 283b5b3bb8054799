import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import mail from '@adonisjs/mail/services/main'
import { test } from '@japa/runner'

import { appName } from '#config/app'
import { hashSecret } from '#kit/security/secrets'
import { UserFactory } from '#database/factories/user_factory'
import PasswordResetMail from '#kit/password_reset/password_reset_mail'
import PasswordResetToken from '#kit/password_reset/models/password_reset_token'
import { afterReplies, configure, countHashes } from '#starter/helpers/passwords'
import { interceptTokens } from '#starter/helpers/reset_tokens'
import { serverUrl } from '#starter/helpers/server_url'
import { limit } from '#starter/helpers/limits'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const STATUS = 'If that account exists, a reset link has been sent.'
const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** Different at every request, whoever it is about. */
const OF_THE_MOMENT = ['date', 'x-request-id']

function ask(email: unknown, visitor = new Visitor()) {
  return visitor.post('/password/email', { json: { email } })
}

/** An e-mail of each kind that the answer must not tell apart. */
async function everyKindOfEmail() {
  const known = await UserFactory.create()
  const throttled = await UserFactory.create()
  const inactive = await UserFactory.merge({ isActive: false }).create()
  await ask(throttled.email)
  await afterReplies()
  return {
    known: known.email,
    unknown: 'nobody@example.com',
    throttled: throttled.email,
    inactive: inactive.email,
  }
}

test.group('POST /password/email', (group) => {
  group.each.teardown(() => afterReplies())

  test('200 with the generic answer, which is not to be stored', async ({ assert }) => {
    await interceptTokens()
    const user = await UserFactory.create()
    const response = await ask(user.email)
    assert.equal(response.status, 200)
    assert.equal(await response.text(), JSON.stringify({ status: STATUS }))
    assert.match(response.headers.get('content-type')!, /^application\/json/)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.lengthOf(response.setCookies, 0)
  })

  test('bodies and headers are byte-identical for known, unknown, throttled and inactive', async ({
    assert,
  }) => {
    await interceptTokens()
    const answers = []
    for (const email of Object.values(await everyKindOfEmail())) {
      const response = await ask(email)
      const headers = [...response.headers].filter(([name]) => !OF_THE_MOMENT.includes(name))
      answers.push({ status: response.status, headers, body: await response.text() })
    }
    for (const answer of answers) {
      assert.deepEqual(answer, answers[0])
    }
  })

  test('nothing is looked up, hashed or mailed before the reply is out', async ({ assert }) => {
    const delivered = await interceptTokens()
    const server = await app.container.make('server')
    for (const [kind, email] of Object.entries(await everyKindOfEmail())) {
      await afterReplies()
      const before = delivered.length
      let atReply: { statements: string[]; delivered: number } | undefined
      const client = db.connection().getWriteClient()
      const statements: string[] = []
      // The provider of an organisation is asked of every address alike, by its domain.
      const listener = ({ sql }: { sql: string }) => {
        if (!sql.includes('organisation_providers')) {
          statements.push(sql)
        }
      }
      client.on('query', listener)
      server.getNodeServer()!.once('request', (_, response) => {
        response.once('finish', () => {
          atReply = { statements: [...statements], delivered: delivered.length }
        })
      })
      const hashes = await countHashes(async () => {
        await ask(email)
        await afterReplies()
      })
      client.removeListener('query', listener)
      assert.deepEqual(atReply, { statements: [], delivered: before }, kind)
      assert.isAbove(statements.length, 0, kind)
      assert.equal(hashes, 0, kind)
    }
  })

  test('a link goes to the known alone, and never twice inside the window', async ({ assert }) => {
    const delivered = await interceptTokens()
    const kinds = await everyKindOfEmail()
    delivered.length = 0
    for (const email of Object.values(kinds)) {
      await ask(email)
    }
    await afterReplies()
    assert.deepEqual(
      delivered.map(({ email }) => email),
      [kinds.known]
    )
  })

  test('of several requests at once one sends a mail', async ({ assert }) => {
    const delivered = await interceptTokens()
    const user = await UserFactory.create()
    const responses = await Promise.all(Array.from({ length: 6 }, () => ask(user.email)))
    await afterReplies()
    responses.forEach((response) => assert.equal(response.status, 200))
    assert.lengthOf(delivered, 1)
  })

  test('the e-mail is compared in lower case and without spaces around it', async ({ assert }) => {
    const delivered = await interceptTokens()
    const user = await UserFactory.create()
    await ask(` ${user.email.toUpperCase()} `)
    await afterReplies()
    assert.deepEqual(delivered, [{ email: user.email, token: delivered[0]!.token }])
  })

  test('the token is stored as its SHA-256 alone', async ({ assert }) => {
    const delivered = await interceptTokens()
    const user = await UserFactory.create()
    await ask(user.email)
    await afterReplies()
    const row = await PasswordResetToken.findByOrFail('email', user.email)
    assert.equal(row.token, hashSecret(delivered[0]!.token))
    assert.notProperty(row.serialize(), 'token')
    assert.notInclude(JSON.stringify(await db.from('password_reset_tokens')), delivered[0]!.token)
  })

  test('the app mails a link to the reset page', async ({ assert, cleanup }) => {
    const { mails } = mail.fake()
    cleanup(() => mail.restore())
    const user = await UserFactory.create()
    await ask(user.email)
    await afterReplies()
    mails.assertSentCount(PasswordResetMail, 1)
    const [sent] = mails.sent()
    await sent!.buildWithContents()
    sent!.message.assertTo(user.email)
    sent!.message.assertSubject(`Set a new password for ${appName}`)
    const link = /http\S+/.exec(sent!.message.toObject().message.text as string)![0]
    const url = new URL(link)
    const row = await PasswordResetToken.findByOrFail('email', user.email)
    assert.equal(url.origin + url.pathname, `${process.env.APP_URL}/password/reset`)
    assert.equal(url.searchParams.get('email'), user.email)
    assert.equal(hashSecret(url.searchParams.get('token')!), row.token)
    sent!.message.assertHtmlIncludes(link.replaceAll('&', '&amp;'))
  })

  test('a notifier that throws changes nothing the caller sees', async ({ assert }) => {
    await configure({
      passwordResetNotifier: () => {
        throw new Error('no mail today')
      },
    })
    const user = await UserFactory.create()
    const response = await ask(user.email)
    assert.equal(response.status, 200)
    assert.equal(await response.text(), JSON.stringify({ status: STATUS }))
    await afterReplies()
  })

  test('422 for an e-mail that is missing or malformed', async ({ assert }) => {
    for (const email of [undefined, null, '', 'no address', 7, ['a@example.com'], { a: 1 }]) {
      const response = await ask(email)
      assert.equal(response.status, 422, JSON.stringify(email))
      const { errors } = (await response.json()) as { errors: { field: string }[] }
      assert.equal(errors[0]!.field, 'email')
    }
    for (const email of ['a\u0000b@example.com', `${'a'.repeat(1_000_000 - 50)}@example.com`]) {
      const response = await ask(email)
      assert.equal(response.status, 422)
    }
  })

  test('405 with Allow for another method', async ({ assert }) => {
    const response = await new Visitor().get('/password/email')
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'POST')
  })

  test('needs no authentication; with a live session it needs the CSRF token', async ({
    assert,
  }) => {
    await interceptTokens()
    const { user, visitor } = await signedIn()
    const refused = await ask(user.email, visitor)
    assert.equal(refused.status, 403)
    const response = await visitor.send('/password/email', { email: user.email })
    assert.equal(response.status, 200)
  })
})

test.group('POST /password/email | debugExposeResetToken', (group) => {
  group.each.teardown(() => afterReplies())

  test('the token is in the reply, only when one was issued', async ({ assert }) => {
    await interceptTokens()
    const kinds = await everyKindOfEmail()
    await configure({ debugExposeResetToken: true })
    const delivered = await interceptTokens()
    for (const [kind, email] of Object.entries(kinds)) {
      const response = await ask(email)
      assert.equal(response.status, 200)
      const body = (await response.json()) as { status: string; token?: string }
      assert.equal(body.status, STATUS)
      await afterReplies()
      if (kind === 'known') {
        assert.deepEqual(delivered, [{ email, token: body.token! }])
      } else {
        assert.notProperty(body, 'token')
      }
    }
  })

  test('it is off unless the config says otherwise', async ({ assert }) => {
    const { config } = await app.container.make('auth_manager')
    assert.isFalse(config.debugExposeResetToken)
  })
})

test.group('POST /password/email | limit of mails per address', (group) => {
  group.each.teardown(() => afterReplies())

  test('429 throttled with Retry-After, whoever is asked for', async ({ assert }) => {
    await interceptTokens()
    await limit({ passwordMails: { perAddress: { attempts: 2, seconds: 60 } } })
    const user = await UserFactory.create()
    for (const email of [user.email, 'nobody@example.com']) {
      const response = await ask(email)
      assert.equal(response.status, 200)
    }
    const bodies = []
    for (const email of [user.email, 'nobody@example.com']) {
      const response = await ask(email)
      assert.equal(response.status, 429)
      assert.match(response.headers.get('retry-after')!, /^[1-9]\d*$/)
      assert.isAtMost(Number(response.headers.get('retry-after')), 60)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      bodies.push(await response.json())
    }
    assert.deepEqual(bodies[0], {
      error: 'throttled',
      error_description: 'Too many attempts. Try again later.',
    })
    assert.deepEqual(bodies[1], bodies[0])
  })

  test('a browser gets a page', async ({ assert }) => {
    await interceptTokens()
    await limit({ passwordMails: { perAddress: { attempts: 1, seconds: 60 } } })
    await ask('nobody@example.com')
    const response = await new Visitor().post('/password/email', {
      form: { email: 'nobody@example.com' },
      headers: PAGE,
    })
    assert.equal(response.status, 429)
    assert.match(response.headers.get('retry-after')!, /^[1-9]\d*$/)
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    assert.include(await response.text(), 'Too many attempts')
  })

  test('a malformed request does not count', async ({ assert }) => {
    await interceptTokens()
    await limit({ passwordMails: { perAddress: { attempts: 1, seconds: 60 } } })
    for (let request = 0; request < 3; request++) {
      await ask('no address')
    }
    const response = await ask('nobody@example.com')
    assert.equal(response.status, 200)
  })
})

test.group('Forgotten passwords | pages', (group) => {
  group.each.teardown(() => afterReplies())

  test('the sign-in page links to the form', async ({ assert }) => {
    const login = await new Visitor().get('/login', { headers: PAGE })
    assert.match(await login.text(), /<a href="\/password\/forgot">Forgot your password\?<\/a>/)
    const form = await new Visitor().get('/password/forgot', { headers: PAGE })
    assert.equal(form.status, 200)
    assert.include(await form.text(), 'action="/password/email"')
  })

  test('the form is answered by a redirect and the same message for everybody', async ({
    assert,
  }) => {
    const delivered = await interceptTokens()
    const user = await UserFactory.create()
    const pages = []
    for (const email of [user.email, 'nobody@example.com']) {
      const visitor = new Visitor()
      await visitor.get('/password/forgot', { headers: PAGE })
      const response = await visitor.post('/password/email', {
        form: { email, _token: visitor.csrfToken },
        headers: PAGE,
      })
      assert.equal(response.status, 302)
      assert.equal(response.headers.get('location'), '/password/forgot')
      const page = await visitor.get('/password/forgot', { headers: PAGE })
      const text = await page.text()
      assert.include(text, STATUS)
      assert.include(text, `value="${email}"`)
      pages.push(text.replaceAll(visitor.csrfToken, '').replaceAll(email, ''))
    }
    assert.equal(pages[0], pages[1])
    await afterReplies()
    assert.lengthOf(delivered, 1)
  })

  test('a malformed e-mail sends the form back with its message', async ({ assert }) => {
    const visitor = new Visitor()
    await visitor.get('/password/forgot', { headers: PAGE })
    const response = await visitor.post('/password/email', {
      form: { email: 'no address', _token: visitor.csrfToken },
      headers: { ...PAGE, referer: await serverUrl('/password/forgot') },
    })
    assert.equal(response.status, 302)
    assert.match(response.headers.get('location')!, /\/password\/forgot$/)
    const page = await visitor.get('/password/forgot', { headers: PAGE })
    assert.match(await page.text(), /class="field-error" id="email-note"/)
  })
})
