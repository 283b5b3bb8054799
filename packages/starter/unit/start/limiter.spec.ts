import { mock } from 'node:test'

import { test } from '@japa/runner'

import env from '#start/env'

let copies = 0

/** The store of `config/limiter.ts` with these variables. */
async function storeWith(variables: Record<string, string>) {
  const get = mock.method(
    env,
    'get',
    ((name: string, fallback?: unknown) => variables[name] ?? fallback) as typeof env.get
  )
  try {
    const { limiterStore } = await import(`../../../../config/limiter.js?copy=${++copies}`)
    return limiterStore
  } finally {
    get.mock.restore()
  }
}

test.group('config/limiter.ts', () => {
  test('counts in PostgreSQL, where several processes count together, unless told otherwise', async ({
    assert,
  }) => {
    assert.equal(await storeWith({ DB_CONNECTION: 'pg' }), 'database')
    assert.equal(await storeWith({ DB_CONNECTION: 'pg', LIMITER_STORE: 'redis' }), 'redis')
    assert.equal(await storeWith({ DB_CONNECTION: 'sqlite' }), 'memory')
    assert.equal(await storeWith({}), 'memory')
  })
})
