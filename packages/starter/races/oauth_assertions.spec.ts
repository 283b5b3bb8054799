import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { assertion, asserted, clientKey, clientWithKeys } from '#starter/helpers/assertions'
import { cluster, ISSUER } from '#starter/helpers/cluster'
import { post } from '#starter/helpers/oauth'

const PARALLEL = 12
const ROUNDS = 20

test.group('Client assertions across processes', (group) => {
  group.teardown(async () => void (await db.from('used_once').delete()))

  test('of 12 requests at once with one assertion exactly one is let in (RFC 7523 §3, 7)', async ({
    assert,
  }) => {
    const urls = await cluster()
    const key = await clientKey()
    const { id } = await clientWithKeys({ jwks: [key.jwk] })
    for (let round = 0; round < ROUNDS; round++) {
      const text = await assertion(id, key, { aud: ISSUER })
      const fields = { token: 'x', ...asserted(text) }
      const answers = await Promise.all(
        Array.from({ length: PARALLEL }, (_, index) =>
          post(`${urls[index % urls.length]}/oauth/introspect`, fields)
        )
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        1
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 401 || status === 429),
        PARALLEL - 1
      )
    }
  })
})
