import { createServer } from 'node:net'
import { mock } from 'node:test'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import env from '#start/env'
import { listenForTest } from '#starter/helpers/listening'

/** What a client sends before it says who it is, when it wants TLS (PostgreSQL, Message Formats: SSLRequest). */
const SSL_REQUEST = '0000000804d2162f'

/** Connects as `config/database.ts` has it, to a server without TLS. @returns what the server was told */
async function connectWith(mode: string | undefined): Promise<string> {
  const received: Buffer[] = []
  const port = await listenForTest(
    createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (data) => {
        received.push(data)
        socket.end('N')
      })
    })
  )
  const { PGSSLMODE } = process.env
  getActiveTest()!.cleanup(() => {
    PGSSLMODE === undefined
      ? delete process.env.PGSSLMODE
      : Object.assign(process.env, { PGSSLMODE })
  })
  mode === undefined ? delete process.env.PGSSLMODE : (process.env.PGSSLMODE = mode)
  const settings = app.config.get<any>('database.connections.pg')
  const connection = { ...settings.connection, host: '127.0.0.1', port }
  db.manager.add('encrypted', { ...settings, connection })
  try {
    await db.connection('encrypted').rawQuery('SELECT 1')
  } catch {
    /* It is no database. */
  }
  await db.manager.release('encrypted')
  return Buffer.concat(received).toString('hex')
}

test.group('Services that are reached over TLS', () => {
  test('PGSSLMODE={$self}: nothing is sent to PostgreSQL in the clear')
    .with(['no-verify', 'require', 'verify-full'])
    .run(async ({ assert }, mode) => {
      assert.match(await connectWith(mode), new RegExp(`^(${SSL_REQUEST})+$`))
    })

  test('without PGSSLMODE a database of this network is reached as ever', async ({ assert }) => {
    assert.notInclude(await connectWith(undefined), SSL_REQUEST)
  })

  test('REDIS_TLS and REDIS_USERNAME are for Redis', async ({ assert }) => {
    const values: Record<string, unknown> = { REDIS_TLS: true, REDIS_USERNAME: 'app' }
    const get = mock.method(
      env,
      'get',
      ((name: string, fallback?: unknown) => values[name] ?? fallback) as typeof env.get
    )
    getActiveTest()!.cleanup(() => get.mock.restore())
    const { default: config } = await import(`${app.makeURL('config/redis.ts').href}?tls`)
    assert.deepInclude(config.connections.main, { tls: {}, username: 'app' })
    get.mock.restore()
    const { default: usual } = await import(`${app.makeURL('config/redis.ts').href}?usual`)
    assert.notProperty(usual.connections.main, 'tls')
  })
})
