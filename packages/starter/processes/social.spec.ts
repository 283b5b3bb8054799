import { test } from '@japa/runner'

import User from '#models/user'
import { CLIENT_SECRET, FakeProvider } from '#starter/helpers/fake_provider'
import { startServer } from '#starter/helpers/server_process'
import { identitiesOf, pathOf, person } from '#starter/helpers/social'
import { Visitor } from '#starter/helpers/visitor'

const PROCESSES = 4

/** Processes that share a database, and are set up by their variables alone. */
async function setUp() {
  const provider = await FakeProvider.start()
  const env = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_TRUSTED_FOR: 'example.com',
  }
  const urls = await Promise.all(Array.from({ length: PROCESSES }, () => startServer(env)))
  return { provider, urls }
}

async function begin(visitor: Visitor, url: string): Promise<string> {
  const response = await visitor.post(`${url}/auth/openid`, { json: {}, csrf: true })
  const { authorization_url: address } = (await response.json()) as any
  return address
}

test.group('Signing in through a provider, over four processes', () => {
  test('the same callback at once: one is signed in; one identity at once: one account', async ({
    assert,
  }) => {
    const { provider, urls } = await setUp()
    const visitor = new Visitor()
    const path = pathOf(provider.authorize(await begin(visitor, urls[0]!), person()))
    const same = await Promise.all(urls.map((url) => visitor.get(url + path)))
    assert.deepEqual(same.map(({ status }) => status).sort(), [200, 401, 401, 401])

    for (let round = 0; round < 10; round++) {
      const ann = person()
      const visitors = await Promise.all(
        urls.map(async (url) => {
          const one = new Visitor()
          return { one, callback: pathOf(provider.authorize(await begin(one, url), ann)) }
        })
      )
      /* Each answer comes to another process than the one that began. */
      const answers = await Promise.all(
        visitors.map(({ one, callback }, at) => one.get(urls[(at + 1) % PROCESSES]! + callback))
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200]
      )
      const users = await User.query().where({ email: String(ann.email) })
      assert.lengthOf(users, 1)
      assert.lengthOf(await identitiesOf(users[0]!), 1)
    }
  })
})
