/* better-auth with its plugins for OAuth, API keys and JWT; tables by its own migrations. */

import { createServer } from 'node:http'

import { apiKey } from '@better-auth/api-key'
import { oauthProvider } from '@better-auth/oauth-provider'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'

import { KEY, open } from './shared.js'

const base = `http://127.0.0.1:${process.env.PORT}`
const password = 'bench-password'

const auth = betterAuth({
  baseURL: base,
  basePath: '/auth',
  secret: KEY.toString(),
  database: open(''),
  trustedOrigins: [base],
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { level: 'error' },
  advanced: { useSecureCookies: false },
  plugins: [
    jwt({ disableSettingJwtHeader: true }),
    apiKey({ rateLimit: { enabled: false } }),
    oauthProvider({
      loginPage: '/login',
      consentPage: '/consent',
      scopes: ['openid', 'offline_access', 'read'],
      clientPrivileges: async () => true,
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }),
  ],
})
const { runMigrations } = await getMigrations(auth.options)
await runMigrations()
const { internalAdapter } = await auth.$context

/** The users, each with an API key. */
const keys = {}
for (let id = 1; id <= 21; id++) {
  const email = `user${id}@bench.test`
  const { user } = await auth.api.signUpEmail({ body: { email, password, name: 'Bench' } })
  const { key } = await auth.api.createApiKey({ body: { userId: user.id, name: 'bench' } })
  keys[email] = key
}

const signedIn = await auth.api.signInEmail({
  body: { email: 'user1@bench.test', password },
  returnHeaders: true,
})
const cookie = signedIn.headers
  .getSetCookie()
  .map((text) => text.split(';')[0])
  .join('; ')
const client = await auth.api.adminCreateOAuthClient({
  headers: new Headers({ cookie }),
  body: {
    client_name: 'Bench',
    redirect_uris: ['https://client.test/cb'],
    scope: 'read offline_access',
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
    client_credentials_scopes: ['read'],
    skip_consent: true,
    require_pkce: true,
  },
})

const routes = {
  '/health': async () => ({ ok: true }),
  '/seeded': async () => ({ keys, id: client.client_id, secret: client.client_secret }),
  async '/me/session'({ headers }) {
    const session = await auth.api.getSession({ headers: fromNodeHeaders(headers) })
    return session && profile(session.user)
  },
  async '/me/token'({ headers }) {
    const key = (headers.authorization ?? '').slice('Bearer '.length)
    const { valid, key: found } = await auth.api.verifyApiKey({ body: { key } })
    return valid ? profile(await internalAdapter.findUserById(found.referenceId)) : null
  },
}

const profile = ({ id, email }) => ({ id, email })
const handler = toNodeHandler(auth)

createServer(async (request, response) => {
  const route = routes[request.url]
  if (!route) {
    return handler(request, response)
  }
  const answer = await route(request)
  const body = JSON.stringify(answer ?? { error: 'invalid_token' })
  response.writeHead(answer ? 200 : 401, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  return response.end(body)
}).listen(process.env.PORT, '127.0.0.1')
