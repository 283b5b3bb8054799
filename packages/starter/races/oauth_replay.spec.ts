import { once } from 'node:events'
import { connect } from 'node:net'

import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import {
  REDIRECT_URI,
  authorizationServer,
  encodeForm,
  post,
  type TestClient,
  refreshing,
  registerItself,
} from '#starter/helpers/oauth'
import { killServer, startServer } from '#starter/helpers/server_process'

/** More of them: REPLAY_ROUNDS=1000. */
const ROUNDS = Number(process.env.REPLAY_ROUNDS ?? 40)
/** Sessions of one program, in two processes, that share a file with the token. */
const SESSIONS = 3

const refresh = (url: string, client: TestClient, token: string) =>
  post(`${url}/oauth/token`, refreshing(client, token))

/** Refreshes, and drops the answer as soon as it begins. */
async function refreshInVain(url: string, client: TestClient, token: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const form = encodeForm(refreshing(client, token))
  socket.write(
    `POST /oauth/token HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`
  )
  await once(socket, 'data')
  socket.destroy()
}

async function newSignIn(client: TestClient) {
  const server = await authorizationServer()
  const user = await UserFactory.create()
  const prepared = await server.tokenIssuer.prepare(
    {
      user: { userId: String(user.id), provider: 'users' },
      clientId: client.id,
      scopes: ['posts:read'],
      resource: null,
    },
    { familyId: null }
  )
  await server.tokens.insertTokens(prepared.records)
  return { token: prepared.refreshToken!, userId: String(user.id) }
}

async function living(table: string, { id }: TestClient, userId: string) {
  const query = db.from(table).where({ client_id: id, user_id: userId, revoked_at: null })
  const rows = await (table === 'oauth_refresh_tokens' ? query.whereNull('rotated_at') : query)
  return rows.length
}

test.group('Sign-ins that last, across processes', () => {
  test('two processes that share a token stay signed in, whatever answers are lost', async ({
    assert,
  }) => {
    const urls = [await startServer(), await startServer()]
    const client = await registerItself('Shares its token', [REDIRECT_URI])
    const { token: first, userId } = await newSignIn(client)

    let token = first
    for (let expiry = 1; expiry <= ROUNDS; expiry++) {
      if (expiry % 10 === 0) {
        await refreshInVain(urls[0]!, client, token)
      }
      if (expiry % 100 === 20) {
        const lost = refresh(urls[0]!, client, token).catch(() => null)
        await killServer(urls[0]!)
        await lost
        urls[0] = await startServer()
      }
      const answers = await Promise.all(
        Array.from({ length: SESSIONS }, (_, index) => refresh(urls[index % 2]!, client, token))
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(SESSIONS).fill(200)
      )
      assert.lengthOf(new Set(answers.map(({ body }) => body.access_token)), 1)
      token = answers[0]!.body.refresh_token
      assert.equal(await living('oauth_refresh_tokens', client, userId), 1)
      assert.equal(await living('oauth_access_tokens', client, userId), 1)
    }

    for (let theft = 0; theft < ROUNDS; theft++) {
      const signIn = await newSignIn(client)
      await refresh(urls[0]!, client, signIn.token)
      await db
        .from('oauth_refresh_tokens')
        .where({ user_id: signIn.userId })
        .whereNotNull('replayable_until')
        .update({ replayable_until: Date.now() })
      const answers = await Promise.all(urls.map((url) => refresh(url, client, signIn.token)))
      assert.deepEqual(
        answers.map(({ body }) => body.error),
        ['invalid_grant', 'invalid_grant']
      )
      assert.equal(await living('oauth_refresh_tokens', client, signIn.userId), 0)
      assert.equal(await living('oauth_access_tokens', client, signIn.userId), 0)
    }
  }).timeout(60_000 + ROUNDS * 2000)
})
