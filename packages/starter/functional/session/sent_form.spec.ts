import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { useMailCodes } from '#starter/helpers/mail_code'
import { afterReplies } from '#starter/helpers/passwords'
import { serverUrl } from '#starter/helpers/server_url'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn } from '#starter/helpers/two_factor'
import { Visitor } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const ASKED_FOR = '/account/password'

/** A visitor who has asked for a page, on the form to sign in. */
async function onSignInPage() {
  const visitor = new Visitor()
  await visitor.get(ASKED_FOR, { headers: PAGE })
  await visitor.get('/login', { headers: PAGE })
  return visitor
}

/** Sends a form of the page that is open; `token` is that of a page from before. */
async function send(
  visitor: Visitor,
  path: string,
  fields: Record<string, string>,
  token = visitor.csrfToken,
  from: Record<string, string> = {}
) {
  const form = { ...fields, _token: token }
  const { status, headers } = await visitor.post(path, { form, headers: { ...PAGE, ...from } })
  return [status, headers.get('location')]
}

const credentials = ({ email }: User) => ({ email, password: FACTORY_PASSWORD })

async function nameOf(visitor: Visitor) {
  const response = await visitor.get('/api/me')
  return response.status === 200 ? ((await response.json()) as any).user.email : null
}

test.group('A form that has replaced the session, sent again', () => {
  test('the sign-in leads where it has led', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await onSignInPage()
    const token = visitor.csrfToken
    for (const click of ['first', 'second', 'third']) {
      const answer = await send(visitor, '/login', credentials(user), token)
      assert.deepEqual(answer, [302, ASKED_FOR], click)
    }
    assert.equal(await nameOf(visitor), user.email)
  })

  test('so does the second factor', async ({ assert }) => {
    const tick = stopClock()
    const user = await UserFactory.create()
    const { secret } = await turnOn(user)
    tick(30)
    const visitor = await onSignInPage()
    await send(visitor, '/login', credentials(user))
    const token = visitor.csrfToken
    for (const click of ['first', 'second']) {
      const answer = await send(visitor, '/login/two-factor', { code: codeOf(secret) }, token)
      assert.deepEqual(answer, [302, ASKED_FOR], click)
    }
    assert.equal(await nameOf(visitor), user.email)
  })

  test('so does the code by mail', async ({ assert }) => {
    const mails = await useMailCodes()
    const user = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    const visitor = await onSignInPage()
    await send(visitor, '/login/code', { email: user.email })
    await afterReplies()
    const token = visitor.csrfToken
    for (const click of ['first', 'second']) {
      const fields = { mail_code: mails[0]!.code }
      const answer = await send(visitor, '/login/code/verify', fields, token)
      assert.deepEqual(answer, [302, ASKED_FOR], click)
    }
    assert.equal(await nameOf(visitor), user.email)
  })

  test('the sign-out says twice that it is done', async ({ assert }) => {
    const visitor = await onSignInPage()
    await send(visitor, '/login', credentials(await UserFactory.create()))
    const token = visitor.csrfToken
    for (const click of ['first', 'second']) {
      assert.deepEqual(await send(visitor, '/logout', {}, token), [302, '/login'], click)
      const page = await (await visitor.get('/login', { headers: PAGE })).text()
      assert.include(page, 'You are signed out.', click)
    }
  })

  test('a sign-out long after that of another tab says that it is done', async ({ assert }) => {
    const tick = stopClock()
    const visitor = await onSignInPage()
    await send(visitor, '/login', credentials(await UserFactory.create()))
    const token = visitor.csrfToken
    await send(visitor, '/logout', {}, token)
    tick(600)
    visitor.cookies.delete('sent_form')
    const own = { referer: await serverUrl('/account') }
    assert.deepEqual(await send(visitor, '/logout', {}, token, own), [302, '/login'])
    const page = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(page, 'You are signed out.')
    const foreign = { referer: 'https://evil.example/', origin: 'https://evil.example' }
    assert.equal((await send(visitor, '/logout', {}, 'guess', foreign))[0], 403)
  })

  test('a sign-out by a stale form of a person who has signed in again ends nothing', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const visitor = await onSignInPage()
    await send(visitor, '/login', credentials(user))
    const token = visitor.csrfToken
    await send(visitor, '/logout', {})
    await visitor.get('/login', { headers: PAGE })
    await send(visitor, '/login', credentials(user))
    visitor.cookies.delete('sent_form')
    const own = { referer: await serverUrl('/account') }
    assert.equal((await send(visitor, '/logout', {}, token, own))[0], 403)
    assert.equal(await nameOf(visitor), user.email)
  })

  test('with other fields, as in a second tab, it does nothing and does not say that it did', async ({
    assert,
  }) => {
    const [user, other] = [await UserFactory.create(), await UserFactory.create()]
    const visitor = await onSignInPage()
    const token = visitor.csrfToken
    await send(visitor, '/login', credentials(user), token)
    const [status] = await send(visitor, '/login', credentials(other), token)
    assert.equal(status, 403)
    assert.equal(await nameOf(visitor), user.email)
  })

  test('another token, another form and a program are refused', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await onSignInPage()
    const token = visitor.csrfToken
    await send(visitor, '/login', credentials(user))
    const [refused] = await send(visitor, '/login', credentials(user), 'stale')
    const [elsewhere] = await send(visitor, '/account', { fullName: 'Ann' }, token)
    const headers = { 'x-xsrf-token': token }
    const program = await visitor.post('/login', { json: credentials(user), headers })
    assert.deepEqual([refused, elsewhere, program.status], [403, 403, 403])
  })

  test('no cookie is kept for a form that leaves the session as it is', async ({ assert }) => {
    const visitor = await onSignInPage()
    await send(visitor, '/login', { email: 'ann@example.com', password: 'wrong' })
    assert.isFalse(visitor.cookies.has('sent_form'))
    assert.isTrue(visitor.cookies.has('service_session'))
  })
})
