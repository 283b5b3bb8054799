import encryption from '@adonisjs/core/services/encryption'
import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import mail from '@adonisjs/mail/services/main'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { EmailVerification } from '#kit/email_verification/email_verification'
import type { ResolvedEmailVerificationConfig } from '#kit/email_verification/define_config'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import AddressTakenMail from '#kit/email_verification/address_taken_mail'
import SecurityMail from '#kit/accounts/security_mail'
import VerifyAddressMail from '#kit/email_verification/verify_address_mail'
import User from '#models/user'
import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { middleware } from '#start/kernel'
import { limit } from '#starter/helpers/limits'
import { opens } from '#starter/helpers/oauth'
import { afterReplies, authManager } from '#starter/helpers/passwords'
import { meetForTest, replaceForTest, wrapForTest } from '#starter/helpers/replace'
import { interceptTokens } from '#starter/helpers/reset_tokens'
import { typesSeenBy } from '#starter/helpers/security_events'
import { travel } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }

const uniqueAddress = () => `${crypto.randomUUID()}@example.com`

/** The mails that are sent while something runs. */
async function mailsOf(run: () => Promise<unknown>) {
  await afterReplies()
  const { mails } = mail.fake()
  await run()
  await afterReplies()
  const sent = mails.sent().map((one) => ({
    kind: one.constructor,
    to: [one.message.toJSON().message.to].flat().map((to: any) => to.address ?? to)[0],
    path: pathIn(one),
  }))
  mail.restore()
  return sent
}

/** The address that the mail's button leads to, without its origin. */
function pathIn(one: any): string {
  const { link } = one.message.contentViews.text.data
  return link ? link.slice(new URL(link).origin.length) : ''
}

async function linkFor(run: () => Promise<unknown>) {
  const [sent] = (await mailsOf(run)).filter(({ kind }) => kind === VerifyAddressMail)
  return sent!.path
}

/** Opens a link in a browser that is not signed in, by somebody who knows the password. */
const follow = (path: string, password = FACTORY_PASSWORD) =>
  new Visitor().post(path, { json: { password } })

const resend = (visitor: Visitor) => visitor.post('/email/verify', { csrf: true })

function changeAddress(visitor: Visitor, email: string) {
  return visitor.send('/account/email', { email, current_password: FACTORY_PASSWORD })
}

async function config() {
  return app.config.get<ResolvedEmailVerificationConfig>('email_verification')
}

router.get('/_test/verified', () => 'in').use(middleware.verified())

test.group('E-mail verification', () => {
  test('the mail says for how many hours its link works', async ({ assert }) => {
    for (const [expire, words] of [
      [1440, '24 hours'],
      [119, '1 hour.'],
      [20, '1 hour.'],
    ] as const) {
      const sent = new VerifyAddressMail({ email: 'a@example.com', link: 'https://x', expire })
      await sent.buildWithContents()
      assert.include(sent.message.toObject().message.text, `The link works for ${words}`)
    }
  })

  test('registering sends a link, and the link verifies the address', async ({ assert }) => {
    const email = uniqueAddress()
    const visitor = new Visitor()
    const path = await linkFor(() =>
      visitor.post('/register', {
        form: { email, password: 'a secret of mine', password_confirmation: 'a secret of mine' },
        headers: PAGE,
      })
    )
    const before = await visitor.get('/account', { headers: PAGE })
    assert.include(await before.text(), `${email} is not verified yet`)

    const page = await visitor.get(path, { headers: PAGE })
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('referrer-policy'), 'strict-origin')
    assert.include(page.headers.get('cache-control')!, 'no-store')
    const followed = await visitor.post(path, {
      form: { _token: visitor.csrfToken },
      headers: PAGE,
    })
    assert.equal(followed.headers.get('location'), '/account')
    const after = await visitor.get('/account', { headers: PAGE })
    assert.notInclude(await after.text(), 'is not verified yet')
    const state = await visitor.get('/account/email')
    assert.deepEqual(await state.json(), { email, verified: true, proposed_email: null })
  })

  test('opening the link alone verifies nothing: programs look into mails', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const path = await linkFor(() => resend(visitor))
    await visitor.get(path, { headers: PAGE })
    await user.refresh()
    assert.isNull(user.emailVerifiedAt)
  })

  test('works in a browser that is not signed in, with the password, and twice is no mistake', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const path = await linkFor(() => resend(visitor))
    for (const attempt of [1, 2]) {
      const response = await follow(path)
      assert.equal(response.status, 200, `attempt ${attempt}`)
      assert.deepEqual(await response.json(), { status: 'address verified' })
    }
    await user.refresh()
    assert.isNotNull(user.emailVerifiedAt)
  })

  test('verifies nothing for {what}: the account may be that of a stranger')
    .with([
      { what: 'the link alone', visit: async () => new Visitor(), json: {} },
      { what: 'a wrong password', visit: async () => new Visitor(), json: { password: 'wrong' } },
      {
        what: 'the session of another account',
        visit: async () => (await signedIn()).visitor,
        json: {},
      },
    ])
    .run(async ({ assert }, { visit, json }) => {
      const { user, visitor } = await signedIn()
      const path = await linkFor(() => resend(visitor))
      const mailbox = await visit()
      const refused = await mailbox.post(path, { json, csrf: mailbox.cookies.size > 0 })
      assert.equal(refused.status, 401)
      assert.equal(((await refused.json()) as any).error, 'invalid_session')
      await user.refresh()
      assert.isNull(user.emailVerifiedAt)
    })

  test('a page asks for the password where nobody is signed in, and again when it is wrong', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const path = await linkFor(() => resend(visitor))
    const mailbox = new Visitor()
    const ask = async () => (await mailbox.get(path, { headers: PAGE })).text()
    const form = await ask()
    assert.include(form, 'name="password"')
    assert.include(form, `autocomplete="username" value="${user.email}" readonly hidden`)
    assert.include(form, `action="${path.replaceAll('&', '&amp;')}"`)
    const send = (password: string) =>
      mailbox.post(path, { form: { password, _token: mailbox.csrfToken }, headers: PAGE })
    assert.equal((await send('wrong')).headers.get('location'), path)
    assert.include(await ask(), 'The password is wrong')
    assert.equal((await send(FACTORY_PASSWORD)).headers.get('location'), '/login')
    await user.refresh()
    assert.isNotNull(user.emailVerifiedAt)
  })

  test('guesses at the password of a link count like those of a login', async ({ assert }) => {
    const { visitor } = await signedIn()
    const path = await linkFor(() => resend(visitor))
    await limit({ failedLogins: { perSubject: { attempts: 2, seconds: 60 } } })
    const statuses = []
    while (statuses.length < 3) {
      statuses.push((await new Visitor().post(path, { json: { password: 'wrong' } })).status)
    }
    assert.deepEqual(statuses, [401, 401, 429])
  })

  test('one link posted four times at once verifies once, and is recorded once', async ({
    assert,
  }) => {
    for (const start of [
      async () => {
        const { visitor } = await signedIn()
        return { visitor, path: await linkFor(() => resend(visitor)), type: 'email_verified' }
      },
      async () => {
        const { visitor } = await signedIn(
          await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
        )
        const path = await linkFor(() => changeAddress(visitor, uniqueAddress()))
        return { visitor, path, type: 'email_changed' }
      },
    ]) {
      const { visitor, path, type } = await start()
      const follows = Array.from({ length: 4 }, () => visitor.post(path, { csrf: true }))
      const statuses = (await Promise.all(follows)).map(({ status }) => status)
      assert.deepEqual(statuses, [200, 200, 200, 200])
      const types = await typesSeenBy(visitor)
      assert.lengthOf(
        types.filter((one) => one === type),
        1
      )
    }
  })

  test('of two requests that have read an account, one verifies its address', async ({
    assert,
  }) => {
    const { addresses } = await config()
    const user = await UserFactory.create()
    const same = await User.findOrFail(user.id)
    assert.isTrue(await addresses.verify(user, user.email))
    assert.isFalse(await addresses.verify(same, user.email))
  })

  test('“send the link again” mails the current address until that is verified', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const proposed = uniqueAddress()
    await changeAddress(visitor, proposed)
    const first = await mailsOf(() => resend(visitor))
    assert.deepEqual(
      first.map(({ to }) => to),
      [user.email]
    )
    const page = await visitor.get('/email/verify', { headers: PAGE })
    assert.include(await page.text(), user.email)
    await user.merge({ emailVerifiedAt: Date.now() }).save()
    const then = await mailsOf(() => resend(visitor))
    assert.deepEqual(
      then.map(({ to }) => to),
      [proposed]
    )
  })

  test('the forms for another link and for the end of a change lead back to their pages', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    for (const [form, page] of [
      ['/email/verify', '/email/verify'],
      ['/account/email/cancel', '/account/email'],
    ] as const) {
      const response = await visitor.post(form, { headers: PAGE, csrf: true })
      assert.equal(response.headers.get('location'), page)
    }
  })

  test('what strangers propose uses up nothing of the owner: an account that was made is 201', async ({
    assert,
  }) => {
    await limit({ verificationMails: { perSubject: { attempts: 2, seconds: 60 } } })
    const email = uniqueAddress()
    for (const attempt of [1, 2, 3]) {
      const { visitor } = await signedIn()
      assert.equal((await changeAddress(visitor, email)).status, attempt < 3 ? 200 : 429)
    }
    const account = {
      email,
      password: 'a secret of mine',
      password_confirmation: 'a secret of mine',
    }
    let status = 0
    const mails = await mailsOf(async () => {
      status = (await new Visitor().post('/register', { json: account })).status
    })
    assert.equal(status, 201)
    assert.deepEqual(
      mails.map(({ kind, to }) => [kind, to]),
      [[VerifyAddressMail, email]]
    )
  })

  test('registering is 201 when the address of the caller has used up its mails', async ({
    assert,
  }) => {
    await limit({ verificationMails: { perAddress: { attempts: 1, seconds: 60 } } })
    const register = () =>
      new Visitor().post('/register', {
        json: {
          email: uniqueAddress(),
          password: 'a secret of mine',
          password_confirmation: 'a secret of mine',
        },
      })
    assert.deepEqual([(await register()).status, (await register()).status], [201, 201])
  })

  test('a link is refused: {what}')
    .with([
      {
        what: 'with another address',
        change: (path: string) => path.replace('example.com', 'evil.example'),
      },
      {
        what: 'for another user',
        change: (path: string) =>
          path.replace(/verify\/(\d+)/, (_, id) => `verify/${Number(id) - 1}`),
      },
      { what: 'with another state', change: (path: string) => path.replace('state=', 'state=_') },
      { what: 'without a signature', change: (path: string) => path.replace(/&signature=.*/, '') },
      { what: 'with a signature that is none', change: (path: string) => `${path}x` },
      { what: 'with an address more', change: (path: string) => `${path}&email=x@evil.example` },
    ])
    .run(async ({ assert }, { change }) => {
      const { user, visitor } = await signedIn()
      const path = await linkFor(() => resend(visitor))
      const response = await follow(change(path))
      assert.equal(response.status, 400)
      assert.equal(((await response.json()) as any).error, 'invalid_grant')
      for (const [browser, location] of [
        [visitor, '/email/verify'],
        [new Visitor(), '/login'],
      ] as const) {
        const page = await browser.get(change(path), { headers: PAGE })
        assert.equal(page.headers.get('location'), location)
        const next = await browser.get(location, { headers: PAGE })
        assert.include(await next.text(), 'This link does not work, or no longer works')
      }
      await user.refresh()
      assert.isNull(user.emailVerifiedAt)
    })

  test('a link that is too old does not work', async ({ assert }) => {
    const { visitor } = await signedIn()
    /* The link is made by a clock that is behind: AdonisJS reads another one when it looks at it. */
    travel(-(await config()).expire * 60 - 1)
    const path = await linkFor(() => resend(visitor))
    const response = await follow(path)
    assert.equal(response.status, 400)
  })

  test('a link that was signed for the purpose of {purpose} is {status}')
    .with([
      /* So do links in mails that another version has sent. */
      { purpose: 'email_verification', status: 200 },
      { purpose: 'newsletter', status: 400 },
    ])
    .run(async ({ assert }, { purpose, status }) => {
      const { user, visitor } = await signedIn()
      const path = await linkFor(() => resend(visitor))
      const url = new URL(path, 'http://localhost')
      url.searchParams.delete('signature')
      const signed = encryption
        .getMessageVerifier()
        .sign(`${url.pathname}${url.search}`, '1 day', purpose)
      const response = await follow(`${url.pathname}${url.search}&signature=${signed}`)
      assert.equal(response.status, status)
      await user.refresh()
      assert.equal(user.emailVerifiedAt !== null, status === 200)
    })

  test('a new password ends the links of before', async ({ assert }) => {
    const { visitor } = await signedIn()
    const path = await linkFor(() => changeAddress(visitor, uniqueAddress()))
    const password = 'quite another secret'
    const changed = await visitor.send('/account/password', {
      current_password: FACTORY_PASSWORD,
      password,
      password_confirmation: password,
    })
    assert.equal(changed.status, 200)
    const response = await follow(path)
    assert.equal(response.status, 400)
  })

  test('the form of a signed-in person needs the CSRF token', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post('/email/verify')
    assert.equal(response.status, 403)
    const stranger = await new Visitor().post('/email/verify')
    assert.equal(stranger.status, 401)
  })

  test('too many mails are refused with 429', async ({ assert }) => {
    const { visitor } = await signedIn()
    await limit({ verificationMails: { perSubject: { attempts: 2, seconds: 60 } } })
    const statuses = []
    while (statuses.length < 3) {
      statuses.push((await resend(visitor)).status)
    }
    assert.deepEqual(statuses, [200, 200, 429])
  })

  test('one account sends no more to many mailboxes than to one', async ({ assert }) => {
    await limit({ verificationMails: { perSubject: { attempts: 2, seconds: 60 } } })
    const { visitor } = await signedIn()
    const statuses = []
    while (statuses.length < 3) {
      statuses.push((await changeAddress(visitor, uniqueAddress())).status)
    }
    assert.deepEqual(statuses, [200, 200, 429])
  })

  test('a new address that is refused for too many mails is not noted', async ({ assert }) => {
    await limit({ verificationMails: { perSubject: { attempts: 1, seconds: 60 } } })
    const { visitor } = await signedIn()
    const noted = uniqueAddress()
    assert.equal((await changeAddress(visitor, noted)).status, 200)
    assert.equal((await changeAddress(visitor, uniqueAddress())).status, 429)
    const state = await visitor.get('/account/email')
    assert.include(await state.json(), { proposed_email: noted })
  })

  test('many accounts together send one mailbox no more than one does', async ({ assert }) => {
    await limit({ verificationMails: { perSubject: { attempts: 2, seconds: 60 } } })
    const target = uniqueAddress()
    const statuses = []
    while (statuses.length < 3) {
      const { visitor } = await signedIn()
      statuses.push((await changeAddress(visitor, target)).status)
    }
    assert.deepEqual(statuses, [200, 200, 429])
  })

  test('an address that is verified gets no more links, with the same answer', async ({
    assert,
  }) => {
    const { visitor } = await signedIn(
      await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    )
    let status = 0
    const mails = await mailsOf(async () => {
      status = (await resend(visitor)).status
    })
    assert.equal(status, 200)
    assert.lengthOf(mails, 0)
  })

  test('GET /email/verify tells programs what is to verify, and leads people away when nothing is', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const stateOf = async () => (await visitor.get('/email/verify')).json()
    const state = { email: user.email, verified: false, proposed_email: null }
    assert.deepEqual(await stateOf(), state)
    await user.merge({ emailVerifiedAt: Date.now() }).save()
    assert.deepEqual(await stateOf(), { ...state, verified: true })
    const page = await visitor.get('/email/verify', { headers: PAGE })
    assert.equal(page.headers.get('location'), '/account')
  })

  test('middleware.verified() leads people to the notice, and programs get 403', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const program = await visitor.get('/_test/verified')
    assert.equal(program.status, 403)
    assert.equal(((await program.json()) as any).error, 'email_not_verified')
    const person = await visitor.get('/_test/verified', { headers: PAGE })
    assert.equal(person.headers.get('location'), '/email/verify')
    const stranger = await new Visitor().get('/_test/verified')
    assert.equal(stranger.status, 401)

    await user.merge({ emailVerifiedAt: Date.now() }).save()
    const verified = await visitor.get('/_test/verified')
    assert.equal(await verified.text(), 'in')
  })
})

test.group('E-mail verification that sign-in needs', (group) => {
  group.each.setup(async () => {
    const settings = await config()
    settings.required = true
    return () => {
      settings.required = false
    }
  })

  test('registering signs nobody in', async ({ assert }) => {
    const visitor = new Visitor()
    const response = await visitor.post('/register', {
      form: {
        email: uniqueAddress(),
        password: 'a secret of mine',
        password_confirmation: 'a secret of mine',
      },
      headers: PAGE,
    })
    assert.equal(response.headers.get('location'), '/login')
    assert.equal((await visitor.get('/api/me')).status, 401)
  })

  test('the right password sends another link and signs nobody in', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const mails = await mailsOf(async () => {
      const response = await visitor.login(user.email, FACTORY_PASSWORD)
      assert.equal(response.status, 403)
      assert.equal(((await response.json()) as any).error, 'email_not_verified')
    })
    assert.lengthOf(mails, 1)
    assert.equal((await visitor.get('/api/me')).status, 401)
    await follow(mails[0]!.path)
    assert.equal((await visitor.login(user.email, FACTORY_PASSWORD)).status, 200)
  })

  test('the password grant issues no token', async ({ assert }) => {
    const user = await UserFactory.create()
    const grants = (await app.container.make(AuthorizationServer)).config.grantTypes
    grants.push('password')
    const response = await new Visitor().post('/token', {
      form: { username: user.email, password: FACTORY_PASSWORD },
    })
    grants.pop()
    assert.equal(response.status, 400)
    assert.equal(((await response.json()) as any).error, 'invalid_grant')
  })

  test('a wrong password does not tell that the address is not verified', async ({ assert }) => {
    const user = await UserFactory.create()
    const wrong = await new Visitor().login(user.email, 'wrong password')
    const unknown = await new Visitor().login(uniqueAddress(), 'wrong password')
    assert.equal(wrong.status, 401)
    assert.deepEqual(await wrong.json(), await unknown.json())
  })
})

test.group('A change of the e-mail address', () => {
  test('the new address counts once it is verified, and the old one is told', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const [from, to] = [user.email, uniqueAddress()]
    const asked = await mailsOf(() => changeAddress(visitor, to.toUpperCase()))
    assert.sameDeepMembers(
      asked.map(({ kind, to: address }) => [kind, address]),
      [
        [VerifyAddressMail, to],
        [SecurityMail, from],
      ]
    )
    const state = await visitor.get('/account/email')
    assert.deepEqual(await state.json(), { email: from, verified: false, proposed_email: to })
    assert.equal((await new Visitor().login(to, FACTORY_PASSWORD)).status, 401)

    const { path } = asked.find(({ kind }) => kind === VerifyAddressMail)!
    const told = await mailsOf(() => follow(path))
    assert.deepEqual(
      told.map(({ kind, to: address }) => [kind, address]),
      [[SecurityMail, from]]
    )
    await user.refresh()
    assert.deepEqual([user.email, user.proposedEmail], [to, null])
    assert.isNotNull(user.emailVerifiedAt)
    assert.equal((await new Visitor().login(to, FACTORY_PASSWORD)).status, 200)
    assert.equal((await new Visitor().login(from, FACTORY_PASSWORD)).status, 401)
  })

  test('the reset link of the old address does not open the account that has it next', async ({
    assert,
  }) => {
    const verified = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    const { user, visitor } = await signedIn(verified)
    const [delivered, { email }] = [await interceptTokens(), user]
    const manager = await authManager()
    await manager.broker().sendResetLink(email)
    assert.equal(
      (await follow(await linkFor(() => changeAddress(visitor, uniqueAddress())))).status,
      200
    )
    const next = await UserFactory.merge({ email }).create()

    const json = { ...delivered[0], password: 'quite another secret' }
    assert.equal((await new Visitor().post('/password/reset', { json })).status, 400)
    const { password } = next
    await next.refresh()
    assert.equal(next.password, password)
  })

  test('an address that somebody has looks like every other, and is not given away', async ({
    assert,
  }) => {
    const other = await UserFactory.create()
    const { user, visitor } = await signedIn()
    const mails = await mailsOf(async () => {
      const free = await changeAddress((await signedIn()).visitor, uniqueAddress())
      const taken = await changeAddress(visitor, other.email)
      assert.equal(taken.status, free.status)
      assert.deepEqual(await taken.json(), {
        email: user.email,
        verified: false,
        proposed_email: other.email,
      })
    })
    const sent = mails.filter(({ to }) => to === other.email)
    assert.deepEqual(
      sent.map(({ kind }) => kind),
      [AddressTakenMail]
    )
  })

  test('a request whose link was followed meanwhile succeeds, too', async ({ assert }) => {
    const { visitor } = await signedIn()
    const path = await linkFor(() => changeAddress(visitor, uniqueAddress()))
    const { addresses } = await config()
    const statuses: number[] = []
    /* The other request falls between the look at the link and the change. */
    const restore = wrapForTest(addresses, 'adopt', (adopt) => async (user, email) => {
      restore()
      statuses.push((await follow(path)).status)
      const isAdopted = await adopt(user, email)
      assert.isFalse(isAdopted)
      return isAdopted
    })
    statuses.push((await follow(path)).status)
    assert.deepEqual(statuses, [200, 200])
  })

  test('a failure before older access has ended leaves the link, and no access behind the new address', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const token = await ApiToken.create(user, 'older')
    const path = await linkFor(() => changeAddress(visitor, uniqueAddress()))
    const { accountAccess } = await app.container.make('auth_manager')
    const restore = replaceForTest(accountAccess, 'endEverything', async () => {
      restore()
      throw Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' })
    })
    assert.equal((await follow(path)).status, 503)
    await user.refresh()
    assert.isNull(user.emailVerifiedAt)

    assert.equal((await follow(path)).status, 200)
    await user.refresh()
    assert.isNotNull(user.emailVerifiedAt)
    assert.isFalse(await opens(token.plainText))
  })

  test('what a slow request of an old session makes while a first address is adopted ends, too', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const path = await linkFor(() => changeAddress(visitor, uniqueAddress()))
    const { addresses } = await config()
    const made: string[] = []
    wrapForTest(addresses, 'adopt', (adopt) => async (...parameters) => {
      made.push((await ApiToken.create(user)).plainText)
      return adopt(...parameters)
    })
    assert.equal((await follow(path)).status, 200)
    assert.lengthOf(made, 1)
    assert.isFalse(await opens(made[0]!))
  })

  test('of two accounts that want one address, the first to open its link gets it', async ({
    assert,
  }) => {
    const address = uniqueAddress()
    const verified = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    const [one, two] = [await signedIn(), await signedIn(verified)]
    const first = await linkFor(() => changeAddress(one.visitor, address))
    const second = await linkFor(() => changeAddress(two.visitor, address))
    assert.equal((await follow(first)).status, 200)
    assert.equal((await follow(second)).status, 400)
    await two.user.refresh()
    assert.notEqual(two.user.email, address)
  })

  test('one change that is asked for four times at once is one mail, and is recorded once', async ({
    assert,
  }) => {
    await limit({ verificationMails: { perSubject: { attempts: 1, seconds: 60 } } })
    const { addresses } = await config()
    /* All have read the account before one changes it. */
    meetForTest(addresses, 'propose', { calls: 4 })
    const { visitor } = await signedIn()
    const address = uniqueAddress()
    const statuses: number[] = []
    const mails = await mailsOf(async () => {
      const clicks = Array.from({ length: 4 }, () => changeAddress(visitor, address))
      statuses.push(...(await Promise.all(clicks)).map(({ status }) => status))
    })
    assert.deepEqual(statuses, [200, 200, 200, 200])
    assert.lengthOf(
      mails.filter(({ to }) => to === address),
      1
    )
    const types = await typesSeenBy(visitor)
    assert.lengthOf(
      types.filter((type) => type === 'email_change_requested'),
      1
    )
  })

  test('of two requests that have read an account, each notes an address of its own', async ({
    assert,
  }) => {
    const { addresses } = await config()
    const { id } = await UserFactory.create()
    const [one, two, three] = await Promise.all([id, id, id].map((key) => User.findOrFail(key)))
    const [first, second] = [uniqueAddress(), uniqueAddress()]
    assert.isTrue(await addresses.propose(one, first))
    assert.isFalse(await addresses.propose(two, first))
    assert.isTrue(await addresses.propose(three, second))
    assert.isTrue(await addresses.propose(three, second))
    assert.isTrue(await addresses.propose(await User.findOrFail(id), null))
  })

  test('a newer wish and a cancelled one end the link of before', async ({ assert }) => {
    const { visitor } = await signedIn()
    const first = await linkFor(() => changeAddress(visitor, uniqueAddress()))
    const second = await linkFor(() => changeAddress(visitor, uniqueAddress()))
    assert.equal((await follow(first)).status, 400)
    const cancelled = await visitor.post('/account/email/cancel', { csrf: true })
    assert.equal(((await cancelled.json()) as any).proposed_email, null)
    assert.equal((await follow(second)).status, 400)
  })

  test('422 for {what}')
    .with([
      {
        what: 'a wrong password',
        fields: { current_password: 'wrong' },
        field: 'current_password',
      },
      { what: 'an address that is none', fields: { email: 'nobody' }, field: 'email' },
      { what: 'no password', fields: { current_password: undefined }, field: 'current_password' },
    ])
    .run(async ({ assert }, { fields, field }) => {
      const { visitor } = await signedIn()
      const json = { email: uniqueAddress(), current_password: FACTORY_PASSWORD, ...fields }
      const response = await visitor.send('/account/email', json)
      assert.equal(response.status, 422)
      assert.equal(((await response.json()) as any).errors[0].field, field)
    })

  test('422 for the address that the account has', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const response = await changeAddress(visitor, user.email)
    assert.equal(response.status, 422)
    const [error] = ((await response.json()) as any).errors
    assert.equal(error.field, 'email')
    assert.equal(error.message, 'This is already your address')
  })

  test('the forms work as pages', async ({ assert }) => {
    const { visitor } = await signedIn()
    const email = uniqueAddress()
    const form = { email, current_password: FACTORY_PASSWORD, _token: visitor.csrfToken }
    const response = await visitor.post('/account/email', { form, headers: PAGE })
    assert.equal(response.headers.get('location'), '/account/email')
    const page = await (await visitor.get('/account/email', { headers: PAGE })).text()
    assert.include(page, `We have sent a link to ${email}`)
    const cancelled = await visitor.post('/account/email/cancel', {
      form: { _token: visitor.csrfToken },
      headers: PAGE,
    })
    assert.equal(cancelled.headers.get('location'), '/account/email')
    const after = await (await visitor.get('/account/email', { headers: PAGE })).text()
    assert.include(after, 'No change of your address is pending')
  })

  test('the service is one object for the whole application', async ({ assert }) => {
    const manager = await app.container.make('auth_manager')
    assert.strictEqual(
      manager.feature('emailVerification'),
      (await app.container.make(EmailVerification)) as any
    )
  })
})
