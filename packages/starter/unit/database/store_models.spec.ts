import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { test } from '@japa/runner'

import AppOAuthAccessToken from '#models/oauth_access_token'
import AppOAuthAuthCode from '#models/oauth_auth_code'
import AppOAuthClient from '#models/oauth_client'
import AppOAuthRefreshToken from '#models/oauth_refresh_token'
import AppPasswordResetToken from '#models/password_reset_token'
import AppPersonalApiToken from '#models/personal_api_token'
import AppSession from '#models/session'
import PersonalApiToken from '#kit/api_token/models/personal_api_token'
import { DatabaseApiTokenRepository } from '#kit/api_token/store'
import type { ApiTokenRepository } from '#kit/api_token/token'
import { type ClientRepository, OrmClientRepository } from '#kit/oauth2/clients/client_repository'
import OAuthAccessToken from '#kit/oauth2/models/oauth_access_token'
import OAuthAuthCode from '#kit/oauth2/models/oauth_auth_code'
import OAuthClient from '#kit/oauth2/models/oauth_client'
import OAuthRefreshToken from '#kit/oauth2/models/oauth_refresh_token'
import { DatabaseTokenStore } from '#kit/oauth2/tokens/database_token_store'
import type { TokenStore } from '#kit/oauth2/tokens/token_store'
import PasswordResetToken from '#kit/password_reset/models/password_reset_token'
import { type PasswordResetStore, DatabasePasswordResetStore } from '#kit/password_reset/store'
import Session from '#kit/session/models/session'
import { SessionService } from '#kit/session/session_service'
import { DatabaseSessionStore } from '#kit/session/database_store'
import type { SessionStore } from '#kit/session/store'
import { generateIdentifier, hashSecret } from '#kit/security/secrets'
import { UserFactory } from '#database/factories/user_factory'
import { authorizationServer, isolate } from '#starter/helpers/oauth'
import {
  LATER,
  accessToken,
  authorizationCode,
  bareClient,
  pair,
} from '#starter/helpers/oauth_records'

const client = () => db.connection()
const manager = () => app.container.make('auth_manager')
const digest = () => hashSecret(generateIdentifier())

/** A store that makes rows of a model. */
interface Case {
  kit: LucidModel
  application: LucidModel
  /** A column that the hook sets. */
  column: string
  /** Over the application's model, or the kit's own without one. */
  store(model?: any): unknown
  /** The store of the running application. */
  running(): Promise<unknown>
  create(store: any): unknown
}

const createSession = (store: SessionStore) =>
  store.create(digest(), {
    userId: null,
    guard: null,
    login: null,
    csrfToken: 'csrf',
    data: {},
    createdAt: 1000,
    lastActivity: 1000,
    expiresAt: 2000,
  })

const createApiToken = (store: ApiTokenRepository) =>
  store.create({
    userId: '1',
    provider: 'users',
    name: null,
    hash: digest(),
    abilities: [],
    context: null,
    lastUsedAt: null,
    expiresAt: null,
    createdAt: 1000,
  })

const createClient = (store: ClientRepository) => store.insert(bareClient())

const issue = (store: TokenStore) => store.insertTokens(pair())

async function rotate(store: TokenStore) {
  const first = pair()
  await new DatabaseTokenStore(client).insertTokens(first)
  await store.rotate(first.refresh, pair({ familyId: first.refresh.id }), LATER, null)
}

async function redeem(store: TokenStore) {
  const code = authorizationCode()
  await new DatabaseTokenStore(client).insertCode(code)
  await store.redeemCode(code.id, pair(), LATER)
}

const issueToClient = async (store: TokenStore) => {
  const clients = new OrmClientRepository(client)
  const registered = bareClient()
  await clients.insert(registered)
  const access = accessToken({ clientId: registered.id })
  await store.insertUnlessRevoked!({ access, refresh: null }, clients)
}

const approval = () => ({
  grantId: generateIdentifier(),
  declined: [],
  context: null,
  redirectHost: null,
  expiresAt: LATER,
})

async function approveAgain(store: TokenStore) {
  const kit = new DatabaseTokenStore(client)
  const code = authorizationCode()
  const grant = await kit.grants.approve(code, approval())
  await store.grants.reuse(authorizationCode(), grant)
}

const serverTokens = async () => (await authorizationServer()).tokens

const accessTokens = {
  kit: OAuthAccessToken,
  application: AppOAuthAccessToken,
  column: 'resource',
  store: (model?: any) => new DatabaseTokenStore(client, { accessToken: model }),
  running: serverTokens,
}
const codes = {
  kit: OAuthAuthCode,
  application: AppOAuthAuthCode,
  column: 'resource',
  store: (model?: any) => new DatabaseTokenStore(client, { authCode: model }),
  running: serverTokens,
}
const refreshTokens = {
  kit: OAuthRefreshToken,
  application: AppOAuthRefreshToken,
  column: 'resource',
  store: (model?: any) => new DatabaseTokenStore(client, { refreshToken: model }),
  running: serverTokens,
}

const CASES: Record<string, Case> = {
  'a session': {
    kit: Session,
    application: AppSession,
    column: 'userAgent',
    store: (model) => new DatabaseSessionStore(client, model),
    running: async () => (await app.container.make(SessionService)).store,
    create: createSession,
  },
  'an API token': {
    kit: PersonalApiToken,
    application: AppPersonalApiToken,
    column: 'name',
    store: (model) => new DatabaseApiTokenRepository(client, model),
    running: async () => (await manager()).feature('apiTokens')!.repository,
    create: createApiToken,
  },
  'a client': {
    kit: OAuthClient,
    application: AppOAuthClient,
    column: 'name',
    store: (model) => new OrmClientRepository(client, model),
    running: async () => (await authorizationServer()).clients.repository,
    create: createClient,
  },
  'an access token': { ...accessTokens, create: issue },
  'an access token of a client': { ...accessTokens, create: issueToClient },
  'an access token for a code': { ...accessTokens, create: redeem },
  'a refresh token': { ...refreshTokens, create: issue },
  'a refresh token for another': { ...refreshTokens, create: rotate },
  'a code': { ...codes, create: (store: TokenStore) => store.insertCode(authorizationCode()) },
  'an approved code': {
    ...codes,
    create: (store: TokenStore) => store.grants.approve(authorizationCode(), approval()),
  },
  'a code that was approved before': { ...codes, create: approveAgain },
  'a reset token': {
    kit: PasswordResetToken,
    application: AppPasswordResetToken,
    column: 'token',
    store: (model) => new DatabasePasswordResetStore('users', undefined, model),
    running: async () => ({
      async replace() {
        const user = await UserFactory.create()
        await (await manager()).broker().createToken(user.email)
      },
    }),
    create: (store: PasswordResetStore) =>
      store.replace(
        `${generateIdentifier()}@example.com`,
        { token: digest(), createdAt: Date.now(), expiresAt: Date.now() + 1000 },
        0
      ),
  },
}

/** Sets a column of the rows that a model makes, until the test ends. */
function mark(model: LucidModel, column: string, cleanup: (undo: () => void) => void) {
  const value = `https://${generateIdentifier()}.example.com`
  const made: LucidRow[] = []
  const set = (row: any) => void (row[column] = value)
  const remember = (row: LucidRow) => void made.push(row)
  model.boot()
  model.before('create', set)
  model.after('create', remember)
  cleanup(() => {
    model.$hooks.remove('before:create', set)
    model.$hooks.remove('after:create', remember)
  })
  return {
    made,
    async rows() {
      return db.from(model.table).where(model.$getColumn(column)!.columnName, value)
    },
  }
}

/** A model of the application, for one test. */
function extended({ application }: Case): LucidModel {
  const { table } = application
  return class extends application {
    static table = table
  }
}

test.group("The application's models in stores", (group) => {
  group.each.setup(isolate)

  test('{$self}: hooks of the model run when one is made, and what they set is kept')
    .with(Object.keys(CASES))
    .run(async ({ assert, cleanup }, name) => {
      const one = CASES[name]!
      const model = extended(one)
      const hook = mark(model, one.column, cleanup)
      await one.create(one.store(model))
      assert.lengthOf(await hook.rows(), 1)
      assert.lengthOf(hook.made, 1)
      assert.instanceOf(hook.made[0], model)
      assert.isTrue(hook.made[0]!.$isPersisted)
      assert.isFalse(hook.made[0]!.$isDirty)
    })

  test("{$self}: without a model the store uses the kit's own")
    .with(Object.keys(CASES))
    .run(async ({ assert, cleanup }, name) => {
      const one = CASES[name]!
      const others = mark(one.application, one.column, cleanup)
      const hook = mark(one.kit, one.column, cleanup)
      const before = await db.from(one.kit.table)
      await one.create(one.store())
      assert.isAbove((await db.from(one.kit.table)).length, before.length)
      assert.isNotEmpty(hook.made)
      assert.isEmpty(others.made)
    })

  test('{$self}: the application runs with the model of app/models')
    .with(Object.keys(CASES))
    .run(async ({ assert, cleanup }, name) => {
      const one = CASES[name]!
      const hook = mark(one.application, one.column, cleanup)
      await one.create(await one.running())
      assert.lengthOf(await hook.rows(), 1)
      assert.lengthOf(hook.made, 1)
    })

  test('a column of the application is written and read, and a token that was not issued runs no hook after', async ({
    assert,
    cleanup,
  }) => {
    const model = extended(CASES['an access token']!)
    const hook = mark(model, 'resource', cleanup)
    const store = new DatabaseTokenStore(client, { accessToken: model as any })
    const first = pair()
    await store.insertTokens(first)
    const again = pair({ familyId: first.refresh.id })
    assert.isTrue(await store.rotate(first.refresh, again, LATER, null))
    assert.isFalse(await store.rotate(first.refresh, pair(), LATER, null))
    assert.lengthOf(hook.made, 2)

    const listed = await store.listAccessTokens(
      { userId: first.access.userId!, provider: first.access.provider! },
      { personal: false }
    )
    listed.forEach((token) => assert.instanceOf(token, model))
    assert.isNotEmpty(listed)
  })
})
