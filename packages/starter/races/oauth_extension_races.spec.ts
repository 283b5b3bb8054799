import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { DEVICE_CODE } from '#kit/oauth2/settings'
import { generateSecret } from '#kit/security/secrets'
import { cluster, ISSUER } from '#starter/helpers/cluster'
import { createKey, createProof } from '#starter/helpers/dpop'
import {
  type TestClient,
  authorizationFields,
  credentials,
  post,
  registerClient,
} from '#starter/helpers/oauth'
import { Visitor } from '#starter/helpers/visitor'

const PARALLEL = 12
const ROUNDS = 20

/** The same, many times at once, over all processes: how many were answered so. */
async function count(
  status: number,
  urls: string[],
  run: (url: string) => Promise<{ status: number }>
) {
  const answers = await Promise.all(
    Array.from({ length: PARALLEL }, (_, index) => run(urls[index % urls.length]!))
  )
  return answers.filter((answer) => answer.status === status).length
}

async function newUser() {
  return UserFactory.merge({ email: `${generateSecret().toLowerCase()}@example.com` }).create()
}

/** A device code that a person has approved. */
async function approvedDevice(client: TestClient, url: string, visitor: Visitor) {
  const { body } = await post(`${url}/oauth/device_authorization`, {
    ...credentials(client),
    scope: 'posts:read',
  })
  const json = { user_code: body.user_code }
  await visitor.send(`${url}/device/approve`, json)
  return body.device_code as string
}

test.group('OAuth | Races over several processes', () => {
  async function signedIn(url: string) {
    const { email } = await newUser()
    const visitor = new Visitor()
    await visitor.post(`${url}/login`, { json: { email, password: FACTORY_PASSWORD } })
    return visitor
  }

  test('of many polls with one approved device code exactly one gets tokens', async ({
    assert,
  }) => {
    const urls = await cluster()
    const client = await registerClient()
    const visitor = await signedIn(urls[0]!)
    for (let round = 0; round < ROUNDS; round++) {
      const code = await approvedDevice(client, urls[0]!, visitor)
      const fields = { grant_type: DEVICE_CODE, device_code: code, ...credentials(client) }
      assert.equal(await count(200, urls, (url) => post(`${url}/oauth/token`, fields)), 1)
    }
  })

  test('of many decisions about one pushed request exactly one gives a code', async ({
    assert,
  }) => {
    const urls = await cluster()
    const client = await registerClient()
    const visitor = await signedIn(urls[0]!)
    const fields = { ...authorizationFields(client), ...credentials(client) }
    for (let round = 0; round < ROUNDS; round++) {
      const { body } = await post(`${urls[0]}/oauth/par`, fields)
      const json = { client_id: client.id, request_uri: body.request_uri, approved: true }
      const decide = (url: string) => visitor.send(`${url}/oauth/authorize`, json)
      assert.equal(await count(200, urls, decide), 1)
    }
  })

  test('of many requests with one proof exactly one is answered', async ({ assert }) => {
    const urls = await cluster()
    const client = await registerClient()
    const key = await createKey()
    const fields = { grant_type: 'client_credentials', ...credentials(client) }
    for (let round = 0; round < ROUNDS; round++) {
      const dpop = await createProof(key, { url: `${ISSUER}/oauth/token` })
      assert.equal(await count(200, urls, (url) => post(`${url}/oauth/token`, fields, { dpop })), 1)
    }
  })
})
