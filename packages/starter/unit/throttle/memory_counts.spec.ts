import app from '@adonisjs/core/services/app'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { LimiterManager, defineConfig as defineLimiterConfig, stores } from '@adonisjs/limiter'
import { test } from '@japa/runner'

import { Throttled } from '#kit/auth/errors'
import { LimiterThrottle, MemoryCounts } from '#kit/throttle/limiter_throttle'
import { someLimits } from '#starter/helpers/limits'

async function memoryLimiters() {
  const provider = defineLimiterConfig({ default: 'memory', stores: { memory: stores.memory({}) } })
  return new LimiterManager<any>(await provider.resolver(app))
}

function callerAt(address: string) {
  const ctx = new HttpContextFactory().create()
  ctx.request.ip = () => address
  return ctx
}

test.group('Counts in memory', () => {
  test('the one that was counted longest ago makes room, and the others stay', async ({
    assert,
  }) => {
    const limiter = (await memoryLimiters()).use({ requests: 5, duration: 60 })
    const counts = new MemoryCounts(2)
    for (const key of ['first', 'second', 'first', 'third']) {
      await limiter.increment(key)
      await counts.keep('failedLogins', limiter, key)
    }
    assert.isNull(await limiter.get('second'))
    assert.equal((await limiter.get('first'))!.consumed, 2)
    assert.equal((await limiter.get('third'))!.consumed, 1)
  })

  test('stay bounded: each one too many pushes out another', async ({ assert }) => {
    const limiter = (await memoryLimiters()).use({ requests: 5, duration: 60 })
    const counts = new MemoryCounts(2)
    const keys = ['first', 'second', 'third', 'fourth', 'fifth']
    for (const key of keys) {
      await limiter.increment(key)
      await counts.keep('failedLogins', limiter, key)
    }
    const kept = await Promise.all(keys.map(async (key) => (await limiter.get(key)) !== null))
    assert.deepEqual(kept, [false, false, false, true, true])
  })

  test('of one action push out none of another', async ({ assert }) => {
    const limiter = (await memoryLimiters()).use({ requests: 5, duration: 60 })
    const counts = new MemoryCounts(2)
    const count = async (action: 'failedLogins' | 'failedClientAuthentications', key: string) => {
      await limiter.increment(key)
      await counts.keep(action, limiter, key)
    }
    await count('failedLogins', 'ann')
    for (const key of ['one', 'two', 'three']) {
      await count('failedClientAuthentications', key)
    }
    assert.equal((await limiter.get('ann'))!.consumed, 1)
    assert.isNull(await limiter.get('one'))
  })

  test('are bounded for the throttle, however many callers fail', async ({ assert }) => {
    const config = someLimits({
      failedLogins: {
        perAddress: { attempts: 1, seconds: 60 },
        perSubjectAndAddress: null,
        perSubject: null,
      },
    })
    const throttle = new LimiterThrottle(config, await memoryLimiters(), new MemoryCounts(3))
    const attempt = (address: number) =>
      throttle.penalize('failedLogins', 'ann', callerAt(`192.0.2.${address}`))

    for (const address of [1, 2, 3, 4]) {
      await attempt(address)
    }
    await assert.rejects(() => attempt(4), Throttled)
    await assert.rejects(() => attempt(2), Throttled)
    await attempt(1)
  })
})
