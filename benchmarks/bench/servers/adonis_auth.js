/* @adonisjs/auth: access tokens and sessions in the database; each route has the middleware it needs. */

import { defineConfig as defineAuth } from '@adonisjs/auth'
import {
  DbAccessTokensProvider,
  tokensGuard,
  tokensUserProvider,
} from '@adonisjs/auth/access_tokens'
import { sessionGuard, sessionUserProvider } from '@adonisjs/auth/session'
import { defineConfig as defineSession, stores } from '@adonisjs/session'

import { cookie, createUsers, findsUsers, named, serve, userModel } from './adonis.js'

const User = userModel(findsUsers)
User.accessTokens = DbAccessTokensProvider.forModel(User)
const model = async () => ({ default: User })

const config = {
  session: defineSession({
    age: '2h',
    cookieName: 'session',
    cookie,
    store: 'database',
    stores: { database: stores.database({ tableName: 'sessions' }) },
  }),
  auth: defineAuth({
    default: 'api',
    guards: {
      api: tokensGuard({ provider: tokensUserProvider({ tokens: 'accessTokens', model }) }),
      web: sessionGuard({
        useRememberMeTokens: false,
        provider: sessionUserProvider({ model }),
      }),
    },
  }),
}

async function prepare(app) {
  const db = await createUsers(app)
  await db.connection().schema.createTable('auth_access_tokens', (table) => {
    table.increments('id')
    table.integer('tokenable_id').notNullable().unsigned().references('id').inTable('users')
    for (const name of ['type', 'hash']) {
      table.string(name).notNullable()
    }
    table.string('name')
    table.text('abilities').notNullable()
    for (const name of ['created_at', 'updated_at', 'last_used_at', 'expires_at']) {
      table.timestamp(name).nullable()
    }
  })
  await db.connection().schema.createTable('sessions', (table) => {
    table.string('id').primary()
    table.text('data').notNullable()
    table.string('user_id').nullable().index()
    table.timestamp('expires_at').notNullable().index()
  })
}

function route(router, server) {
  server.use([])
  const { body, session, auth } = named(router)
  const me = (guard) => async (ctx) => {
    if (!(await ctx.auth.use(guard).check())) {
      return ctx.response.unauthorized({ error: 'unauthorized' })
    }
    const { id, email } = ctx.auth.use(guard).user
    return { id, email }
  }
  const verify = ({ request }) =>
    User.verifyCredentials(request.input('email'), request.input('password'))

  router.get('/health', () => 'ok')
  router.get('/me/token', me('api')).use(auth())
  router.get('/me/session', me('web')).use([session(), auth()])
  router
    .post('/tokens', async (ctx) => {
      const token = await User.accessTokens.create(await verify(ctx))
      return { token: token.value.release() }
    })
    .use(body())
  router
    .delete('/tokens', async (ctx) => {
      const user = await ctx.auth.use('api').authenticate()
      await User.accessTokens.delete(user, user.currentAccessToken.identifier)
      return {}
    })
    .use(auth())
  router
    .post('/login', async (ctx) => {
      await ctx.auth.use('web').login(await verify(ctx))
      return {}
    })
    .use([body(), session(), auth()])
}

await serve({ config, prepare, route })
