import { mock } from 'node:test'

import db from '@adonisjs/lucid/services/db'
import redis from '@adonisjs/redis/services/main'
import { test } from '@japa/runner'

import { DatabaseSignals, LocalSignals, RedisSignals } from '#kit/mcp/subscriptions/signals'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'
import { stopClock } from '#starter/helpers/time'
import { redisIsThere } from '#starter/helpers/redis'

const quiet = { warn() {} }
const throughDatabase = (connection?: string) =>
  new DatabaseSignals(() => db.connection(connection), quiet, 5)

/** Each makes what one process has, and what another one has. */
const KINDS: { name: string; connection?: string; create: () => [LocalSignals, LocalSignals] }[] = [
  {
    name: 'in one process',
    create: () => {
      const signals = new LocalSignals()
      return [signals, signals]
    },
  },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    create: (): [LocalSignals, LocalSignals] => [
      throughDatabase(connection),
      throughDatabase(connection),
    ],
  })),
  {
    name: 'Redis',
    create: () => {
      const connection = redis.connection('main')
      return [new RedisSignals(connection, quiet), new RedisSignals(connection, quiet)]
    },
  },
]

/** A listener, and the promise of its next call. */
function listener() {
  let next = Promise.withResolvers<void>()
  const heard = Object.assign(
    () => {
      heard.count++
      next.resolve()
      next = Promise.withResolvers()
    },
    { count: 0, next: () => next.promise }
  )
  return heard
}

for (const { name, connection, create } of KINDS) {
  test.group(`MCP signals contract | ${name}`, (group) => {
    let here: LocalSignals
    let elsewhere: LocalSignals
    group.each.skip(name === 'Redis' && !redisIsThere, 'No Redis is running')
    group.setup(() => (connection ? useSecondConnection() : undefined))
    group.each.setup(() => {
      ;[here, elsewhere] = create()
      return async () => {
        await here.close()
        await elsewhere.close()
        if (connection) {
          await db.connection(connection).from('mcp_signals').delete()
        }
      }
    })

    test('a signal of another process reaches who waits for its topic, and nobody else', async ({
      assert,
    }) => {
      const [one, other] = [listener(), listener()]
      await here.watch('one', one)
      await here.watch('other', other)
      for (let round = 1; round <= 3; round++) {
        const heard = one.next()
        await elsewhere.publish('one')
        await heard
        assert.equal(one.count, round)
      }
      assert.equal(other.count, 0)
    })

    test('what was published before is not heard, and what came at once is', async ({ assert }) => {
      await elsewhere.publish('one')
      const one = listener()
      await here.watch('one', one)
      const marker = listener()
      await here.watch('marker', marker)
      const heard = marker.next()
      await elsewhere.publish('marker')
      await heard
      assert.equal(one.count, 0)

      const all = Array.from({ length: 250 }, () => listener())
      await Promise.all(all.map((each, index) => here.watch(`many ${index}`, each)))
      const reached = Promise.all(all.map((each) => each.next()))
      await Promise.all(all.map((_, index) => elsewhere.publish(`many ${index}`)))
      await reached
    })

    test('who has left is not called, and others still are', async ({ assert }) => {
      const [gone, stays] = [listener(), listener()]
      const leave = await here.watch('one', gone)
      await here.watch('one', stays)
      leave()
      const heard = stays.next()
      await here.publish('one')
      await heard
      assert.equal(gone.count, 0)
    })
  })
}

test.group('MCP signals through the database', (group) => {
  /* The timeout of a test is a timer as well. */
  group.each.disableTimeout()
  group.each.setup(async () => {
    await db.from('mcp_signals').delete()
  })

  test('a signal is kept for an hour, and purged at its end', async ({ assert }) => {
    stopClock()
    const signals = throughDatabase()
    await signals.publish('one')
    const rows = await db.from('mcp_signals').select('expires_at')
    assert.deepEqual(
      rows.map((row) => Number(row.expires_at)),
      [Date.now() + 3_600_000]
    )
    assert.equal(await signals.purge(Date.now() + 3_599_999), 0)
    assert.equal(await signals.purge(Date.now() + 3_600_000), 1)
  })

  test('the table is looked at once a second while somebody waits; a failure is logged, and the next look comes', async ({
    assert,
  }) => {
    const lines: unknown[][] = []
    const gone = new Error('the database is gone')
    let isGone = false
    const client = () => {
      if (isGone) throw gone
      return db.connection()
    }
    mock.timers.enable({ apis: ['setTimeout'] })
    const signals = new DatabaseSignals(client, {
      warn: (...line: any[]) => lines.push(line),
    } as any)
    const leave = await signals.watch('one', () => {})
    isGone = true
    const line = [{ err: gone }, 'MCP updates of other processes cannot be read']
    for (let looks = 1; looks <= 2; looks++) {
      mock.timers.tick(999)
      await new Promise(setImmediate)
      assert.lengthOf(lines, looks - 1)
      mock.timers.tick(1)
      await new Promise(setImmediate)
      assert.deepEqual(lines.at(-1), line)
    }
    leave()
    mock.timers.tick(1000)
    await new Promise(setImmediate)
    mock.timers.tick(60_000)
    await new Promise(setImmediate)
    assert.lengthOf(lines, 2)
    mock.timers.reset()
    await signals.close()
  })
})

test.group('MCP signals through Redis', () => {
  /** A connection that keeps what it is asked. */
  function fakeRedis(server = { fails: false }) {
    const calls: unknown[][] = []
    let hear!: (topic: string) => void
    const connection = {
      async publish(...sent: string[]) {
        calls.push(['publish', ...sent])
        if (server.fails) throw new Error('Redis is gone')
        hear(sent[1]!)
      },
      subscribe(channel: string, heard: typeof hear, options: any) {
        calls.push(['subscribe', channel])
        if (server.fails) return options.onError(new Error('Redis is gone'))
        hear = heard
        options.onSubscription(1)
      },
      async unsubscribe(channel: string) {
        calls.push(['unsubscribe', channel])
        if (server.fails) throw new Error('Redis is gone')
      },
    }
    const lines: string[] = []
    const logger = { warn: (_: object, line: string) => void lines.push(line) }
    return { signals: new RedisSignals(connection as any, logger as any), calls, lines }
  }

  test('a process subscribes once, when somebody waits, and unsubscribes at its end', async ({
    assert,
  }) => {
    const { signals, calls, lines } = fakeRedis()
    const heard = listener()
    await signals.watch('one', heard)
    await signals.watch('two', () => {})
    await signals.publish('one')
    await signals.close()
    assert.equal(heard.count, 1)
    assert.deepEqual(calls, [
      ['subscribe', 'mcp:signals'],
      ['publish', 'mcp:signals', 'one'],
      ['unsubscribe', 'mcp:signals'],
    ])
    assert.isEmpty(lines)
  })

  test('without Redis the own process is told, and the log tells it', async ({ assert }) => {
    const { signals, lines } = fakeRedis({ fails: true })
    const heard = listener()
    await signals.watch('one', heard)
    await signals.publish('one')
    assert.equal(heard.count, 1)
    assert.deepEqual(lines, [
      'MCP updates of other processes do not arrive',
      'An MCP update does not reach other processes',
    ])
  })

  test('a process that began without Redis hears the others when it is back', async ({
    assert,
  }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const server = { fails: true }
    const { signals, calls, lines } = fakeRedis(server)
    const heard = listener()
    await signals.watch('one', heard)
    mock.timers.tick(1000)
    assert.lengthOf(calls, 2)
    server.fails = false
    mock.timers.tick(1000)
    await signals.publish('one')
    assert.equal(heard.count, 1)
    mock.timers.tick(10_000)
    assert.lengthOf(calls, 4)
    assert.lengthOf(lines, 2)
    mock.timers.reset()
  })

  test('without Redis a process ends all the same', async ({ assert }) => {
    const server = { fails: false }
    const { signals, calls } = fakeRedis(server)
    await signals.watch('one', () => {})
    server.fails = true
    await signals.close()
    assert.deepEqual(calls.at(-1), ['unsubscribe', 'mcp:signals'])
  })

  test('who never waited does not unsubscribe', async ({ assert }) => {
    const { signals, calls } = fakeRedis()
    await signals.close()
    assert.isEmpty(calls)
  })
})
