import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { startServer } from '#tests/helpers/server_process'

const WITH_PROVIDERS = 'tests/helpers/fixtures/server_with_providers.ts'

/** Starts a server that is expected not to start, and returns what it said. */
async function failToStart(env: Record<string, string>, script = 'bin/server.ts') {
  const child = spawn(process.execPath, ['--import=@poppinss/ts-exec', app.makePath(script)], {
    cwd: app.makePath(),
    env: { ...process.env, PORT: '0', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stderr }
}

test.group('AuthOAuth2Provider', () => {
  test('taken out, its routes answer 404 and the rest works', async ({ assert }) => {
    const url = await startServer({ WITHOUT: 'auth_oauth2_provider' }, undefined, WITH_PROVIDERS)
    for (const [method, path] of [
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
    ]) {
      const response = await fetch(url + path, { method })
      assert.equal(response.status, 404, `${method} ${path}`)
    }
    const me = await fetch(`${url}/api/me`, { headers: { authorization: 'Bearer x' } })
    assert.equal(me.status, 401)
  })

  test('taken out while a guard needs it, the start fails and names it', async ({ assert }) => {
    const { code, stderr } = await failToStart(
      { WITHOUT: 'auth_oauth2_provider', KEEP_GUARDS: 'yes' },
      WITH_PROVIDERS
    )
    assert.equal(code, 1)
    assert.match(stderr, /AuthOAuth2Provider/)
  })

  test('listed before AuthProvider, the start fails and says so', async ({ assert }) => {
    const { code, stderr } = await failToStart({ FIRST: 'auth_oauth2_provider' }, WITH_PROVIDERS)
    assert.equal(code, 1)
    assert.match(stderr, /list AuthProvider before it/)
  })

  test('works without sessions', async ({ assert }) => {
    const url = await startServer(
      { WITHOUT: 'auth_session_provider', DEFAULT_GUARD: 'oauth' },
      undefined,
      WITH_PROVIDERS
    )
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
    for (const [key, message] of [
      ['', /"key" is required in production/],
      ['short', /at least 32 bytes/],
    ] as const) {
      const { code, stderr } = await failToStart({ NODE_ENV: 'production', OAUTH_KEY: key })
      assert.equal(code, 1)
      assert.match(stderr, message)
    }
  })

  test('elsewhere it starts without OAUTH_KEY, with a warning', async ({ assert }) => {
    let output = ''
    const url = await startServer(
      { NODE_ENV: 'development', OAUTH_KEY: '', LOG_LEVEL: 'warn' },
      (chunk) => (output += chunk)
    )
    const response = await fetch(`${url}/.well-known/oauth-authorization-server`)
    assert.equal(response.status, 200)
    assert.match(output, /ephemeral/)
  })

  test('an unknown grant stops the start', async ({ assert }) => {
    const { code, stderr } = await failToStart({ OAUTH_GRANT_TYPES: 'implicit' })
    assert.equal(code, 1)
    assert.match(stderr, /unknown grant type "implicit"/)
  })
})
