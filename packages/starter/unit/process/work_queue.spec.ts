import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

import { test } from '@japa/runner'

import { TemporarilyUnavailable } from '#kit/auth/errors'
import { PasswordHasher } from '#kit/auth/password_hasher'
import { QueueFull, WorkQueue } from '#kit/process/work_queue'

/** Tasks that end when they are told to, in a queue of two places with room for three more. */
function createQueue() {
  const queue = new WorkQueue({ concurrency: 2, maxWaiting: 3 })
  const started: number[] = []
  const ends: PromiseWithResolvers<number>[] = []
  return {
    queue,
    started,
    run: (id: number) =>
      queue.run(() => {
        started.push(id)
        const end = Promise.withResolvers<number>()
        ends[id] = end
        return end.promise
      }),
    end: (id: number) => ends[id]!.resolve(id),
    fail: (id: number) => ends[id]!.reject(new Error('boom')),
  }
}

test.group('Work queue', () => {
  test('a few tasks run at a time, the others in the order they came', async ({ assert }) => {
    const { run, end, started } = createQueue()
    const results = [0, 1, 2, 3].map(run)
    await nextTurn()
    assert.deepEqual(started, [0, 1])
    end(1)
    await nextTurn()
    assert.deepEqual(started, [0, 1, 2])
    end(0)
    await nextTurn()
    end(2)
    end(3)
    assert.deepEqual(await Promise.all(results), [0, 1, 2, 3])
  })

  test('a task that fails makes room for the next', async ({ assert }) => {
    const { run, end, fail, started } = createQueue()
    const [first, second, third] = [0, 1, 2].map(run)
    await nextTurn()
    fail(0)
    await assert.rejects(() => first!, 'boom')
    await nextTurn()
    assert.deepEqual(started, [0, 1, 2])
    end(1)
    end(2)
    await Promise.all([second, third])
  })

  test('who comes when the line is full is turned away and told when to come again', async ({
    assert,
  }) => {
    const { queue, run, end } = createQueue()
    const results = [0, 1, 2, 3, 4].map(run)
    const error = await queue.run(async () => {}).catch((failure: unknown) => failure)
    assert.instanceOf(error, QueueFull)
    assert.isAtLeast((error as QueueFull).retryAfter, 1)
    for (const id of results.keys()) {
      await nextTurn()
      end(id)
    }
    await Promise.all(results)
    assert.isUndefined(await queue.run(async () => {}))
  })

  test('who would wait for longer than its patience is turned away at once', async ({ assert }) => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 100, patience: 0.5 })
    const slow = () => sleep(200)
    await queue.run(slow)
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => queue.run(slow)))
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    assert.isAtLeast(refused.length, 15)
    assert.isTrue(refused.every((one) => (one as any).reason instanceof QueueFull))
    assert.equal(outcomes[0]!.status, 'fulfilled')
    assert.equal(outcomes[1]!.status, 'fulfilled')
  })

  test('also when it was not known yet how long a task takes', async ({ assert }) => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 100, patience: 0.1 })
    let done = 0
    const begin = performance.now()
    const all = Array.from({ length: 50 }, () => queue.run(() => sleep(40).then(() => done++)))
    const outcomes = await Promise.allSettled(all)
    assert.isBelow(done, 10)
    assert.lengthOf(
      outcomes.filter(({ status }) => status === 'fulfilled'),
      done
    )
    assert.isBelow(performance.now() - begin, 2000)
  })

  test('a task that nobody waits for any more is not begun', async ({ assert }) => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 3 })
    const end = Promise.withResolvers<void>()
    const first = queue.run(() => end.promise)
    let isThere = true
    const begun: string[] = []
    const left = queue.run(
      async () => begun.push('left'),
      () => isThere
    )
    const stayed = queue.run(async () => begun.push('stayed'))
    isThere = false
    end.resolve()
    await first
    await assert.rejects(() => left)
    await stayed
    await assert.rejects(() =>
      queue.run(
        async () => begun.push('gone'),
        () => false
      )
    )
    assert.deepEqual(begun, ['stayed'])
  })

  test('a password whose hash finds no place is 503 with Retry-After', async ({ assert }) => {
    const queue = new WorkQueue({ concurrency: 1, maxWaiting: 1 })
    const hasher = new PasswordHasher({ rounds: 4 }, queue)
    const [first, second, ...refused] = ['a', 'b', 'c', 'd'].map((password) =>
      hasher.make(password).catch((error: unknown) => error)
    )
    assert.isTrue(await hasher.verify((await first) as string, 'a').catch(() => true))
    assert.match((await second) as string, /^\$bcrypt\$/)
    for (const result of refused) {
      const error = (await result) as TemporarilyUnavailable
      assert.instanceOf(error, TemporarilyUnavailable)
      assert.equal(error.status, 503)
      assert.equal(error.headers['Retry-After'], '1')
    }
  })
})
