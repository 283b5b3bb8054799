import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

let copies = 0

/** The settings of `config/cors.ts` in an environment. */
async function originsIn(environment: 'production' | 'development') {
  Object.defineProperty(app, 'inProduction', {
    configurable: true,
    get: () => environment === 'production',
  })
  getActiveTest()!.cleanup(() => void delete (app as { inProduction?: boolean }).inProduction)
  const { default: config } = await import(`../../../../config/cors.js?copy=${++copies}`)
  return config.origin
}

test.group('config/cors.ts', () => {
  test('trusts a development server while developing alone', async ({ assert }) => {
    assert.deepEqual(await originsIn('development'), ['http://localhost:5173'])
    assert.deepEqual(await originsIn('production'), [])
  })
})
