import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'

const PASSWORD = 'correct horse battery staple'

test.group('Accounts', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('GET {path} shows a form to a guest')
    .with([{ path: '/register' }, { path: '/login' }])
    .run(async ({ client, assert }, { path }) => {
      const response = await client.get(path).accept('html')
      response.assertStatus(200)
      assert.include(response.text(), '<form')
    })

  test('POST /register makes an account, and refuses an address that has one', async ({
    client,
    assert,
  }) => {
    const form = {
      email: 'ann@example.com',
      password: PASSWORD,
      password_confirmation: PASSWORD,
      fullName: 'Ann',
    }
    const response = await client.post('/register').json(form)
    response.assertStatus(201)
    response.assertBodyContains({ user: { email: 'ann@example.com', full_name: 'Ann' } })
    assert.isNotNull(await User.findBy('email', 'ann@example.com'))
    const again = await client.post('/register').json(form)
    again.assertStatus(422)
  })

  test('POST /login signs in with the right password alone', async ({ client }) => {
    const { email } = await UserFactory.create()
    const response = await client.post('/login').json({ email, password: FACTORY_PASSWORD })
    response.assertStatus(200)
    response.assertBodyContains({ user: { email } })
    const wrong = await client.post('/login').json({ email, password: 'not this one' })
    wrong.assertStatus(401)
  })

  test('POST /logout signs out', async ({ client }) => {
    const response = await client.post('/logout').loginAs(await UserFactory.create())
    response.assertStatus(200)
    response.assertBody({ user: null })
  })

  test('GET /api/me and GET /account are for the person who is signed in', async ({ client }) => {
    const user = await UserFactory.create()
    const me = await client.get('/api/me').loginAs(user)
    me.assertBodyContains({ user: { email: user.email } })
    const page = await client.get('/account').accept('html').loginAs(user)
    page.assertStatus(200)
    page.assertTextIncludes(user.email)
    const guest = await client.get('/api/me')
    guest.assertStatus(401)
  })

  test('POST /account changes the name', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const response = await client.post('/account').loginAs(user).json({ fullName: 'Bea' })
    response.assertStatus(200)
    await user.refresh()
    assert.equal(user.fullName, 'Bea')
  })

  test('GET {path} is a page of the account')
    .with([{ path: '/account/password' }, { path: '/account/delete' }, { path: '/confirm' }])
    .run(async ({ client }, { path }) => {
      const response = await client
        .get(path)
        .accept('html')
        .loginAs(await UserFactory.create())
      response.assertStatus(200)
    })

  test('POST /account/password needs the current password', async ({ client }) => {
    const user = await UserFactory.create()
    const fields = { password: PASSWORD, password_confirmation: PASSWORD }
    const wrong = await client
      .post('/account/password')
      .loginAs(user)
      .json({ ...fields, current_password: 'not this one' })
    wrong.assertStatus(422)
    const response = await client
      .post('/account/password')
      .loginAs(user)
      .json({ ...fields, current_password: FACTORY_PASSWORD })
    response.assertStatus(200)
    const login = await client.post('/login').json({ email: user.email, password: PASSWORD })
    login.assertStatus(200)
  })

  test('POST /confirm takes the password', async ({ client }) => {
    const user = await UserFactory.create()
    const response = await client
      .post('/confirm')
      .loginAs(user)
      .json({ password: FACTORY_PASSWORD })
    response.assertStatus(200)
  })

  test('POST /account/delete takes the password, and the account is gone', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const refused = await client.post('/account/delete').loginAs(user).json({})
    refused.assertStatus(422)
    const response = await client
      .post('/account/delete')
      .loginAs(user)
      .json({ password: FACTORY_PASSWORD })
    response.assertStatus(204)
    assert.isNull(await User.find(user.id))
  })

  test('/account/sessions lists sessions and ends one, or all others', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    await client.post('/login').json({ email: user.email, password: FACTORY_PASSWORD })
    const list = await client.get('/account/sessions').loginAs(user)
    list.assertStatus(200)
    const other = list.body().sessions.find(({ current }: { current: boolean }) => !current)
    const ended = await client.delete(`/account/sessions/${other.id}`).loginAs(user)
    ended.assertStatus(204)
    const unknown = await client.delete(`/account/sessions/${other.id}`).loginAs(user)
    unknown.assertStatus(404)
    const others = await client.delete('/account/sessions').loginAs(user)
    assert.isAbove(others.body().ended, 0)
  })
})
