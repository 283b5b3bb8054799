import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'

import AuthTokens from '#commands/auth_tokens'
import { UserFactory } from '#database/factories/user_factory'
import { ApiToken } from '#api_token/facade'
import {
  authorizationServer,
  isolate,
  obtainTokens,
  opens,
  registerClient,
  signedIn,
} from '#tests/helpers/oauth'

async function run(...args: string[]) {
  const command = await ace.create(AuthTokens, args)
  await command.exec()
  return command
}

const logOf = (command: AuthTokens) =>
  command.logger
    .getLogs()
    .map(({ message }) => message)
    .join('\n')

test.group('node ace auth:tokens', (group) => {
  group.each.setup(isolate)
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

  test('lists tokens of every kind without their secrets, and revokes one of them', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    const oauth = await obtainTokens(visitor, client)
    const api = await ApiToken.create(user, 'laptop', ['posts:read'])
    const server = await authorizationServer()
    const key = { userId: String(user.id), provider: 'users' }
    const [listed] = await server.userTokens.list(key)
    const { jti } = listed!

    const list = logOf(await run('list', user.email))
    assert.match(list, new RegExp(`^${jti}  OAuth token  ${client.client.name}  scopes: `, 'm'))
    assert.match(list, new RegExp(`^${api.details.id}  API token  laptop  scopes: posts:read`, 'm'))
    assert.include(list, '2 tokens')
    for (const secret of [oauth.access_token, oauth.refresh_token, api.plainText.split('|')[1]!]) {
      assert.notInclude(list, secret)
    }

    const revoked = await run('revoke', user.email, jti)
    revoked.assertSucceeded()
    assert.isFalse(await opens(oauth.access_token))
    assert.lengthOf(await ApiToken.tokens(user), 1)
    await run('revoke', user.email, api.details.id)
    assert.lengthOf(await ApiToken.tokens(user), 0)
  })

  test('refuses a token of somebody else, and what it does not know', async ({ assert }) => {
    const [user, other] = await UserFactory.createMany(2)
    const { details } = await ApiToken.create(other)
    for (const args of [
      ['revoke', user!.email, details.id],
      ['revoke', user!.email],
      ['list', 'nobody@example.com'],
      ['destroy', user!.email],
    ]) {
      const command = await run(...args)
      command.assertFailed()
    }
    assert.lengthOf(await ApiToken.tokens(other), 1)
  })
})
