import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import type { Throttle } from '#kit/auth/throttle'
import type { ClientRequest } from '#kit/oauth2/clients/client_authentication'
import { InMemoryClientRepository } from '#kit/oauth2/clients/client_repository'
import { MemoryTokenStore } from '#kit/oauth2/tokens/memory_token_store'
import {
  type Fields,
  authorizationServer,
  basic,
  credentials,
  isolate,
  opens,
  post,
  postToken,
  registerClient,
  useConfig,
  granted,
} from '#starter/helpers/oauth'
import { limit } from '#starter/helpers/limits'

const GRANT = { grant_type: 'client_credentials' }

test.group('Client authentication', (group) => {
  group.each.setup(isolate)

  test('Basic and form fields both work at token, introspection and revocation', async ({
    assert,
  }) => {
    const client = await registerClient()
    for (const [path, fields] of [
      ['/oauth/token', GRANT],
      ['/oauth/introspect', { token: 'x' }],
      ['/oauth/revoke', { token: 'x' }],
    ] as const) {
      assert.equal((await post(path, fields, basic(client.id, client.secret))).status, 200)
      assert.equal((await post(path, { ...fields, ...credentials(client) })).status, 200)
    }
  })

  test('the scheme’s name has no case', async ({ assert }) => {
    const client = await registerClient()
    const { authorization } = basic(client.id, client.secret)
    const headers = { authorization: authorization.replace('Basic', 'bASIC') }
    assert.equal((await postToken(GRANT, headers)).status, 200)
  })

  test('Basic is form-url-decoded', async ({ assert }) => {
    const client = await registerClient()
    const encoded = [...client.id].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
    const pair = Buffer.from(`${encoded}:${client.secret}`).toString('base64')
    assert.equal((await postToken(GRANT, { authorization: `Basic ${pair}` })).status, 200)
  })

  test('Basic and a secret in the form is invalid_request', async ({ assert }) => {
    const client = await registerClient()
    const { status, body } = await postToken(
      { ...GRANT, ...credentials(client) },
      basic(client.id, client.secret)
    )
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_request')
  })

  test('Basic and the same client_id in the form is fine, another one is invalid_client', async ({
    assert,
  }) => {
    const client = await registerClient()
    const other = await registerClient()
    const headers = basic(client.id, client.secret)
    assert.equal((await postToken({ ...GRANT, client_id: client.id }, headers)).status, 200)
    const { status, body } = await postToken({ ...GRANT, client_id: other.id }, headers)
    assert.equal(status, 401)
    assert.equal(body.error, 'invalid_client')
  })

  test('an empty secret in the form is absent', async ({ assert }) => {
    const client = await registerClient()
    const headers = basic(client.id, client.secret)
    assert.equal((await postToken({ ...GRANT, client_secret: '' }, headers)).status, 200)
  })

  test('a public client with a secret is invalid_client, with an empty one it is fine', async ({
    assert,
  }) => {
    const client = await registerClient({ confidential: false })
    const revoke = (fields: Fields, headers = {}) =>
      post('/oauth/revoke', { token: 'x', ...fields }, headers)
    assert.equal((await revoke({ client_id: client.id })).status, 200)
    assert.equal((await revoke({ client_id: client.id, client_secret: '' })).status, 200)
    assert.equal((await revoke({}, basic(client.id, ''))).status, 200)
    assert.equal((await revoke({ client_id: client.id, client_secret: 'x' })).status, 401)
    assert.equal((await revoke({}, basic(client.id, 'x'))).status, 401)
  })

  test('unknown, revoked and wrong secret give the same answer', async ({ assert }) => {
    const client = await registerClient()
    const revoked = await registerClient()
    await db.from('oauth_clients').where('id', revoked.id).update({ revoked: true })
    const answers = await Promise.all([
      postToken({ ...GRANT, client_id: 'unknown', client_secret: client.secret }),
      postToken({ ...GRANT, client_id: 'ünknown\u007f', client_secret: client.secret }),
      postToken({ ...GRANT, client_id: 'x'.repeat(5000), client_secret: client.secret }),
      postToken({ ...GRANT, ...credentials(revoked) }),
      postToken({ ...GRANT, ...credentials(client), client_secret: 'wrong' }),
      postToken({ ...GRANT, client_id: client.id }),
      postToken({ ...GRANT }),
      postToken(GRANT, basic(client.id, 'wrong')),
      postToken(GRANT, basic(client.id, '')),
      postToken(GRANT, basic('unknown', client.secret)),
    ])
    for (const { status, headers, body } of answers) {
      assert.equal(status, 401)
      assert.equal(headers.get('www-authenticate'), 'Basic')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.deepEqual(body, answers[0].body)
      assert.equal(body.error, 'invalid_client')
    }
  })

  const malformed = (text: string) => Buffer.from(text, 'latin1').toString('base64')
  for (const [title, value] of [
    ['nothing', 'Basic'],
    ['a blank', 'Basic '],
    ['no base64', 'Basic !!!'],
    ['no colon', `Basic ${malformed('client')}`],
    ['no client id', `Basic ${malformed(':secret')}`],
    ['a broken escape', `Basic ${malformed('%zz:secret')}`],
    ['invalid UTF-8', `Basic ${malformed('%ff:secret')}`],
    ['a NUL', `Basic ${malformed('%00:secret')}`],
  ]) {
    test(`Basic with ${title} is invalid_client`, async ({ assert }) => {
      const { status, body } = await postToken(GRANT, { authorization: value! })
      assert.equal(status, 401)
      assert.equal(body.error, 'invalid_client')
    })
  }

  test('a revocation that was interrupted is finished by the next one', async ({ assert }) => {
    const server = await authorizationServer()
    const { client, tokens } = await granted()
    await server.clients.repository.revoke(client.id)
    assert.isTrue(await opens(tokens.access_token))

    assert.isFalse(await server.clients.revoke(client.id))
    assert.isFalse(await opens(tokens.access_token))
  })

  test('a client that is revoked while its token is being stored gets none, wherever the stores are', async ({
    assert,
  }) => {
    const clients = new InMemoryClientRepository()
    const tokens = new MemoryTokenStore()
    await useConfig({}, { tokens, clients })
    const client = await registerClient()
    const insert = tokens.insertTokens.bind(tokens)
    let jti = ''
    tokens.insertTokens = (issued) => {
      clients.revoke(client.id)
      jti = issued.access.jti
      insert(issued)
    }
    const { status, body } = await postToken({
      grant_type: 'client_credentials',
      ...credentials(client),
    })
    assert.deepEqual([status, body.error], [401, 'invalid_client'])
    assert.isNotNull(tokens.findAccessToken(jti)!.record.revokedAt)
  })

  test('a client from a revocation by code is invalid_client, and its tokens are dead', async ({
    assert,
  }) => {
    const client = await registerClient()
    const other = await registerClient()
    const { body } = await postToken({ ...GRANT, ...credentials(client) })
    const server = await authorizationServer()
    assert.isTrue(await server.clients.revoke(client.id))
    assert.isFalse(await server.clients.revoke(client.id))
    assert.isFalse(await server.clients.revoke('unknown'))
    assert.equal((await postToken({ ...GRANT, ...credentials(client) })).status, 401)
    const introspected = await post('/oauth/introspect', {
      token: body.access_token,
      ...credentials(other),
    })
    assert.deepEqual(introspected.body, { active: false })
  })

  test('too many failures of a client from one address are throttled, and successes go on', async ({
    assert,
  }) => {
    await limit({
      failedClientAuthentications: { perSubjectAndAddress: { attempts: 2, seconds: 60 } },
    })
    const client = await registerClient()
    const other = await registerClient()
    const statuses = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const wrong = { ...GRANT, ...credentials(client), client_secret: 'wrong' }
      const { status, headers, body } = await postToken(wrong)
      statuses.push(status)
      if (status === 429) {
        assert.equal(body.error, 'throttled')
        assert.match(headers.get('retry-after')!, /^[1-9]\d*$/)
        assert.equal(headers.get('cache-control'), 'no-store')
      }
    }
    assert.deepEqual(statuses, [401, 401, 429])
    assert.equal((await postToken({ ...GRANT, ...credentials(client) })).status, 200)
    assert.equal((await postToken({ ...GRANT, ...credentials(other) })).status, 200)
    const foreign = { ...GRANT, ...credentials(other), client_secret: 'wrong' }
    assert.equal((await postToken(foreign)).status, 401)
  })

  test('an id that nobody has is throttled like any other, so that nobody learns which exist', async ({
    assert,
  }) => {
    const once = { attempts: 1, seconds: 60 }
    for (const limits of [{ perSubjectAndAddress: once }, { perAddress: once }]) {
      await limit({ failedClientAuthentications: limits })
      const unknown = { ...GRANT, client_id: 'unknown', client_secret: 'guess' }
      assert.equal((await postToken(unknown)).status, 401)
      assert.equal((await postToken(unknown)).status, 429)
    }
  })

  test('ids that nobody has take little room among the counts: 256 of them for an address', async ({
    assert,
  }) => {
    const { authentication, manager } = await authorizationServer()
    const original = manager.feature('throttle')!
    const subjects = new Set<string | null>()
    const penalize: Throttle['penalize'] = async (_, subject) => void subjects.add(subject)
    manager.registerFeature('throttle', { penalize } as Throttle)
    getActiveTest()!.cleanup(() => void manager.registerFeature('throttle', original))
    for (let number = 0; number < 1000; number++) {
      const invented = { id: `invented ${number}`, secret: 'guess' }
      const attempt = authentication.authenticate({} as ClientRequest, invented)
      await assert.rejects(() => attempt, 'Client authentication failed.')
    }
    assert.isAtMost(subjects.size, 256)
    assert.isAtLeast(subjects.size, 200)
  })
})
