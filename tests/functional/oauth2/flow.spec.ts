import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { obtainTokens, opens, postToken, refreshing, registerClient, signedIn } from '#tests/oauth'

test.group('OAuth | flow', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('code, tokens, refresh', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const tokens = await obtainTokens(visitor, client)
    const refreshed = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(refreshed.status, 200)
    assert.isTrue(await opens(refreshed.body.access_token))
    assert.isFalse(await opens(tokens.access_token))
  })
})
