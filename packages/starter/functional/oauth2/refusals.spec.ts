import emitter from '@adonisjs/core/services/emitter'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'
import { SignJWT } from 'jose'

import type { RefusedEvent } from '#kit/auth/outcome'
import { UserFactory } from '#database/factories/user_factory'
import { MemoryTokenStore } from '#kit/oauth2/tokens/memory_token_store'
import type { AccessTokenRecord } from '#kit/oauth2/tokens/token_store'
import { SCOPED } from '#starter/helpers/fixtures/scoped_routes'
import { generateSecret } from '#kit/security/secrets'
import {
  ALL_GRANTS,
  OTHER_RESOURCE,
  RESOURCE,
  type Fields,
  type TestClient,
  authorizationFields,
  authorizationServer,
  basic,
  createPkce,
  credentials,
  encodeForm,
  isolate,
  obtainCode,
  obtainTokens,
  post,
  postToken,
  read,
  redemption,
  refreshing,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

type Answer = { status: number; headers: Headers; body: any }

/** Which codes, tokens and clients exist is not told to the caller, so many reasons share an answer. */
const ONE_ANSWER: [kind: RegExp, answer: string][] = [
  [/^(owner of the )?code /, 'The code is invalid, expired or already used.'],
  [/^((owner of the )?refresh token|family) /, 'The refresh_token is invalid, expired or revoked.'],
  [/^client(_id|_secret)? /, 'Client authentication failed.'],
  [/^grant type /, 'The grant_type is not supported.'],
]

/** Everything that a scenario may need. */
interface World {
  client: TestClient
  other: TestClient
  visitor: Visitor
  user: Awaited<ReturnType<typeof signedIn>>['user']
}

type Scenario = [reason: string, request: (world: World) => Promise<Answer>]

/** Records refusals until the test ends. */
function recordRefusals(name: 'oauth2:refused' | 'auth:refused'): RefusedEvent[] {
  const events: RefusedEvent[] = []
  const stop = emitter.on(name, (event) => void events.push(event))
  getActiveTest()!.cleanup(() => stop())
  return events
}

async function authorizeJson({ visitor, client }: World, fields: Record<string, unknown>) {
  return read(
    await visitor.send('/oauth/authorize', {
      ...authorizationFields(client),
      approved: true,
      ...fields,
    })
  )
}

async function withCode(world: World, change: Fields, more: Record<string, unknown> = {}) {
  const grant = await obtainCode(world.visitor, world.client, more)
  return postToken({ ...redemption(world.client, grant), ...change })
}

async function withRefreshToken(world: World, change: Fields, more: Record<string, unknown> = {}) {
  const { refresh_token: token } = await obtainTokens(world.visitor, world.client, more)
  return postToken({ ...refreshing(world.client, token), ...change })
}

const TOKEN_ENDPOINT: Scenario[] = [
  ['The parameter grant_type is missing.', () => postToken({ code: 'x'.repeat(8192) })],
  ['grant type unknown', () => postToken({ grant_type: 'nonsense' })],
  ['The parameter code is missing.', () => postToken({ grant_type: 'authorization_code' })],
  [
    'The parameter code is given more than once.',
    () => postToken('grant_type=authorization_code&code=a&code=b'),
  ],
  ['A parameter is given more than once.', () => postToken('foo=a&foo=b')],
  ['A parameter name has brackets.', () => postToken('code[]=a')],
  ['The parameter code is not form-urlencoded UTF-8.', () => postToken('code=%ff')],
  ['The parameter code is too long.', () => postToken(`code=${'x'.repeat(8193)}`)],
  ['The parameter code has characters that are not text.', () => postToken('code=%00')],
  [
    'The request body must be application/x-www-form-urlencoded.',
    () => post('/oauth/token', '{}', { 'content-type': 'application/json' }),
  ],
  [
    'The request body is too long or cannot be read.',
    () => postToken(`code=${'x'.repeat(2 ** 21)}`),
  ],
  ['Only one resource may be requested.', () => postToken('resource=a&resource=b')],

  ['client_id missing', () => postToken({ grant_type: 'client_credentials' })],
  ['client unknown', () => postToken({ grant_type: 'client_credentials', client_id: 'x' })],
  [
    'client revoked',
    async ({ other }) => {
      await (await authorizationServer()).clients.revoke(other.id)
      return postToken({ grant_type: 'client_credentials', ...credentials(other) })
    },
  ],
  [
    'client_secret wrong',
    ({ client }) =>
      postToken({ grant_type: 'client_credentials', client_id: client.id, client_secret: 'x' }),
  ],
  [
    'client_secret missing',
    ({ client }) => postToken({ grant_type: 'client_credentials', client_id: client.id }),
  ],
  [
    'client_secret from a public client',
    async () => {
      const { id } = await registerClient({ confidential: false })
      return postToken({ grant_type: 'client_credentials', client_id: id, client_secret: 'x' })
    },
  ],
  [
    'The client_secret is both in the form and in the Authorization header.',
    ({ client }) =>
      postToken(
        { grant_type: 'client_credentials', client_secret: client.secret },
        basic(client.id, client.secret)
      ),
  ],
  [
    'The Authorization header is malformed.',
    () => postToken({ grant_type: 'client_credentials' }, { authorization: 'Basic !' }),
  ],
  [
    'The client_id differs from that of the Authorization header.',
    ({ client }) =>
      postToken(
        { grant_type: 'client_credentials', client_id: 'x' },
        basic(client.id, client.secret)
      ),
  ],
  [
    'A public client cannot use this grant.',
    async () => {
      const { id } = await registerClient({ confidential: false })
      return postToken({ grant_type: 'client_credentials', client_id: id })
    },
  ],
  [
    'The grant is not allowed to this client.',
    async () => {
      const client = await registerClient({ grantTypes: ['authorization_code'] })
      return postToken({ grant_type: 'client_credentials', ...credentials(client) })
    },
  ],
  [
    'A scope is unknown.',
    ({ client }) =>
      postToken({ grant_type: 'client_credentials', scope: 'x', ...credentials(client) }),
  ],
  [
    'A scope has characters that no scope has.',
    ({ client }) =>
      postToken({ grant_type: 'client_credentials', scope: '"', ...credentials(client) }),
  ],
  [
    'A scope is not allowed to this client.',
    async () => {
      const client = await registerClient({ scopes: ['posts:read'] })
      return postToken({
        grant_type: 'client_credentials',
        scope: 'posts:write',
        ...credentials(client),
      })
    },
  ],
  [
    'The resource is not served here.',
    ({ client }) =>
      postToken({
        grant_type: 'client_credentials',
        resource: 'https://nowhere.example.com',
        ...credentials(client),
      }),
  ],

  ['code unknown', (world) => withCode(world, { code: 'x' })],
  [
    'code of another client',
    (world) => withCode(world, { client_id: null, ...credentials(world.other) }),
  ],
  [
    'The redirect_uri differs from that of the authorization request.',
    (world) => withCode(world, { redirect_uri: 'https://x.example.com' }),
  ],
  ['The parameter code_verifier is missing.', (world) => withCode(world, { code_verifier: null })],
  ['The code_verifier is malformed.', (world) => withCode(world, { code_verifier: 'x' })],
  [
    'The code_verifier does not match the code_challenge.',
    (world) => withCode(world, { code_verifier: createPkce().verifier }),
  ],
  [
    'code already redeemed',
    async ({ visitor, client }) => {
      const fields = redemption(client, await obtainCode(visitor, client))
      await postToken(fields)
      return postToken(fields)
    },
  ],
  [
    'code revoked',
    async ({ visitor, client }) => {
      const fields = redemption(client, await obtainCode(visitor, client))
      await visitor.request('DELETE', '/oauth/tokens', { csrf: true })
      return postToken(fields)
    },
  ],
  [
    'code expired',
    async ({ visitor, client }) => {
      const fields = redemption(client, await obtainCode(visitor, client))
      await db.from('oauth_auth_codes').update({ expires_at: 1 })
      return postToken(fields)
    },
  ],
  [
    'owner of the code gone or inactive',
    async ({ visitor, client, user }) => {
      const fields = redemption(client, await obtainCode(visitor, client))
      await user.merge({ isActive: false }).save()
      return postToken(fields)
    },
  ],
  [
    'The resource is not that of the code.',
    (world) => withCode(world, { resource: OTHER_RESOURCE }, { resource: RESOURCE }),
  ],

  ['The parameter refresh_token is missing.', () => postToken({ grant_type: 'refresh_token' })],
  ['refresh token unknown', ({ client }) => postToken(refreshing(client, 'x'))],
  [
    'The parameter client_id is missing.',
    (world) => withRefreshToken(world, { client_id: null, client_secret: null }),
  ],
  [
    'refresh token of another client',
    (world) => withRefreshToken(world, { ...credentials(world.other) }),
  ],
  [
    'refresh token already rotated',
    async ({ visitor, client }) => {
      const { refresh_token: token } = await obtainTokens(visitor, client)
      await postToken(refreshing(client, token))
      return postToken(refreshing(client, token))
    },
  ],
  [
    'family revoked',
    async ({ visitor, client }) => {
      const { refresh_token: token } = await obtainTokens(visitor, client)
      await visitor.request('DELETE', '/oauth/tokens', { csrf: true })
      return postToken(refreshing(client, token))
    },
  ],
  [
    'refresh token expired',
    async ({ visitor, client }) => {
      const { refresh_token: token } = await obtainTokens(visitor, client)
      await db.from('oauth_refresh_tokens').update({ expires_at: 1 })
      return postToken(refreshing(client, token))
    },
  ],
  [
    'owner of the refresh token gone or inactive',
    async ({ visitor, client, user }) => {
      const { refresh_token: token } = await obtainTokens(visitor, client)
      await user.merge({ isActive: false }).save()
      return postToken(refreshing(client, token))
    },
  ],
  [
    'The resource is not that of the refresh_token.',
    (world) => withRefreshToken(world, { resource: RESOURCE }),
  ],
  [
    'The scope is wider than that of the refresh_token.',
    (world) => withRefreshToken(world, { scope: 'posts:write' }, { scope: 'posts:read' }),
  ],
  [
    'refresh token without a client, and the password grant is off',
    async (world) => {
      const { refresh_token: token } = await obtainTokens(world.visitor, world.client)
      await db.from('oauth_refresh_tokens').update({ client_id: null })
      return postToken(refreshing(null, token))
    },
  ],

  [
    'code redeemed or revoked by another request',
    async (world) => {
      const tokens = Object.assign(new MemoryTokenStore(), { redeemCode: () => false })
      await useConfig({}, { tokens })
      return withCode(world, {})
    },
  ],
  [
    'refresh token rotated or revoked by another request',
    async (world) => {
      const tokens = Object.assign(new MemoryTokenStore(), { rotate: () => false })
      await useConfig({}, { tokens })
      return withRefreshToken(world, {})
    },
  ],
  ['grant type not enabled', () => post('/token', { username: 'x', password: 'y' })],
  [
    'The parameter username is missing.',
    async () => {
      await useConfig({ grantTypes: ALL_GRANTS })
      return post('/token', { password: 'y' })
    },
  ],
  [
    'The parameter password is missing.',
    async () => {
      await useConfig({ grantTypes: ALL_GRANTS })
      return post('/token', { username: 'y' })
    },
  ],
  [
    'user unknown or inactive, or password wrong',
    async () => {
      await useConfig({ grantTypes: ALL_GRANTS })
      return post('/token', { username: 'x', password: 'y' })
    },
  ],
  [
    'This endpoint supports the grant_type password alone.',
    async () => {
      await useConfig({ grantTypes: ALL_GRANTS })
      return post('/token', { grant_type: 'client_credentials' })
    },
  ],
  [
    'Introspection requires a client with a secret.',
    async () => {
      const { id } = await registerClient({ confidential: false })
      return post('/oauth/introspect', { token: 'x', client_id: id })
    },
  ],
  [
    'The parameter token is missing.',
    ({ client }) => post('/oauth/introspect', credentials(client)),
  ],
]

const AUTHORIZE: Scenario[] = [
  ['session missing', async () => read(await new Visitor().get('/oauth/authorize'))],
  [
    'The parameter response_type is missing.',
    async ({ visitor }) => read(await visitor.get('/oauth/authorize')),
  ],
  ['The response_type must be code.', (world) => authorizeJson(world, { response_type: 'token' })],
  ['The response_mode must be query.', (world) => authorizeJson(world, { response_mode: 'jwt' })],
  ['The parameter client_id is missing.', (world) => authorizeJson(world, { client_id: null })],
  [
    'The client_id is that of no active client.',
    (world) => authorizeJson(world, { client_id: 'x' }),
  ],
  [
    'The grant is not allowed to this client.',
    async (world) => {
      const { id } = await registerClient({ grantTypes: ['client_credentials'] })
      return authorizeJson(world, { client_id: id })
    },
  ],
  ['The parameter redirect_uri is missing.', (world) => authorizeJson(world, { redirect_uri: '' })],
  [
    'The redirect_uri is not registered for this client.',
    (world) => authorizeJson(world, { redirect_uri: 'https://x.example.com' }),
  ],
  ['A scope is unknown.', (world) => authorizeJson(world, { scope: 'x' })],
  [
    'The parameter code_challenge is missing.',
    (world) => authorizeJson(world, { code_challenge: null }),
  ],
  [
    'The code_challenge_method is not accepted.',
    (world) => authorizeJson(world, { code_challenge_method: 'plain' }),
  ],
  ['The code_challenge is malformed.', (world) => authorizeJson(world, { code_challenge: 'x' })],
  [
    'The resource is not served here.',
    (world) => authorizeJson(world, { resource: 'https://x.example.com' }),
  ],
  ['The user denied the request.', (world) => authorizeJson(world, { approved: false })],
  ['The parameter approved is not true.', (world) => authorizeJson(world, { approved: 'true' })],
  [
    'The client acts for users of another user provider.',
    async (world) => {
      const { id } = await registerClient()
      await db.from('oauth_clients').where({ id }).update({ provider: 'admins' })
      return authorizeJson(world, { client_id: id })
    },
  ],
  ['The parameter state must be a text.', (world) => authorizeJson(world, { state: 1 })],
  [
    'The request body is not valid JSON.',
    async ({ visitor }) =>
      read(
        await visitor.post('/oauth/authorize', {
          body: '',
          headers: { 'content-type': 'application/json' },
          csrf: true,
        })
      ),
  ],
  [
    'The request body must be a JSON object.',
    async ({ visitor }) => read(await visitor.send('/oauth/authorize', [])),
  ],
]

test.group('Refusals by OAuth', (group) => {
  group.each.setup(isolate)

  async function createWorld(): Promise<World> {
    return { client: await registerClient(), other: await registerClient(), ...(await signedIn()) }
  }

  for (const [endpoint, scenarios] of [
    ['The token endpoints', TOKEN_ENDPOINT],
    ['/oauth/authorize', AUTHORIZE],
  ] as const) {
    for (const [reason, request] of scenarios) {
      test(`${endpoint} tell operators: ${reason}`, async ({ assert }) => {
        const world = await createWorld()
        const events = recordRefusals('oauth2:refused')
        const { status, body } = await request(world)
        assert.isAtLeast(status, 400)
        assert.deepEqual(
          events.map((event) => event.reason),
          [reason]
        )
        assert.equal(events[0]!.error, body.error)
        assert.match(body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+\.$/)
        assert.notProperty(body, 'reason')
        for (const [kind, answer] of ONE_ANSWER) {
          if (kind.test(reason)) {
            assert.equal(body.error_description, answer)
          }
        }
      })
    }

    test(`${endpoint} have a reason of its own for every refusal`, ({ assert }) => {
      const reasons = scenarios.map(([reason]) => reason)
      assert.lengthOf(new Set(reasons), reasons.length)
    })
  }

  test('an error that a browser takes to the client is reported as well', async ({ assert }) => {
    const { visitor, client } = await createWorld()
    const events = recordRefusals('oauth2:refused')
    const query = encodeForm(authorizationFields(client, { scope: 'nonsense' }) as Fields)
    const response = await visitor.get(`/oauth/authorize?${query}`, { headers: PAGE })
    assert.equal(response.status, 303)
    assert.deepEqual(
      events.map(({ reason }) => reason),
      ['A scope is unknown.']
    )
  })

  test('a refusal names its route and its caller, and nothing that was sent', async ({
    assert,
  }) => {
    const secret = generateSecret()
    const events = recordRefusals('oauth2:refused')
    await postToken(
      { grant_type: 'refresh_token', refresh_token: secret, client_id: secret },
      basic(secret, secret)
    )
    assert.deepEqual(events, [
      {
        error: 'invalid_grant',
        reason: 'refresh token unknown',
        method: 'POST',
        route: '/oauth/token',
        ip: '127.0.0.1',
      },
    ])
  })
})

test.group('Refusals by the oauth2 guard', (group) => {
  group.each.setup(isolate)

  const open = async (authorization: string) =>
    read(await new Visitor().get(SCOPED, { headers: { authorization } }))

  async function issue(change: Partial<AccessTokenRecord> = {}) {
    const server = await authorizationServer()
    const user = await UserFactory.create()
    const { records } = await server.tokenIssuer.prepare(
      {
        user: { userId: String(user.id), provider: 'users' },
        clientId: null,
        scopes: ['posts:read'],
        resource: null,
      },
      null
    )
    const access = { ...records.access, ...change }
    await server.tokens.insertTokens({ access, refresh: null })
    return { server, user, access, token: await server.accessTokens.sign(access) }
  }

  /** A token with other claims, signed by the key of the server. */
  async function forge(claims: Record<string, unknown>) {
    const { server, access } = await issue()
    return server.keys.sign({ ...server.accessTokens.claims(access), ...claims }, { typ: 'at+jwt' })
  }

  const SCENARIOS: [reason: string, authorization: () => Promise<string>][] = [
    ['Authorization header malformed', async () => 'Bearer ü'],
    ['access token malformed', async () => 'Bearer a.b.c'],
    [
      'signature wrong',
      async () => {
        const { token } = await issue()
        return `Bearer ${token.slice(0, -8)}AAAAAAAA`
      },
    ],
    [
      'signature algorithm not the configured one',
      async () => {
        const token = await new SignJWT({ jti: 'x' })
          .setProtectedHeader({ alg: 'HS512', typ: 'at+jwt' })
          .sign(new Uint8Array(64))
        return `Bearer ${token}`
      },
    ],
    ['claim jti missing or wrong', async () => `Bearer ${await forge({ jti: 1 })}`],
    ['claim sub missing or wrong', async () => `Bearer ${await forge({ sub: ['x'] })}`],
    ['claim iat missing or wrong', async () => `Bearer ${await forge({ iat: 'x' })}`],
    ['claim exp missing or wrong', async () => `Bearer ${await forge({ exp: null })}`],
    ['claim nbf missing or wrong', async () => `Bearer ${await forge({ nbf: 4_102_444_800 })}`],
    [
      'access token expired',
      async () => `Bearer ${(await issue({ expiresAt: Date.now() - 1000 })).token}`,
    ],
    [
      'The access token is for another resource.',
      async () => `Bearer ${(await issue({ resource: RESOURCE })).token}`,
    ],
    [
      'row of the access token missing',
      async () => {
        const { token } = await issue()
        await db.from('oauth_access_tokens').delete()
        return `Bearer ${token}`
      },
    ],
    [
      'row of the access token expired',
      async () => {
        const { token } = await issue()
        await db.from('oauth_access_tokens').update({ expires_at: 1 })
        return `Bearer ${token}`
      },
    ],
    ['access token revoked', async () => `Bearer ${(await issue({ revokedAt: 1 })).token}`],
    [
      'access token of a user of another user provider',
      async () => `Bearer ${(await issue({ provider: 'admins' })).token}`,
    ],
    [
      'owner of the access token gone or inactive',
      async () => {
        const { token, user } = await issue()
        await user.merge({ isActive: false }).save()
        return `Bearer ${token}`
      },
    ],
  ]

  for (const [reason, authorization] of SCENARIOS) {
    test(`tell operators: ${reason}`, async ({ assert }) => {
      const value = await authorization()
      const events = recordRefusals('auth:refused')
      const { status } = await open(value)
      assert.equal(status, 401)
      assert.deepEqual(
        events.map((event) => [event.error, event.reason, event.route]),
        [['invalid_token', reason, SCOPED]]
      )
      assert.notInclude(JSON.stringify(events), value)
    })
  }

  test('tell operators of an access token that is too long to be looked at', async ({ assert }) => {
    const { accessTokens } = await authorizationServer()
    const reasonFor = (length: number) =>
      accessTokens.verify('.'.repeat(length)).catch((error) => error.reason)
    assert.equal(await reasonFor(16_384), 'access token malformed')
    assert.equal(await reasonFor(16_385), 'access token too long')
  })
})
