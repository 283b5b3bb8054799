import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import scopes from '#config/scopes'
import { UserFactory } from '#database/factories/user_factory'

/** Any that the application has. */
const abilities = Object.keys(scopes).slice(0, 1)

test.group('API tokens', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.tap((one) => void one.skip(!abilities.length, 'config/scopes.ts has no scope'))

  test('a token is made, opens the API, is listed and revoked', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const made = await client.post('/api/tokens').loginAs(user).json({ name: 'Script', abilities })
    made.assertStatus(201)
    const { id, token } = made.body()
    const me = await client.get('/api/me').bearerToken(token)
    me.assertStatus(200)
    const list = await client.get('/api/tokens').loginAs(user)
    assert.deepEqual(
      list.body().tokens.map((one: { name: string }) => one.name),
      ['Script']
    )
    const revoked = await client.delete(`/api/tokens/${id}`).loginAs(user)
    revoked.assertStatus(204)
    const after = await client.get('/api/me').bearerToken(token)
    after.assertStatus(401)
  })

  test('an ability that does not exist is refused by its name', async ({ client }) => {
    const response = await client
      .post('/api/tokens')
      .loginAs(await UserFactory.create())
      .json({ name: 'Script', abilities: [...abilities, 'everything'] })
    response.assertStatus(422)
    response.assertBodyContains({
      errors: [{ field: 'abilities.1', rule: 'permission', meta: { name: 'everything' } }],
    })
  })

  test('the token of somebody else is not found', async ({ client }) => {
    const [ann, bob] = await UserFactory.createMany(2)
    const made = await client.post('/api/tokens').loginAs(ann!).json({ name: 'Script', abilities })
    const response = await client.delete(`/api/tokens/${made.body().id}`).loginAs(bob!)
    response.assertStatus(404)
  })

  test('GET /account/tokens is the page of them', async ({ client }) => {
    const response = await client
      .get('/account/tokens')
      .accept('html')
      .loginAs(await UserFactory.create())
    response.assertStatus(200)
  })
})
