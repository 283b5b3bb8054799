import { test } from '@japa/runner'

import { type ApiTokenConfig, defineConfig } from '#kit/api_token/define_config'
import { MemoryApiTokenRepository } from '#kit/api_token/store'

test.group('ApiTokenConfig', () => {
  test('has the defaults of the document', ({ assert }) => {
    assert.deepEqual(defineConfig(), {
      store: 'memory',
      connection: undefined,
      model: undefined,
      instance: undefined,
      header: 'Authorization',
      ttl: null,
      purgeInterval: 300,
      statefulOrigins: [],
      sessionGuard: 'web',
    })
  })

  test('keeps what is set', ({ assert }) => {
    const config: ApiTokenConfig = {
      store: 'instance',
      connection: 'pg',
      instance: new MemoryApiTokenRepository(),
      model: () => import('#models/personal_api_token'),
      header: 'X-Api-Token',
      ttl: 3600,
      purgeInterval: 60,
      statefulOrigins: ['https://app.example.com'],
      sessionGuard: 'people',
    }
    assert.deepEqual(defineConfig(config), config as any)
  })

  test('refuses {config}')
    .with<{ config: any; message: RegExp }[]>([
      { config: { store: 'sql' }, message: /ApiTokenConfig.*removed.*"database"/ },
      { config: { store: 'async_sql' }, message: /ApiTokenConfig.*removed.*"database"/ },
      { config: { store: 'redis' }, message: /ApiTokenConfig.*unknown store/ },
      { config: { store: 'instance' }, message: /ApiTokenConfig.*"instance"/ },
      { config: { ttl: 0 }, message: /"ttl" must be a number above 0/ },
      { config: { ttl: -1 }, message: /"ttl" must be a number above 0/ },
      { config: { ttl: Number.NaN }, message: /"ttl" must be a number above 0/ },
      ...['', 'X Api Token', 'X-Api-Token:', 'X-Schlüssel'].map((header) => ({
        config: { header },
        message: /^ApiTokenConfig: "header" must be a name of letters, digits and signs/,
      })),
      { config: { purgeInterval: 0 }, message: /"purgeInterval" must be a number above 0/ },
    ])
    .run(({ assert }, { config, message }) => {
      assert.throws(() => defineConfig(config), message)
    })

  test('takes the origin {$self}')
    .with([
      'http://localhost:5173',
      'https://app.example.com',
      'http://[::1]:8080',
      'capacitor://localhost',
    ])
    .run(({ assert }, origin) => {
      assert.deepEqual(defineConfig({ statefulOrigins: [origin] }).statefulOrigins, [origin])
    })

  test('refuses the origin {$self}, which no browser ever sends')
    .with([
      '*',
      'null',
      '',
      'app.example.com',
      'https://app.example.com/',
      'https://app.example.com:443',
      'https://APP.example.com',
      'https://*.example.com',
      'https://app.example.com/login',
      'https://user@app.example.com',
      'https://',
    ])
    .run(({ assert }, origin) => {
      assert.throws(
        () => defineConfig({ statefulOrigins: ['https://app.example.com', origin] }),
        /"statefulOrigins" has ".*", which is not an origin/
      )
    })
})
