/*
|--------------------------------------------------------------------------
| OAuth 2.1
|--------------------------------------------------------------------------
|
|   npm run benchmark -- oauth2
|
| CPU time of what every request of the authorization server and of a
| protected route costs beyond the framework. On the test database, in a
| transaction that is rolled back.
|
*/

import { app, finish, measurer } from './harness.js'

const { HttpContextFactory } = await import('@adonisjs/core/factories/http')
const { UserFactory } = await import('#database/factories/user_factory')
const { AuthorizationServer } = await import('#kit/oauth2/authorization_server')
const { Parameters } = await import('#kit/oauth2/parameters')

const measure = measurer({ calls: 1000, rounds: 3 })
const manager = await app.container.make('auth_manager')
const server = await app.container.make(AuthorizationServer)
const users = manager.usersOf('oauth')
const user = await UserFactory.create()
const [client, secret] = await server.clients.register('Benchmark', ['https://a.example.com/'])
const credentials = { client_id: client.id, client_secret: secret }

/** What a form of these fields is to the token endpoint. */
function request(fields: Record<string, string | null>) {
  const ctx = new HttpContextFactory().create()
  return { ctx, parameters: Parameters.fromJson({ ...fields, ...credentials }) }
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

await finish()
