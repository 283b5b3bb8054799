import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import SessionModel from '#session/models/session'
import { DatabaseSessionStore } from '#session/stores/database'
import { MemorySessionStore } from '#session/stores/memory'
import { SessionService } from '#session/session_service'
import '#tests/helpers/fixtures/session_routes'
import { Visitor } from '#tests/helpers/visitor'

const TTL = 2000
const IDLE_TTL = 600
const OPERATIONS = 1000

/** What a session is, in as few words as possible. Instants are seconds. */
interface Model {
  userId: number | null
  data: Record<string, unknown>
  createdAt: number
  lastActivity: number
}

/** A small generator of random numbers whose run can be repeated (mulberry32). */
function seeded(seed: number) {
  return (below: number) => {
    seed = (seed + 0x6d2b79f5) | 0
    let value = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) % below
  }
}

const STORES = {
  memory: () => new MemorySessionStore(),
  database: () => new DatabaseSessionStore(() => db.connection()),
}

test.group('Session | random operations', () => {
  for (const [name, create] of Object.entries(STORES)) {
    test(`1,000 operations over the ${name} store give a simple model's answers`, async ({
      assert,
    }) => {
      await SessionModel.query().delete()
      const sessions = await app.container.make(SessionService)
      const original = { store: sessions.store, ttl: sessions.config.ttl, now: Date.now }
      Object.assign(sessions, { store: create() })
      Object.assign(sessions.config, { ttl: TTL, idleTtl: IDLE_TTL })

      const start = Date.now()
      let clock = 0
      Date.now = () => start + clock * 1000

      const users = await UserFactory.createMany(3)
      const visitors = Array.from({ length: 4 }, () => new Visitor())
      const models: (Model | null)[] = visitors.map(() => null)
      const seed = start % 1_000_000
      const random = seeded(seed)

      const isLive = (model: Model | null): model is Model =>
        model !== null && clock < model.createdAt + TTL && clock < model.lastActivity + IDLE_TTL

      /** What any request does to the model of its visitor. */
      const touch = (index: number) => {
        const model = models[index]
        if (isLive(model!)) {
          model.lastActivity = clock
        } else {
          models[index] = null
        }
        return models[index]
      }
      const fresh = (userId: number | null, data: Record<string, unknown>): Model => ({
        userId,
        data,
        createdAt: clock,
        lastActivity: clock,
      })

      const operations: ((index: number) => Promise<void>)[] = [
        async function login(index) {
          const user = users[random(users.length)]
          const before = touch(index)
          const kept = before && (before.userId === null || before.userId === user!.id)
          await visitors[index]!.login(user!.email, FACTORY_PASSWORD)
          models[index] = fresh(user!.id, kept ? before.data : {})
        },
        async function failToLogin(index) {
          touch(index)
          await visitors[index]!.login(users[0]!.email, 'wrong password')
        },
        async function logout(index) {
          const before = touch(index)
          await visitors[index]!.post('/logout', { csrf: true })
          if (before?.userId !== null) {
            models[index] = null
          }
        },
        async function regenerate(index) {
          touch(index)
          await visitors[index]!.post('/_test/session/regenerate', { csrf: true })
        },
        async function invalidate(index) {
          await visitors[index]!.post('/_test/session/invalidate', { csrf: true })
          models[index] = null
        },
        async function put(index) {
          const change = { [`k${random(3)}`]: random(100) }
          const model = touch(index) ?? (models[index] = fresh(null, {}))
          model.data = { ...model.data, ...change }
          await visitors[index]!.post('/_test/session/data', { json: change, csrf: true })
        },
        async function letTimePass() {
          clock += 1 + random(300)
        },
        async function purge() {
          await sessions.purge()
        },
      ]

      try {
        for (let count = 0; count < OPERATIONS; count++) {
          const index = random(visitors.length)
          const operation = operations[random(operations.length)]
          await operation!(index)

          const model = touch(index)
          const whoami = await visitors[index]!.get('/_test/session/whoami')
          const data = await visitors[index]!.get('/_test/session/data')
          const message = `operation ${count} (${operation!.name}), seed ${seed}`
          assert.deepEqual(
            [await whoami.json(), await data.json()],
            [{ id: model?.userId ?? null, check: Boolean(model?.userId) }, model?.data ?? {}],
            message
          )
        }
      } finally {
        Date.now = original.now
        Object.assign(sessions, { store: original.store })
        Object.assign(sessions.config, { ttl: original.ttl, idleTtl: null })
      }
    }).timeout(60_000)
  }
})
