/*
|--------------------------------------------------------------------------
| OAuth 2.1
|--------------------------------------------------------------------------
|
|   node --import @poppinss/ts-exec benchmarks/oauth2.ts
|
| CPU time of what every request of the authorization server and of a
| protected route costs beyond the framework. On the test database, in a
| transaction that is rolled back.
|
*/

process.env.NODE_ENV = 'test'
process.env.LOG_LEVEL = 'silent'
await import('reflect-metadata')

const { Ignitor } = await import('@adonisjs/core')
const { APP_ROOT, IMPORTER } = await import('../bin/ignitor.js')

const CALLS = 1000
const ROUNDS = 3

const ignitor = new Ignitor(APP_ROOT, { importer: IMPORTER }).tap((application) => {
  application.booting(async () => {
    await import('#start/env')
  })
})
const app = ignitor.createApp('console')
await app.init()
await app.boot()
await app.start(() => {})

const { HttpContextFactory } = await import('@adonisjs/core/factories/http')
const { default: db } = await import('@adonisjs/lucid/services/db')
const { UserFactory } = await import('#database/factories/user_factory')
const { AuthorizationServer } = await import('#oauth2/authorization_server')
const { Parameters } = await import('#oauth2/parameters')

await db.beginGlobalTransaction()
const manager = await app.container.make('auth_manager')
const server = await app.container.make(AuthorizationServer)
const users = manager.usersOf('oauth')
const user = await UserFactory.create()
const [client, secret] = await server.clients.register('Benchmark', ['https://a.example.com/'])
const credentials = { client_id: client.id, client_secret: secret }

/** What a form of these fields is to the token endpoint. */
function request(fields: Record<string, string | null>) {
  const ctx = new HttpContextFactory().create()
  return { ctx, parameters: Parameters.fromJson({ ...fields, ...credentials }, []) }
}

/** The best of a few rounds, in microseconds of CPU time for each call. */
async function measure(name: string, call: () => unknown) {
  let best = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage()
    for (let count = 0; count < CALLS; count++) {
      await call()
    }
    const { user: own, system } = process.cpuUsage(start)
    best = Math.min(best, (own + system) / CALLS)
  }
  process.stdout.write(`${name.padEnd(40)} ${best.toFixed(1).padStart(8)} µs\n`)
}

const owner = { userId: users.identify(user), provider: users.name }
const authorization = { user: owner, clientId: client.id, scopes: ['posts:read'], resource: null }
const issued = await server.tokenIssuer.prepare(authorization, { familyId: null })
await server.tokens.insertTokens(issued.records)
let refreshToken = issued.refreshToken!

const guarded = await server.tokenIssuer.prepare(authorization, null)
await server.tokens.insertTokens(guarded.records)

await measure('a bearer token on a protected route', () => {
  const ctx = new HttpContextFactory().create()
  ctx.request.request.headers.authorization = `Bearer ${guarded.accessToken}`
  return manager.guard('oauth', ctx).authenticate()
})
await measure('  its statement', () =>
  server.tokens.findAccessToken(guarded.records.access.jti, users)
)
await measure('  its context, for the test alone', () => new HttpContextFactory().create())
await measure('a signature', () => server.accessTokens.sign(guarded.records.access))
await measure('client_credentials', () =>
  server.grants.respond(request({ grant_type: 'client_credentials', scope: 'posts:read' }))
)
await measure('refresh_token', async () => {
  const response = await server.grants.respond(
    request({ grant_type: 'refresh_token', refresh_token: refreshToken })
  )
  refreshToken = response.refresh_token!
})
await measure('introspection', () =>
  server.introspection.introspect(request({ token: guarded.accessToken }))
)

await db.rollbackGlobalTransaction()
await app.terminate()
