import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'

test.group('Sign-in through others', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('GET /account/sign-in-methods says how a person can sign in', async ({ client }) => {
    const user = await UserFactory.create()
    const methods = await client.get('/account/sign-in-methods').loginAs(user)
    methods.assertStatus(200)
    methods.assertBodyContains({ password: true, passkeys: 0, identities: [] })
    const page = await client.get('/account/sign-in-methods').accept('html').loginAs(user)
    page.assertStatus(200)
  })

  test('POST {path} knows no provider that is not set up')
    .with([
      { path: '/auth/unknown' },
      { path: '/confirm/social/unknown' },
      { path: '/account/sign-in-methods/link/unknown' },
    ])
    .run(async ({ client }, { path }) => {
      const response = await client.post(path).loginAs(await UserFactory.create())
      response.assertStatus(404)
    })

  test('an answer that nobody asked for signs nobody in', async ({ client }) => {
    const callback = await client.get('/auth/unknown/callback?code=x&state=x')
    callback.assertStatus(404)
    const form = await client.post('/auth/unknown/callback').form({ code: 'x' }).redirects(0)
    form.assertStatus(303)
    const link = await client.get('/auth/address?token=guess')
    link.assertStatus(401)
  })

  test('nothing waits to be linked, and an identity of nobody is removed by nobody', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const joined = await client.post('/account/sign-in-methods/join').loginAs(user)
    joined.assertStatus(404)
    const page = await client.get('/account/sign-in-methods/join').redirects(0).loginAs(user)
    page.assertStatus(302)
    const gone = await client.delete('/account/sign-in-methods/1').loginAs(user)
    gone.assertStatus(404)
    const removed = await client.post('/account/sign-in-methods/1/remove').loginAs(user)
    removed.assertStatus(404)
  })
})
