import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import type { ApiClient, ApiRequest } from '@japa/api-client'
import { test } from '@japa/runner'

import type { GuardName } from '#auth/authenticators'
import { Refusal } from '#auth/refusal'
import { UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { findSessionService } from '#session/session_service'
import { RESOURCE } from '#tests/helpers/oauth'

/* Tells what a refusal would tell the caller and the operators. */
router.get('/_test/refusals/:guard', async ({ auth, params }) => {
  const outcome = await auth.resolveUsing([params.guard as GuardName])
  const error = outcome instanceof Refusal ? outcome.toError() : null
  return { description: error?.description, reason: error?.reason }
})

const MISSING_OR_BAD = 'The access token is missing, invalid, expired or revoked.'
const NO_SESSION = 'There is no authenticated session.'

type Send = (request: ApiRequest, user: User) => unknown
type Scenario = [guard: string, reason: string, description: string, send: Send]

const bearer = (token: string) => (request: ApiRequest) => request.bearerToken(token)

/** Starts a session with this owner. */
async function startSession(request: ApiRequest, owner: { userId: string; guard: string } | null) {
  const sessions = (await findSessionService(app))!
  const { id } = await sessions.start({}, owner)
  request.withCookie(sessions.config.cookie, id)
}

/** Changes the rows of access tokens after the test client has made one. */
const afterwards =
  (change: (user: User) => Promise<unknown>): Send =>
  (request, user) =>
    request.withOAuthToken(user).setup(async () => void (await change(user)))

const tokens = () => db.from('oauth_access_tokens')

const SCENARIOS: Scenario[] = [
  ['oauth', 'token missing', MISSING_OR_BAD, () => {}],
  ['oauth', 'Authorization header malformed', MISSING_OR_BAD, bearer('%')],
  [
    'oauth',
    'The access token is for another resource.',
    'The access token is for another resource.',
    (request, user) => request.withOAuthToken(user, { resource: RESOURCE }),
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
  ['api', 'token missing', MISSING_OR_BAD, () => {}],
  ['api', 'API token not valid', MISSING_OR_BAD, bearer('1|x')],
  ['web', 'session missing', NO_SESSION, () => {}],
  [
    'web',
    'session of a guest',
    NO_SESSION,
    (request) => request.setup(() => startSession(request, null)),
  ],
  [
    'web',
    'session of another guard',
    NO_SESSION,
    (request) => request.setup(() => startSession(request, { userId: '1', guard: 'admin' })),
  ],
  [
    'web',
    'user gone or inactive',
    NO_SESSION,
    (request) => request.setup(() => startSession(request, { userId: '0', guard: 'web' })),
  ],
  ['nowhere', 'no guard of the list exists', MISSING_OR_BAD, () => {}],
]

test.group('Refusals by guards', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  for (const [guard, reason, description, send] of SCENARIOS) {
    test(`the guard "${guard}" tells operators "${reason}", and the caller one answer`, async ({
      client,
    }: {
      client: ApiClient
    }) => {
      const request = client.get(`/_test/refusals/${guard}`)
      send(request, await UserFactory.create())
      const response = await request
      response.assertBody({ description, reason })
    })
  }
})
