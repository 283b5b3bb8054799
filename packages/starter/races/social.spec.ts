import { test } from '@japa/runner'

import User from '#models/user'
import { CLIENT_SECRET, FakeProvider } from '#starter/helpers/fake_provider'
import { useOrganisation } from '#starter/helpers/organisations'
import { startServer } from '#starter/helpers/server_process'
import { begin, identitiesOf, pathOf, person } from '#starter/helpers/social'
import { Visitor } from '#starter/helpers/visitor'

const PROCESSES = 4

/** A provider that the processes know by their variables, and one of an organisation: a row of their database. */
async function setUp() {
  const provider = await FakeProvider.start()
  const env = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_TRUSTED_FOR: 'example.com',
  }
  const urls = await Promise.all(Array.from({ length: PROCESSES }, () => startServer(env)))
  const ofSettings = { provider, path: '/auth/openid', personOf: person }
  return { urls, ways: [ofSettings, await useOrganisation()] }
}

test.group('Signing in through a provider, over four processes', () => {
  test('the same callback at once: one is signed in; one identity at once: one account', async ({
    assert,
  }) => {
    const { urls, ways } = await setUp()
    for (const { provider, path, personOf } of ways) {
      const asked = async (visitor: Visitor, url: string, who = personOf()) =>
        pathOf(provider.authorize(await begin(visitor, url + path), who))

      const visitor = new Visitor()
      const callback = await asked(visitor, urls[0]!)
      const same = await Promise.all(urls.map((url) => visitor.get(url + callback)))
      assert.deepEqual(same.map(({ status }) => status).sort(), [200, 401, 401, 401])

      for (let round = 0; round < 5; round++) {
        const ann = personOf()
        const visitors = await Promise.all(
          urls.map(async (url) => {
            const one = new Visitor()
            return { one, back: await asked(one, url, ann) }
          })
        )
        /* Each answer comes to another process than the one that began. */
        const answers = await Promise.all(
          visitors.map(({ one, back }, at) => one.get(urls[(at + 1) % PROCESSES]! + back))
        )
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200, 200]
        )
        const users = await User.query().where({ email: String(ann.email) })
        assert.lengthOf(users, 1)
        assert.lengthOf(await identitiesOf(users[0]!), 1)
      }
    }
  })
})
