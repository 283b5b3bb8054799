import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import AuthTokens from 'adonis-auth-kit/commands/auth_tokens'
import { UserFactory } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import { keepLogs, runCommand, logOf } from '#starter/helpers/commands'
import { authorizationServer, opens, postToken, refreshing, granted } from '#starter/helpers/oauth'

const run = (...args: string[]) => runCommand(AuthTokens, args)

test.group('node ace auth:tokens', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(keepLogs)

  test('lists API tokens without their secrets, and revokes one of them', async ({ assert }) => {
    const user = await UserFactory.create()
    const { details, plainText } = await ApiToken.create(user, 'laptop', ['posts:read'])
    await ApiToken.create(user, 'phone')

    const list = logOf(await run('list', user.email))
    assert.match(list, new RegExp(`^${details.id}  API token  laptop  scopes: posts:read`, 'm'))
    assert.include(list, '2 tokens')
    assert.notInclude(list, plainText.split('|')[1]!)

    const revoked = await run('revoke', user.email, details.id)
    revoked.assertSucceeded()
    const left = await ApiToken.tokens(user)
    assert.deepEqual(
      left.map(({ name }) => name),
      ['phone']
    )
  })

  test('lists OAuth tokens without their secrets, and revokes one with what refreshes it', async ({
    assert,
  }) => {
    const { user, client, tokens } = await granted()
    const server = await authorizationServer()
    const [listed] = await server.userTokens.list({ userId: String(user.id), provider: 'users' })
    const { jti } = listed!

    const list = logOf(await run('list', user.email))
    assert.match(list, new RegExp(`^${jti}  OAuth token  ${client.client.name}  scopes: `, 'm'))
    assert.include(list, '1 tokens')
    for (const secret of [tokens.access_token, tokens.refresh_token]) {
      assert.notInclude(list, secret)
    }
    const revoked = await run('revoke', user.email, jti)
    revoked.assertSucceeded()
    assert.isFalse(await opens(tokens.access_token))
    const refreshed = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(refreshed.status, 400)
  })

  test('refuses a token of somebody else', async ({ assert }) => {
    const [user, other] = await UserFactory.createMany(2)
    const { details } = await ApiToken.create(other)
    const command = await run('revoke', user!.email, details.id)
    command.assertFailed()
    assert.lengthOf(await ApiToken.tokens(other), 1)
  })

  test('refuses what it does not know', async () => {
    const user = await UserFactory.create()
    for (const args of [
      ['revoke', user.email],
      ['list', 'nobody@example.com'],
      ['destroy', user.email],
    ]) {
      const command = await run(...args)
      command.assertFailed()
    }
  })
})
