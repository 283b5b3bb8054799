import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import { registerClient } from '#starter/helpers/oauth'
import { SCOPED } from '#starter/helpers/fixtures/scoped_routes'
import { startServer, startTogether } from '#starter/helpers/server_process'
import { Visitor } from '#starter/helpers/visitor'

const JSON_RPC = { accept: 'application/json, text/event-stream' }

/** What a signed-in person gets from a page of the account; 200 where nobody can sign in, because sessions are taken out. */
async function accountStatus(url: string, path: string) {
  const visitor = new Visitor()
  const user = await UserFactory.create()
  const login = await visitor.post(`${url}/login`, {
    json: { email: user.email, password: FACTORY_PASSWORD },
  })
  const page = await visitor.get(url + path)
  return login.status === 404 ? 200 : page.status
}

const ROUTES_WITH_SESSIONS: [method: string, path: string][] = [
  ['GET', '/login'],
  ['POST', '/login'],
  ['POST', '/logout'],
  ['GET', '/register'],
  ['GET', '/account'],
  ['GET', '/password/forgot'],
  ['GET', '/__auth__/csrf-cookie'],
]

/** Pages of many features. Without workspaces those of posts refuse to work: whose they are is not known any more. */
const PAGES = ['/login', '/register', '/nothing', '/', '/posts']
const pagesWithout = (missing: string) =>
  missing === 'workspaces_provider' ? PAGES.slice(0, 3) : PAGES

/** What each feature does for its callers, and the routes that it brings. */
const FEATURES: Record<
  string,
  { works(assert: Assert, url: string): Promise<void>; routes: [method: string, path: string][] }
> = {
  auth_session_provider: {
    async works(assert, url) {
      const visitor = new Visitor()
      const user = await UserFactory.create()
      const login = await visitor.post(`${url}/login`, {
        json: { email: user.email, password: FACTORY_PASSWORD },
      })
      assert.equal(login.status, 200)
      const me = await visitor.get(`${url}/api/me`)
      assert.equal(me.status, 200)
    },
    routes: ROUTES_WITH_SESSIONS,
  },
  auth_api_token_provider: {
    async works(assert, url) {
      const { plainText } = await ApiToken.create(await UserFactory.create(), {
        abilities: ['posts:read'],
      })
      const headers = { authorization: `Bearer ${plainText}` }
      const me = await new Visitor().get(`${url}/api/me`, { headers })
      assert.equal(me.status, 200)
    },
    routes: [],
  },
  auth_oauth2_provider: {
    async works(assert, url) {
      const client = await registerClient({ grantTypes: ['client_credentials'] })
      const form = {
        grant_type: 'client_credentials',
        client_id: client.id,
        client_secret: client.secret!,
        scope: 'posts:read',
      }
      const granted = await new Visitor().post(`${url}/oauth/token`, { form })
      assert.equal(granted.status, 200)
      const { access_token: token } = (await granted.json()) as { access_token: string }
      const headers = { authorization: `Bearer ${token}` }
      const allowed = await new Visitor().get(url + SCOPED, { headers })
      assert.equal(allowed.status, 200)
    },
    routes: [
      ['GET', '/.well-known/oauth-authorization-server'],
      ['GET', '/oauth/authorize'],
      ['POST', '/oauth/authorize'],
      ['POST', '/oauth/token'],
      ['POST', '/token'],
      ['POST', '/oauth/introspect'],
      ['POST', '/oauth/revoke'],
      ['GET', '/oauth/tokens'],
      ['DELETE', '/oauth/tokens'],
      ['DELETE', '/oauth/tokens/x'],
      ['GET', '/oauth/personal-access-tokens'],
      ['POST', '/oauth/personal-access-tokens'],
      ['DELETE', '/oauth/personal-access-tokens'],
      ['DELETE', '/oauth/personal-access-tokens/x'],
    ],
  },
  auth_security_log_provider: { async works() {}, routes: [['GET', '/account/security']] },
  email_verification_provider: {
    async works() {},
    routes: [
      ['GET', '/email/verify'],
      ['POST', '/email/verify'],
      ['GET', '/email/verify/1'],
      ['POST', '/email/verify/1'],
      ['GET', '/account/email'],
      ['POST', '/account/email'],
    ],
  },
  auth_throttle_provider: { async works() {}, routes: [] },
  auth_two_factor_provider: {
    async works(assert, url) {
      assert.equal(await accountStatus(url, '/account/two-factor'), 200)
    },
    routes: [
      ['GET', '/login/two-factor'],
      ['POST', '/login/two-factor'],
      ['GET', '/account/two-factor'],
      ['POST', '/account/two-factor'],
      ['POST', '/account/two-factor/disable'],
    ],
  },
  auth_passkeys_provider: {
    async works(assert, url) {
      assert.equal(await accountStatus(url, '/account/passkeys'), 200)
    },
    routes: [
      ['POST', '/login/passkey'],
      ['POST', '/login/passkey/options'],
      ['POST', '/confirm/passkey'],
      ['GET', '/account/passkeys'],
      ['POST', '/account/passkeys'],
    ],
  },
  mail_code_provider: {
    async works() {},
    routes: [
      ['GET', '/login/code'],
      ['POST', '/login/code'],
      ['POST', '/login/code/verify'],
      ['POST', '/confirm/code'],
    ],
  },
  social_provider: {
    async works() {},
    routes: [
      ['POST', '/auth/google'],
      ['GET', '/auth/google/callback'],
      ['GET', '/auth/address'],
      ['POST', '/confirm/social/google'],
      ['GET', '/account/sign-in-methods'],
    ],
  },
  workspaces_provider: { async works() {}, routes: [['GET', '/workspaces']] },
  mcp_provider: {
    async works(assert, url) {
      const refused = await new Visitor().post(`${url}/mcp/account`, {
        json: {},
        headers: JSON_RPC,
      })
      assert.equal(refused.status, 401)
    },
    routes: [['POST', '/mcp/account']],
  },
  password_resets: {
    async works(assert, url) {
      const asked = await new Visitor().post(`${url}/password/email`, {
        json: { email: 'nobody@example.com' },
      })
      assert.equal(asked.status, 200)
    },
    routes: [
      ['GET', '/password/forgot'],
      ['GET', '/password/reset'],
      ['POST', '/password/email'],
      ['POST', '/password/reset'],
    ],
  },
}

test.group('A feature that is taken out', (group) => {
  const started = startTogether(
    group,
    Object.fromEntries(
      Object.keys(FEATURES).map((feature) => [
        feature,
        (cleanup) =>
          startServer(
            { WITHOUT: feature },
            { cleanup, script: 'packages/starter/helpers/fixtures/server_with_providers.ts' }
          ),
      ])
    )
  )

  for (const [missing, { routes }] of Object.entries(FEATURES)) {
    test(`${missing}: its routes answer 404, and the rest works`, async ({ assert }) => {
      const url = await started[missing]!
      for (const [method, path] of routes) {
        const response = await fetch(url + path, { method })
        assert.equal(response.status, 404, `${method} ${path}`)
      }

      for (const path of pagesWithout(missing)) {
        const page = await fetch(url + path, { headers: { accept: 'text/html' } })
        assert.isBelow(page.status, 500, path)
      }
      const reference = await fetch(`${url}/user/42`)
      assert.equal(await reference.text(), '42')
      const stranger = await fetch(`${url}/api/me`)
      assert.equal(stranger.status, 401)
      for (const [feature, { works }] of Object.entries(FEATURES)) {
        if (feature !== missing) {
          await works(assert, url)
        }
      }
    })
  }

  test('auth_oauth2_provider: MCP accepts API tokens', async ({ assert }) => {
    const url = await started.auth_oauth2_provider!
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user, { abilities: ['posts:read'] })
    const params = { name: 'my_posts', arguments: {} }
    const call = (headers: Record<string, string>) =>
      new Visitor().post(`${url}/mcp`, {
        json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        headers: { ...JSON_RPC, ...headers },
      })
    assert.equal((await call({ authorization: `Bearer ${plainText}` })).status, 200)
    assert.equal((await call({})).status, 401)
  })
})
