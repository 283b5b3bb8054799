import { test } from '@japa/runner'

import { InMemoryClientRepository } from '#kit/oauth2/clients/client_repository'
import { MemoryTokenStore } from '#kit/oauth2/tokens/memory_token_store'
import {
  credentials,
  isolate,
  obtainCode,
  post,
  postToken,
  redemption,
  refreshing,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { recordStatements } from '#starter/helpers/statements'
import { signedIn } from '#starter/helpers/visitor'

test.group('OAuth with memory stores', (group) => {
  group.each.setup(isolate)

  test('the whole flow works without a statement of its own', async ({ assert }) => {
    await useConfig({}, { tokens: new MemoryTokenStore(), clients: new InMemoryClientRepository() })
    const { visitor } = await signedIn()
    const client = await registerClient()
    const statements = await recordStatements(async () => {
      const grant = await obtainCode(visitor, client)
      const { body: first } = await postToken(redemption(client, grant))
      const { body: second } = await postToken(refreshing(client, first.refresh_token))
      const introspect = async () =>
        post('/oauth/introspect', { token: second.access_token, ...credentials(client) })
      assert.isTrue((await introspect()).body.active)
      assert.equal(
        (await postToken(refreshing(client, first.refresh_token))).body.error,
        'invalid_grant'
      )
      assert.deepEqual((await introspect()).body, { active: false })
    })
    assert.lengthOf(
      statements.filter((sql) => sql.includes('oauth_')),
      0
    )
  })
})
