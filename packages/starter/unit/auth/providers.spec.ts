import { Encryption } from '@adonisjs/core/encryption'
import app from '@adonisjs/core/services/app'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { ApplicationService } from '@adonisjs/core/types'
import { test } from '@japa/runner'

import { CoreProvider } from '#kit/auth/core_provider'
import { FeatureProvider } from '#kit/auth/feature_provider'
import { Purges } from '#kit/database/purges'
import AuthSessionProvider from '#providers/auth_session_provider'

/** An application that makes these alone, and the lines of its log. */
function createApplication(bindings: [unknown, unknown][] = []) {
  const lines: unknown[][] = []
  const log = (...line: unknown[]) => void lines.push(line)
  const made = new Map<unknown, unknown>([...bindings, ['logger', { error: log, warn: log }]])
  const container = { make: async (name: unknown) => made.get(name) }
  const fake = { container, getEnvironment: () => 'web' } as unknown as ApplicationService
  return { app: fake, lines }
}

test.group('Providers', () => {
  test('a server logs by name the purge that fails', async ({ assert }) => {
    const failure = new Error('locked')
    const purges = {
      start: (report: (name: string, error: unknown) => void) => report('tokens', failure),
    }
    const { app: server, lines } = createApplication([[Purges, purges]])
    class Provider extends CoreProvider {}
    await new Provider(server).ready()
    assert.deepEqual(lines, [[{ err: failure }, 'Cannot purge tokens']])
  })

  test('what a feature warns of at a start is in the log', async ({ assert }) => {
    const { app: server, lines } = createApplication()
    class Provider extends FeatureProvider {
      boot() {
        return this.warn('Set it')
      }
    }
    await new Provider(server).boot()
    assert.deepEqual(lines, [['Set it']])
  })

  test('a store on a connection that does not exist is refused by its name', async ({ assert }) => {
    class Store {}
    class Provider extends FeatureProvider {
      on(connection?: string) {
        return this.store({ store: 'database', connection }, Store, Store)
      }
    }
    const provider = new Provider(app)
    const missing = /There is no connection "nope" in config\/database\.ts/
    await assert.rejects(() => provider.on('nope'), missing)
    assert.instanceOf(await provider.on(), Store)
    assert.instanceOf(await provider.on(app.config.get('database.connection')), Store)
  })

  test('sessions whose cookies cannot be written do not start', async ({ assert }) => {
    const { app: server } = createApplication([
      ['auth_manager', {}],
      [Encryption, {}],
    ])
    Object.assign(server, { config: new Map([['session', { domain: 'https://example.com' }]]) })
    await assert.rejects(() => new AuthSessionProvider(server).boot(), /cannot be written/)
  })

  test('a request whose caller nobody has asked for is still valid', async ({ assert }) => {
    const manager = await app.container.make('auth_manager')
    const ctx = new HttpContextFactory().create()
    assert.isTrue(await manager.createAuthenticator(ctx).isStillValid())
  })
})
