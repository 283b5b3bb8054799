import db from '@adonisjs/lucid/services/db'
import redis from '@adonisjs/redis/services/main'
import { test } from '@japa/runner'

import {
  DatabaseSignals,
  LocalSignals,
  RedisSignals,
  type Signals,
} from '#kit/mcp/subscriptions/signals'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'
import { redisIsThere } from '#starter/helpers/redis'

const quiet = { warn() {} }
const throughDatabase = (connection?: string) =>
  new DatabaseSignals(() => db.connection(connection), quiet, 5)

/** Each makes what one process has, and what another one has. */
const KINDS: { name: string; connection?: string; create: () => [Signals, Signals] }[] = [
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
    create: (): [Signals, Signals] => [throughDatabase(connection), throughDatabase(connection)],
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
    let here: Signals
    let elsewhere: Signals
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
