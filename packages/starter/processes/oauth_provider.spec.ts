import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { registerClient } from '#starter/helpers/oauth'
import { runScript, startServer, startTogether } from '#starter/helpers/server_process'

const WITH_PROVIDERS = 'packages/starter/helpers/fixtures/server_with_providers.ts'

/** A server that is expected not to start. */
const failToStart = (env: Record<string, string>, script = 'bin/server.ts') =>
  runScript(script, [], { PORT: '0', ...env })

test.group('AuthOAuth2Provider', (group) => {
  let warnings = ''
  const started = startTogether(group, {
    withItsGuard: () =>
      failToStart({ WITHOUT: 'auth_oauth2_provider', KEEP_GUARDS: 'yes' }, WITH_PROVIDERS),
    first: () => failToStart({ FIRST: 'auth_oauth2_provider' }, WITH_PROVIDERS),
    withoutSessions: (cleanup) =>
      startServer(
        { WITHOUT: 'auth_session_provider', DEFAULT_GUARD: 'oauth' },
        { cleanup, script: WITH_PROVIDERS }
      ),
    withoutKey: () => failToStart({ NODE_ENV: 'production', OAUTH_KEY: '' }),
    withShortKey: () => failToStart({ NODE_ENV: 'production', OAUTH_KEY: 'short' }),
    inDevelopment: (cleanup) =>
      startServer(
        { NODE_ENV: 'development', OAUTH_KEY: '', LOG_LEVEL: 'warn' },
        { cleanup, onOutput: (chunk) => (warnings += chunk) }
      ),
    withUnknownGrant: () => failToStart({ OAUTH_GRANT_TYPES: 'implicit' }),
  })

  test('taken out while a guard needs it, the start fails and names it', async ({ assert }) => {
    const { code, stderr } = await started.withItsGuard
    assert.equal(code, 1)
    assert.match(stderr, /AuthOAuth2Provider/)
  })

  test('listed before AuthProvider, the start fails and says so', async ({ assert }) => {
    const { code, stderr } = await started.first
    assert.equal(code, 1)
    assert.match(stderr, /list AuthProvider before it/)
  })

  test('an issuer with a path has its endpoints and its metadata below it', async ({ assert }) => {
    const issuer = 'http://127.0.0.1/tenants/one'
    const url = await startServer({ OAUTH_ISSUER: `${issuer}/` })
    const wellKnown = '/.well-known/oauth-authorization-server'
    const metadata = (await (await fetch(`${url}${wellKnown}/tenants/one`)).json()) as any
    assert.equal(metadata.issuer, issuer)
    assert.deepEqual(metadata, await (await fetch(url + wellKnown)).json())

    const client = await registerClient()
    for (const endpoint of [metadata.token_endpoint, `${new URL(issuer).origin}/oauth/token`]) {
      const response = await fetch(url + new URL(endpoint).pathname, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: client.id,
          client_secret: client.secret!,
        }),
      })
      assert.equal(response.status, 200, endpoint)
      const { access_token: token } = (await response.json()) as any
      assert.equal(decodeJwt(token).iss, issuer)
    }
    for (const [method, name, status] of [
      ['GET', 'authorization_endpoint', 401],
      ['POST', 'introspection_endpoint', 401],
      ['POST', 'revocation_endpoint', 401],
    ] as const) {
      const response = await fetch(url + new URL(metadata[name]).pathname, { method })
      assert.equal(response.status, status, name)
    }
  })

  test('works without sessions', async ({ assert }) => {
    const url = await started.withoutSessions
    const metadata = await fetch(`${url}/.well-known/oauth-authorization-server`)
    assert.equal(metadata.status, 200)
    const authorize = await fetch(`${url}/oauth/authorize?client_id=x`)
    assert.equal(authorize.status, 401)
    const token = await fetch(`${url}/oauth/token`, { method: 'POST' })
    assert.equal(token.status, 400)
  })

  test('in production the start fails without OAUTH_KEY, and with one that is too short', async ({
    assert,
  }) => {
    for (const [failure, message] of [
      [started.withoutKey, /"key" is required in production/],
      [started.withShortKey, /at least 32 bytes/],
    ] as const) {
      const { code, stderr } = await failure
      assert.equal(code, 1)
      assert.match(stderr, message)
    }
  })

  test('elsewhere it starts without OAUTH_KEY, with a warning', async ({ assert }) => {
    const url = await started.inDevelopment
    const response = await fetch(`${url}/.well-known/oauth-authorization-server`)
    assert.equal(response.status, 200)
    assert.match(warnings, /ephemeral/)
  })

  test('an unknown grant stops the start', async ({ assert }) => {
    const { code, stderr } = await started.withUnknownGrant
    assert.equal(code, 1)
    assert.match(stderr, /unknown grant type "implicit"/)
  })
})
