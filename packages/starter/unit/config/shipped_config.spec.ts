import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import env from '#start/env'
import { test } from '@japa/runner'

import { defineConfig as defineApiTokenConfig } from '#kit/api_token/define_config'
import { defineConfig as defineAuthConfig } from '#kit/auth/define_config'
import apiToken from '#config/api_token'
import auth from '#config/auth'
import mcp from '#config/mcp'
import oauth2 from '#config/oauth2'
import session from '#config/session'
import throttle from '#config/throttle'
import { defineConfig as defineMcpConfig } from '#kit/mcp/define_config'
import { defineConfig as defineOAuth2Config } from '#kit/oauth2/define_config'
import { defineConfig as defineSessionConfig } from '#kit/session/define_config'
import { defineConfig as defineThrottleConfig } from '#kit/throttle/define_config'

/** A config file as it is read when the environment says something else, until the test ends. */
async function readAgain(file: string, variables: Record<string, unknown>, cleanup: any) {
  for (const [name, value] of Object.entries(variables)) {
    const original = env.get(name as any)
    cleanup(() => env.set(name as any, original))
    env.set(name as any, value as any)
  }
  const url = new URL(`../../../../config/${file}.js?${Math.random()}`, import.meta.url)
  const { default: config } = await import(url.href)
  return config
}

/** Settings of `config/auth.ts` that are there with password resets: `packages/starter/unit/password_reset`. */
const OF_RESETS = ['passwords', 'passwordResetNotifier', 'debugExposeResetToken']

test.group('Shipped configuration | defaults', () => {
  test('config/session.ts has the documented defaults, but for the store, its model and what the environment says', ({
    assert,
  }) => {
    assert.deepEqual(
      { ...session, store: 'memory', model: undefined, secure: true },
      defineSessionConfig()
    )
  })

  test('config/api_token.ts has the documented defaults, but for the store and its model', ({
    assert,
  }) => {
    assert.deepEqual({ ...apiToken, store: 'memory', model: undefined }, defineApiTokenConfig())
  })

  test('config/oauth2.ts has the documented defaults, but for what the environment says and the scopes', ({
    assert,
  }) => {
    const own = ['given', 'key', 'issuer', 'resources', 'scopes', 'tokens', 'clients', 'openid']
    const defaults = Object.entries(defineOAuth2Config()).filter(([name]) => !own.includes(name))
    assert.containSubset(oauth2, Object.fromEntries(defaults))
    assert.isFalse(oauth2.openid.enabled)
    assert.isNull(oauth2.openid.pairwiseSalt)
  })

  test('config/auth.ts has the documented defaults', ({ assert }) => {
    const { bcryptRounds } = defineAuthConfig({})
    assert.equal(bcryptRounds, 12)
    assert.property(auth.guards, auth.default.guard)
  })

  test('config/throttle.ts has the defaults of its module', ({ assert }) => {
    assert.deepEqual(throttle, defineThrottleConfig())
  })

  test('config/mcp.ts has the defaults of its module, but for what the environment says', ({
    assert,
  }) => {
    const { allowedOrigins, allowedHosts, url, tasks, ...limits } = defineMcpConfig()
    assert.containSubset(mcp, limits)
  })

  test('config/{name}.ts names every setting')
    .with([
      { name: 'session', config: session, except: ['instance'] },
      { name: 'api_token', config: apiToken, except: ['instance'] },
      { name: 'oauth2', config: oauth2, except: ['given', 'served'] },
      { name: 'auth', config: auth, except: ['deprecated', 'isBreachedPassword', ...OF_RESETS] },
      { name: 'mcp', config: mcp, except: [] as string[] },
      { name: 'throttle', config: throttle, except: [] as string[] },
    ])
    .run(async ({ assert }, { name, config, except }) => {
      const source = await readFile(app.makePath('config', `${name}.ts`), 'utf8')
      for (const setting of Object.keys(config).filter((key) => !except.includes(key))) {
        assert.match(source, new RegExp(`^  (async )?${setting}[:(]`, 'm'))
      }
    })
})

test.group('Shipped configuration | SPA mode', () => {
  test("STATEFUL_ORIGINS brings the application's own origin along", async ({
    assert,
    cleanup,
  }) => {
    const environment = {
      STATEFUL_ORIGINS: ['https://spa.example.com'],
      APP_URL: 'https://app.example.com/start',
    }
    const config = await readAgain('api_token', environment, cleanup)
    assert.deepEqual(config.statefulOrigins, ['https://spa.example.com', 'https://app.example.com'])
    const cors = await readAgain('cors', environment, cleanup)
    assert.deepEqual(cors.origin, ['https://spa.example.com'])
  })

  test('the own origin stands in the list once', async ({ assert, cleanup }) => {
    const own = 'https://app.example.com'
    const environment = { STATEFUL_ORIGINS: [own], APP_URL: own }
    const config = await readAgain('api_token', environment, cleanup)
    assert.deepEqual(config.statefulOrigins, [own])
  })

  test('without STATEFUL_ORIGINS SPA mode is off', async ({ assert, cleanup }) => {
    const config = await readAgain('api_token', { STATEFUL_ORIGINS: [] }, cleanup)
    assert.deepEqual(config.statefulOrigins, [])
  })
})
