import { mock } from 'node:test'

import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import router from '@adonisjs/core/services/router'
import { Logger } from '@adonisjs/core/logger'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import type { ApiRequest } from '@japa/api-client'
import { getActiveTest, test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import type { GuardName } from '#kit/auth/guard_types'
import { currentUser } from '#kit/auth/protection'
import type { RefusedEvent } from '#kit/auth/outcome'
import { UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { findSessionService } from '#kit/session/session_service'
import { RESOURCE } from '#starter/helpers/oauth'

const ROUTE = '/_test/refusals/:guard'

/** The token or session id that the last request sent. */
let secret: string | undefined

router.get(ROUTE, async (ctx) => {
  secret ??= ctx.request.header('authorization')?.split(' ').at(-1)
  await currentUser(ctx, { guards: [ctx.params.guard as GuardName] })
})

const MISSING_OR_BAD = 'The access token is missing, invalid, expired or revoked.'
const NO_SESSION = 'There is no authenticated session.'

type Send = (request: ApiRequest, user: User) => void | Promise<void>
type Scenario = [guard: string, reason: string, description: string, send: Send]

const bearer =
  (token: string): Send =>
  (request) =>
    void request.bearerToken(token)

/** Starts a session with this owner. */
async function startSession(request: ApiRequest, owner: { userId: string; guard: string } | null) {
  const sessions = (await findSessionService(app))!
  const { id } = await sessions.start({}, owner)
  request.withCookie(sessions.config.cookie, id)
  secret = id
}

/** Sends a new API token after a change; `alter` may write it differently. */
const apiToken =
  (
    change: (user: User) => Promise<unknown> = async () => {},
    alter: (plainText: string) => string = (plainText) => plainText
  ): Send =>
  async (request, user) => {
    const { plainText } = await ApiToken.create(user, 'laptop')
    await change(user)
    request.bearerToken(alter(plainText))
  }

const apiTokens = () => db.from('personal_api_tokens')

/** Sends the cookie of a new session of the user after a change. */
const session =
  (change: (user: User) => Promise<unknown>, guard = 'web'): Send =>
  async (request, user) => {
    await startSession(request, { userId: String(user.id), guard })
    await change(user)
  }

const leave = (user: User) => user.delete()
const deactivate = (user: User) => user.merge({ isActive: false }).save()

/** Changes the rows of access tokens after the test client has made one. */
const afterwards =
  (change: (user: User) => Promise<unknown>): Send =>
  (request, user) =>
    void request.withOAuthToken(user).setup(async () => void (await change(user)))

const tokens = () => db.from('oauth_access_tokens')

const SCENARIOS: Scenario[] = [
  /* feature: oauth2 */
  ['oauth', 'token missing', MISSING_OR_BAD, () => {}],
  ['oauth', 'Authorization header malformed', MISSING_OR_BAD, bearer('%')],
  [
    'oauth',
    'The access token is for another resource.',
    'The access token is for another resource.',
    (request, user) => void request.withOAuthToken(user, { resource: RESOURCE }),
  ],
  ['oauth', 'row of the access token missing', MISSING_OR_BAD, afterwards(() => tokens().delete())],
  [
    'oauth',
    'access token revoked',
    MISSING_OR_BAD,
    afterwards(() => tokens().update({ revoked_at: 1 })),
  ],
  [
    'oauth',
    'row of the access token expired',
    MISSING_OR_BAD,
    afterwards(() => tokens().update({ expires_at: 1 })),
  ],
  [
    'oauth',
    'access token of a user of another user provider',
    MISSING_OR_BAD,
    afterwards(() => tokens().update({ provider: 'others' })),
  ],
  [
    'oauth',
    'owner of the access token gone or inactive',
    MISSING_OR_BAD,
    afterwards((user) => user.delete()),
  ],
  /* /feature */
  /* feature: api_token */
  ['api', 'token missing', MISSING_OR_BAD, () => {}],
  ['api', 'API token malformed', MISSING_OR_BAD, bearer('1|x|y')],
  ['api', 'API token unknown', MISSING_OR_BAD, apiToken(() => apiTokens().delete())],
  [
    'api',
    'secret of the API token wrong',
    MISSING_OR_BAD,
    apiToken(undefined, (plainText) => plainText.replace(/\|.*/, `|${'x'.repeat(43)}`)),
  ],
  [
    'api',
    'API token of a user of another user provider',
    MISSING_OR_BAD,
    apiToken(() => apiTokens().update({ provider: 'others' })),
  ],
  [
    'api',
    'API token expired',
    MISSING_OR_BAD,
    apiToken(() => apiTokens().update({ expires_at: 1 })),
  ],
  ['api', 'owner of the API token gone', MISSING_OR_BAD, apiToken(leave)],
  ['api', 'owner of the API token inactive', MISSING_OR_BAD, apiToken(deactivate)],
  /* /feature */
  /* feature: session */
  ['web', 'session missing', NO_SESSION, () => {}],
  ['web', 'session unknown', NO_SESSION, session(() => db.from('sessions').delete())],
  [
    'web',
    'session lapsed',
    NO_SESSION,
    session(() => db.from('sessions').update({ expires_at: 1 })),
  ],
  ['web', 'session of a guest', NO_SESSION, (request) => startSession(request, null)],
  ['web', 'session of another guard', NO_SESSION, session(async () => {}, 'admin')],
  ['web', 'user of the session gone', NO_SESSION, session(leave)],
  ['web', 'user of the session inactive', NO_SESSION, session(deactivate)],
  /* /feature */
  ['nowhere', 'no guard of the list exists', MISSING_OR_BAD, () => {}],
]

/** Records the lines about refusals at level debug until the test ends. */
function recordDebugLines(): unknown[] {
  const lines: unknown[] = []
  const spy = mock.method(Logger.prototype, 'debug', (object: unknown, message: string) => {
    if (message === 'The request was refused') {
      lines.push(object)
    }
  })
  getActiveTest()!.cleanup(() => spy.mock.restore())
  return lines
}

test.group('Refusals by guards', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('every refusal of a guard has a reason of its own', ({ assert }) => {
    const reasons = SCENARIOS.map(([guard, reason]) => `${guard}: ${reason}`)
    assert.lengthOf([...new Set(reasons)], reasons.length)
  })

  for (const [guard, reason, description, send] of SCENARIOS) {
    test(`the guard "${guard}" tells operators "${reason}", and the caller one answer`, async ({
      client,
      assert,
      cleanup,
    }) => {
      const events: RefusedEvent[] = []
      cleanup(emitter.on('auth:refused', (event) => void events.push(event)))
      const lines = recordDebugLines()
      secret = undefined

      const request = client.get(`/_test/refusals/${guard}`).accept('json')
      await send(request, await UserFactory.create())
      const response = await request

      const error = guard === 'web' ? 'invalid_session' : 'invalid_token'
      response.assertStatus(401)
      response.assertBody({ error, error_description: description })
      const expected = { error, reason, method: 'GET', route: ROUTE, ip: '127.0.0.1' }
      assert.deepEqual(events, [expected])
      assert.deepEqual(lines, [expected])
      if (secret) {
        assert.notInclude(JSON.stringify([events, lines]), secret)
      }
    })
  }
})
