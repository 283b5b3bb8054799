import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { getActiveTest, test } from '@japa/runner'

import { TemporarilyUnavailable } from '#kit/auth/errors'
import { PasswordHasher } from '#kit/auth/password_hasher'
import { QueueFull, WorkQueue } from '#kit/process/work_queue'

/** Tasks that end when they are told to, in a queue of two places with room for three more. */
function createQueue(options: { patience?: number; maxWaiting?: number } = {}) {
  const queue = new WorkQueue({ concurrency: 2, maxWaiting: 3, ...options })
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

  /** A clock that stands until the test moves it, by seconds. */
  function stopClock() {
    let now = 0
    const clock = mock.method(performance, 'now', () => now)
    getActiveTest()!.cleanup(() => clock.mock.restore())
    return (seconds: number) => void (now += seconds * 1000)
  }

  test('who would wait for longer than its patience is turned away at once', async ({ assert }) => {
    const pass = stopClock()
    const stateAfter = async (durations: number[]) => {
      const { queue, run, end } = createQueue({ maxWaiting: 100, patience: 10 })
      for (const [id, seconds] of durations.entries()) {
        const done = run(id)
        await nextTurn()
        pass(seconds)
        end(id)
        await done
      }
      const refusals: number[] = []
      for (let id = 10; id < 30; id++) {
        run(id).catch(({ retryAfter }: QueueFull) => refusals.push(retryAfter))
      }
      await nextTurn()
      return [queue.running, queue.waiting, refusals.length, refusals[0]]
    }
    assert.deepEqual(await stateAfter([4]), [2, 5, 13, 10])
    /* Five seconds on average: the last task counts for a fifth. */
    assert.deepEqual(await stateAfter([4, 9]), [2, 4, 14, 10])
  })

  test('also when it was not known yet how long a task takes', async ({ assert }) => {
    const pass = stopClock()
    const { queue, run, end, started } = createQueue({ maxWaiting: 100, patience: 8 })
    const results = Array.from({ length: 10 }, (_, id) => run(id))
    const refusals: number[] = []
    for (const result of results) {
      result.catch(({ retryAfter }: QueueFull) => refusals.push(retryAfter))
    }
    await nextTurn()
    pass(4)
    end(0)
    await nextTurn()
    assert.deepEqual(started, [0, 1, 2])
    assert.equal(queue.waiting, 2)
    assert.lengthOf(refusals, 5)
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
