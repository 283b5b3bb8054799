import { createServer } from 'node:net'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import env from '#start/env'
import { listenForTest } from '#starter/helpers/listening'
import { replaceForTest, wrapForTest } from '#starter/helpers/replace'

/** What a client sends before it says who it is, when it wants TLS (PostgreSQL, Message Formats: SSLRequest). */
const SSL_REQUEST = '0000000804d2162f'

/** Connects as `config/database.ts` has it, to a server without TLS. @returns what the server was told */
async function connectWith(mode: string): Promise<string> {
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
  replaceForTest(process.env, 'PGSSLMODE', mode)
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
    .with(['no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'])
    .run(async ({ assert }, mode) => {
      assert.match(await connectWith(mode), new RegExp(`^(${SSL_REQUEST})+$`))
    })

  test('without PGSSLMODE a database of this network is reached as ever', async ({ assert }) => {
    assert.notInclude(await connectWith(''), SSL_REQUEST)
  })

  test('REDIS_TLS and REDIS_USERNAME are for Redis', async ({ assert }) => {
    const values: Record<string, unknown> = { REDIS_TLS: true, REDIS_USERNAME: 'app' }
    const restore = wrapForTest(
      env,
      'get',
      (get) =>
        ((name: never, fallback: never) => values[name] ?? get(name, fallback)) as typeof env.get
    )
    const { default: config } = await import(`${app.makeURL('config/redis.ts').href}?tls`)
    assert.deepInclude(config.connections.main, { tls: {}, username: 'app' })
    restore()
    const { default: usual } = await import(`${app.makeURL('config/redis.ts').href}?usual`)
    assert.notProperty(usual.connections.main, 'tls')
  })
})
