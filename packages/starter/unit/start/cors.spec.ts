import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

import env from '#start/env'

let copies = 0

/** The settings of `config/cors.ts` in an environment. */
async function configIn(environment: 'production' | 'development') {
  Object.defineProperty(app, 'inProduction', {
    configurable: true,
    get: () => environment === 'production',
  })
  getActiveTest()!.cleanup(() => void delete (app as { inProduction?: boolean }).inProduction)
  const { default: config } = await import(`../../../../config/cors.js?copy=${++copies}`)
  return config
}

test.group('config/cors.ts', () => {
  test('trusts a development server while developing alone', async ({ assert }) => {
    const originsIn = async (environment: 'production' | 'development') =>
      (await configIn(environment)).origin
    assert.deepEqual(await originsIn('development'), ['http://localhost:5173'])
    assert.deepEqual(await originsIn('production'), [])
  })

  test('lets pages send proofs, and read challenges, while tokens can be bound to a key', async ({
    assert,
  }) => {
    const usual = await configIn('production')
    assert.notInclude(usual.headers, 'DPoP')
    env.set('OAUTH_DPOP', true)
    getActiveTest()!.cleanup(() => env.set('OAUTH_DPOP', false))
    const { headers, exposeHeaders } = await configIn('production')
    assert.deepEqual(headers, [...(usual.headers as string[]), 'DPoP'])
    assert.deepEqual(exposeHeaders, [...usual.exposeHeaders, 'WWW-Authenticate'])
  })
})
