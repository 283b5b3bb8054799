/* @julr/sesame: an OAuth server for AdonisJS; each route has the middleware it needs. Its own migrations are run. */

import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { defineConfig as defineAuth } from '@adonisjs/auth'
import { sessionGuard, sessionUserProvider } from '@adonisjs/auth/session'
import { defineConfig as defineSession, stores } from '@adonisjs/session'
import { defineConfig as defineSesame } from '@julr/sesame'
import { oauthGuard, oauthUserProvider } from '@julr/sesame/guard'

import { cookie, createUsers, findsUsers, named, serve, userModel } from './adonis.js'

const User = userModel(findsUsers)
const model = async () => ({ default: User })

const config = {
  session: defineSession({
    age: '2h',
    cookieName: 'session',
    cookie,
    store: 'cookie',
    stores: { cookie: stores.cookie() },
  }),
  auth: defineAuth({
    default: 'web',
    guards: {
      web: sessionGuard({
        useRememberMeTokens: false,
        provider: sessionUserProvider({ model }),
      }),
      oauth: oauthGuard({ provider: oauthUserProvider({ model }) }),
    },
  }),
  sesame: defineSesame({
    issuer: `http://127.0.0.1:${process.env.PORT}`,
    scopes: { read: 'read' },
    defaultScopes: [],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    loginPage: '/login',
    consentPage: '/oauth/consent',
    /* Its default accepts a rotated token for two minutes. */
    refreshTokenRotationGracePeriod: 0,
  }),
}

const TABLES = [
  'clients',
  'authorization_codes',
  'access_tokens',
  'refresh_tokens',
  'consents',
  'pending_authorization_requests',
]

/** Its migrations come as templates. */
async function migrate(db) {
  const stubs = join(dirname(createRequire(import.meta.url).resolve('@julr/sesame')), 'stubs')
  const folder = mkdtempSync(join(tmpdir(), 'bench-migrations-'))
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), `${folder}/node_modules`)
  for (const table of TABLES) {
    const stub = readFileSync(join(stubs, `migrations/create_oauth_${table}_table.stub`), 'utf8')
    const file = join(folder, `${table}.mjs`)
    const code = stub.replace(/^\{\{\{[\s\S]*?\}\}\}/, '').replace(/protected /g, '')
    writeFileSync(file, `import { BaseSchema } from '@adonisjs/lucid/schema'\n${code}`)
    const { default: Migration } = await import(pathToFileURL(file).href)
    await new Migration(db.connection(), table, false).execUp()
  }
}

async function prepare(app) {
  const db = await createUsers(app)
  await migrate(db)
  const { default: sesame } = await import('@julr/sesame/services/main')
  const { client } = await sesame.createClient({
    name: 'Bench',
    redirectUris: ['https://client.test/cb'],
    scopes: ['read'],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    userId: '1',
  })
  const secret = createHash('sha256').update('bench-secret').digest('base64url')
  await db
    .from('oauth_clients')
    .where('client_id', client.clientId)
    .update({ client_id: 'bench', client_secret: secret })
}

async function route(router, server) {
  server.use([])
  const { default: sesame } = await import('@julr/sesame/services/main')
  const { body, session, auth } = named(router)
  const { default: SessionMiddleware } = await import('@adonisjs/session/session_middleware')
  /* The session runs where the browser comes. */
  const forBrowsers = async (ctx, next) => {
    const isBrowser = /\/(authorize|consent)$/.test(ctx.request.url())
    const middleware = isBrowser && (await ctx.containerResolver.make(SessionMiddleware))
    return middleware ? middleware.handle(ctx, next) : next()
  }
  router
    .group(() => sesame.registerRoutes())
    .prefix('/oauth')
    .use([body(), forBrowsers, auth()])

  router.get('/health', () => 'ok')
  router
    .post('/login', async (ctx) => {
      const { email, password } = ctx.request.all()
      await ctx.auth.use('web').login(await User.verifyCredentials(email, password))
      return {}
    })
    .use([body(), session(), auth()])
  router
    .get('/me', async (ctx) => {
      if (!(await ctx.auth.use('oauth').check())) {
        return ctx.response.unauthorized({ error: 'unauthorized' })
      }
      const { id, email } = ctx.auth.use('oauth').user
      return { id, email }
    })
    .use(auth())
}

const more = [() => import('@julr/sesame/sesame_provider')]
await serve({ config, more, prepare, route })
