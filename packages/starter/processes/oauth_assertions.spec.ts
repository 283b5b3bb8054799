import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { assertion, asserted, clientKey, clientWithKeys } from '#starter/helpers/assertions'
import { encodeForm } from '#starter/helpers/oauth'
import { startServer, startTogether } from '#starter/helpers/server_process'

const PROCESSES = 3
const PARALLEL = 12
const ROUNDS = 20
const ISSUER = 'https://id.example.com'

test.group('Client assertions across processes', (group) => {
  const started = startTogether(group, {
    servers: (cleanup) => {
      cleanup(async () => db.from('used_once').delete())
      const env = { OAUTH_CLIENT_ASSERTIONS: 'true', OAUTH_ISSUER: ISSUER }
      return Promise.all(Array.from({ length: PROCESSES }, () => startServer(env, { cleanup })))
    },
  })

  test('of 12 requests at once with one assertion exactly one is let in (RFC 7523 §3, 7)', async ({
    assert,
  }) => {
    const urls = await started.servers
    const key = await clientKey()
    const { id } = await clientWithKeys({ jwks: [key.jwk] })
    for (let round = 0; round < ROUNDS; round++) {
      const text = await assertion(id, key, { aud: ISSUER })
      const body = encodeForm({ token: 'x', ...asserted(text) })
      const statuses = await Promise.all(
        Array.from({ length: PARALLEL }, async (_, index) => {
          const response = await fetch(`${urls[index % PROCESSES]}/oauth/introspect`, {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body,
          })
          await response.text()
          return response.status
        })
      )
      assert.lengthOf(
        statuses.filter((status) => status === 200),
        1
      )
      assert.lengthOf(
        statuses.filter((status) => status === 401 || status === 429),
        PARALLEL - 1
      )
    }
  })
})
