import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { generateIdentifier, generateSecret, hashSecret } from '#kit/security/secrets'
import { cluster } from '#starter/helpers/cluster'
import {
  type Fields,
  type TestClient,
  REDIRECT_URI,
  authorizationServer,
  createPkce,
  credentials,
  post,
  redemption,
  refreshing,
  registerClient,
} from '#starter/helpers/oauth'
import { authorizationCode } from '#starter/helpers/oauth_records'

const PARALLEL = 20
const ROUNDS = 200

/** The same request, many times at once, over all processes. */
function sendToAll(urls: string[], fields: Fields) {
  return Promise.all(
    Array.from({ length: PARALLEL }, (_, index) =>
      post(`${urls[index % urls.length]}/oauth/token`, fields)
    )
  )
}

/** A user of this round alone, so that what is left of the round can be counted. */
async function newUser() {
  const user = await UserFactory.merge({
    email: `${randomBytes(12).toString('hex')}@example.com`,
    password: 'not used to sign in',
  }).create()
  return { userId: String(user.id), provider: 'users' }
}

type Owner = Awaited<ReturnType<typeof newUser>>

async function newCode(client: TestClient, owner: Owner) {
  const server = await authorizationServer()
  const { code, verifier, record } = codeFor(client, owner)
  await server.tokens.insertCode(record)
  return { code, verifier }
}

/** A code that the owner has approved, and the grant that this made. */
async function newApproval(client: TestClient, owner: Owner, scope = 'posts:read') {
  const server = await authorizationServer()
  const { code, verifier, record } = codeFor(client, owner)
  const grant = await server.tokens.grants.approve(
    { ...record, scopes: [scope] },
    {
      grantId: generateIdentifier(),
      declined: [],
      context: null,
      redirectHost: null,
      expiresAt: Date.now() + 60_000,
    }
  )
  return { code, verifier, grant }
}

function codeFor(client: TestClient, owner: Owner) {
  const { verifier, challenge } = createPkce()
  const code = generateSecret()
  const now = Date.now()
  const record = authorizationCode({
    codeHash: hashSecret(code),
    ...owner,
    clientId: client.id,
    redirectUri: REDIRECT_URI,
    resource: null,
    codeChallenge: challenge,
    createdAt: now,
    expiresAt: now + 60_000,
  })
  return { code, verifier, record }
}

/** A refresh token; the first of its family, or one that another has just become. */
async function newRefreshToken(client: TestClient, owner: Owner, familyId: string | null = null) {
  const server = await authorizationServer()
  const prepared = await server.tokenIssuer.prepare(
    { user: owner, clientId: client.id, scopes: ['posts:read'], resource: null },
    { familyId }
  )
  return { prepared, token: prepared.refreshToken!, record: prepared.records.refresh! }
}

/** How many refresh and access tokens of the user could still be used. */
async function alive({ userId }: Owner): Promise<number> {
  const refresh = await db
    .from('oauth_refresh_tokens')
    .where({ user_id: userId, rotated_at: null, revoked_at: null })
    .count('* as total')
  const access = await db
    .from('oauth_access_tokens')
    .where({ user_id: userId, revoked_at: null })
    .count('* as total')
  return Number(refresh[0].total) + Number(access[0].total)
}

test.group('OAuth across processes', () => {
  test('of 20 redemptions of a code at once exactly one succeeds, and the others revoke what it gave', async ({
    assert,
  }) => {
    const urls = await cluster()
    const client = await registerClient()
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await newUser()
      const answers = await sendToAll(urls, redemption(client, await newCode(client, owner)))
      const outcomes = answers.map(({ status, body }) => body.error ?? status)
      assert.sameMembers(outcomes, [200, ...Array(PARALLEL - 1).fill('invalid_grant')])
      assert.equal(await alive(owner), 0)
    }
  })

  test('of 20 refreshes with one token at once exactly one succeeds, and the family dies', async ({
    assert,
  }) => {
    const urls = await cluster()
    const client = await registerClient()
    const server = await authorizationServer()
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await newUser()
      const { prepared, token } = await newRefreshToken(client, owner)
      await server.tokens.insertTokens(prepared.records)
      const answers = await sendToAll(urls, refreshing(client, token))
      const outcomes = answers.map(({ status, body }) => body.error ?? status)
      assert.sameMembers(outcomes, [200, ...Array(PARALLEL - 1).fill('invalid_grant')])
      assert.equal(await alive(owner), 0)
    }
  })

  test('a refresh against a revocation leaves nothing alive', async ({ assert }) => {
    const urls = await cluster()
    const client = await registerClient()
    const server = await authorizationServer()
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await newUser()
      const { prepared, token } = await newRefreshToken(client, owner)
      await server.tokens.insertTokens(prepared.records)
      const [refreshed, revoked] = await Promise.all([
        post(`${urls[0]}/oauth/token`, refreshing(client, token)),
        post(`${urls[1]}/oauth/revoke`, { token, ...refreshing(client, token) }),
      ])
      assert.equal(revoked.status, 200)
      assert.include([200, 400], refreshed.status)
      assert.equal(await alive(owner), 0)
    }
  })

  test('the reuse of a rotated token against a refresh of its successor leaves nothing alive', async ({
    assert,
  }) => {
    const urls = await cluster()
    const client = await registerClient()
    const server = await authorizationServer()
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await newUser()
      const first = await newRefreshToken(client, owner)
      await server.tokens.insertTokens(first.prepared.records)
      const second = await newRefreshToken(client, owner, first.record.familyId)
      await server.tokens.rotate(first.record, second.prepared.records, Date.now(), null)
      const [reused] = await Promise.all([
        post(`${urls[0]}/oauth/token`, refreshing(client, first.token)),
        post(`${urls[1]}/oauth/token`, refreshing(client, second.token)),
      ])
      assert.equal(reused.body.error, 'invalid_grant')
      assert.equal(await alive(owner), 0)
    }
  })

  test('the end of all tokens of a user against refreshes and a redemption leaves nothing alive', async ({
    assert,
  }) => {
    const urls = await cluster()
    const client = await registerClient()
    const server = await authorizationServer()
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await newUser()
      const tokens = [await newRefreshToken(client, owner), await newRefreshToken(client, owner)]
      for (const { prepared } of tokens) {
        await server.tokens.insertTokens(prepared.records)
      }
      const code = await newCode(client, owner)
      const answers = await Promise.all([
        post(`${urls[0]}/oauth/token`, refreshing(client, tokens[0]!.token)),
        post(`${urls[1]}/oauth/token`, refreshing(client, tokens[1]!.token)),
        post(`${urls[2]}/oauth/token`, redemption(client, code)),
        Promise.resolve(server.tokens.revokeAll(owner, Date.now())).then(() => ({ status: 200 })),
      ])
      for (const { status } of answers) {
        assert.include([200, 400], status)
      }
      assert.equal(await alive(owner), 0)
    }
  })

  test('the end of a grant against all that is issued under it leaves nothing alive', async ({
    assert,
  }) => {
    const urls = await cluster()
    const client = await registerClient()
    const server = await authorizationServer()
    let redeemed = 0
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await newUser()
      const first = await newApproval(client, owner)
      const tokens = await post(`${urls[0]}/oauth/token`, redemption(client, first))
      const token = tokens.body.refresh_token
      const [second, third] = [await newApproval(client, owner), await newApproval(client, owner)]
      const [refreshed, one, two, revoked, ended] = await Promise.all([
        post(`${urls[0]}/oauth/token`, refreshing(client, token)),
        post(`${urls[1]}/oauth/token`, redemption(client, second)),
        post(`${urls[2]}/oauth/token`, redemption(client, third)),
        post(`${urls[3]}/oauth/revoke`, { token, ...refreshing(client, token) }),
        sleep(round % 12).then(() => server.tokens.grants.revoke(first.grant.id, Date.now())),
      ])
      assert.isTrue(ended)
      assert.equal(revoked.status, 200)
      for (const { status } of [refreshed, one, two]) {
        assert.include([200, 400], status)
        redeemed += Number(status === 200)
      }
      assert.equal(await alive(owner), 0)
    }
    assert.isAbove(redeemed, 0)
  })

  test('many approvals at once make one grant with all their scopes', async ({ assert }) => {
    const client = await registerClient()
    for (let round = 0; round < 20; round++) {
      const owner = await newUser()
      const scopes = Array.from({ length: PARALLEL }, (_, index) => `scope:${index}`)
      const made = await Promise.all(scopes.map((scope) => newApproval(client, owner, scope)))
      assert.lengthOf(new Set(made.map(({ grant }) => grant.id)), 1)
      const [row] = await db.from('oauth_grants').where('user_id', owner.userId)
      assert.sameMembers(JSON.parse(row.scopes), scopes)
    }
  })

  test('the revocation of a client against tokens that it asks for leaves nothing alive', async ({
    assert,
  }) => {
    const urls = await cluster()
    const server = await authorizationServer()
    const user = await UserFactory.merge({
      email: `${randomBytes(12).toString('hex')}@example.com`,
    }).create()
    let issued = 0
    for (let round = 0; round < 50; round++) {
      const client = await registerClient()
      const ask = (index: number) =>
        post(`${urls[index % urls.length]}/oauth/token`, {
          ...(index % 10 === 0
            ? { grant_type: 'password', username: user.email, password: FACTORY_PASSWORD }
            : { grant_type: 'client_credentials' }),
          ...credentials(client),
        })
      const answers = await Promise.all([
        ...Array.from({ length: PARALLEL }, (_, index) => ask(index)),
        sleep(round % 20).then(async () => {
          await server.clients.revoke(client.id)
          return { status: 200, body: {} }
        }),
      ])
      for (const { status, body } of answers) {
        assert.include([200, 401], status)
        assert.equal(body.error, status === 200 ? undefined : 'invalid_client')
      }
      issued += answers.filter(({ status }) => status === 200).length - 1
      const rows = { client_id: client.id, revoked_at: null }
      assert.lengthOf(await db.from('oauth_access_tokens').where(rows), 0)
      assert.lengthOf(await db.from('oauth_refresh_tokens').where(rows), 0)
    }
    assert.isAbove(issued, 0)
  })
})
