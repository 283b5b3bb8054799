import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'

test.group('Passkeys', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('the account lists them, and gives the options for a new one', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const list = await client.get('/account/passkeys').loginAs(user)
    list.assertBody({ passkeys: [] })
    const options = await client.post('/account/passkeys/options').loginAs(user)
    options.assertStatus(200)
    assert.property(options.body(), 'challenge')
  })

  test('an answer to no challenge is refused', async ({ client }) => {
    const user = await UserFactory.create()
    const answer = { name: 'Laptop', response: { id: 'x' } }
    const made = await client.post('/account/passkeys').loginAs(user).json(answer)
    made.assertStatus(422)
    const login = await client.post('/login/passkey').json({ response: { id: 'x' } })
    login.assertStatus(401)
  })

  test('POST {path} gives a challenge')
    .with([{ path: '/login/passkey/options' }, { path: '/confirm/passkey/options' }])
    .run(async ({ client, assert }, { path }) => {
      const response = await client.post(path).loginAs(await UserFactory.create())
      response.assertStatus(200)
      assert.property(response.body(), 'challenge')
    })

  test('a passkey of nobody is renamed and removed by nobody', async ({ client }) => {
    const user = await UserFactory.create()
    const renamed = await client.post('/account/passkeys/1').loginAs(user).json({ name: 'x' })
    renamed.assertStatus(404)
    const removed = await client.delete('/account/passkeys/1').loginAs(user)
    removed.assertStatus(404)
  })
})
