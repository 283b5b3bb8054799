import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import {
  type AddressInfo,
  connect,
  createServer,
  type LookupFunction,
  type Server,
  type Socket,
} from 'node:net'

import { RedisConnection } from '@adonisjs/redis'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import Database from 'better-sqlite3'

import redisConfig from '#config/redis'
import { isDatabaseUnavailable } from '#kit/database/errors'
import { freePort } from '#starter/helpers/server_process'

function failure(message: string, more: object = {}) {
  return Object.assign(new Error(message), more)
}

test.group('Database unavailable', () => {
  const UNAVAILABLE: [title: string, error: Error][] = [
    ['SQLite is locked', failure('database is locked', { code: 'SQLITE_BUSY' })],
    ['its snapshot is too old', failure('locked', { code: 'SQLITE_BUSY_SNAPSHOT' })],
    ['the file cannot be opened', failure('unable to open', { code: 'SQLITE_CANTOPEN' })],
    ['the disk is full', failure('database or disk is full', { code: 'SQLITE_FULL' })],
    ['the file is read-only', failure('readonly database', { code: 'SQLITE_READONLY_DBMOVED' })],
    ['the disk fails', failure('disk I/O error', { code: 'SQLITE_IOERR_WRITE' })],
    ['nobody listens', failure('connect ECONNREFUSED', { code: 'ECONNREFUSED' })],
    ['the host is unknown', failure('getaddrinfo ENOTFOUND', { code: 'ENOTFOUND' })],
    ['PostgreSQL shuts down', failure('terminating connection', { code: '57P01' })],
    ['PostgreSQL starts', failure('the system is starting up', { code: '57P03' })],
    ['it has too many connections', failure('sorry, too many clients', { code: '53300' })],
    ['a lock was not available', failure('canceling statement', { code: '55P03' })],
    ['PostgreSQL’s disk is full', failure('could not extend file', { code: '53100' })],
    ['it takes no changes', failure('in a read-only transaction', { code: '25006' })],
    ['a deadlock was broken', failure('deadlock detected', { code: '40P01' })],
    ['a connection was lost', failure('Connection terminated unexpectedly')],
    ['it was lost in a statement', failure('select 1 - Connection terminated unexpectedly')],
    ['the pool is exhausted', failure('Knex: Timeout acquiring a connection. The pool is …')],
    ['the pool is closed', failure('Unable to acquire a connection')],
    ['Redis is starting', failure('LOADING Redis is loading the dataset in memory')],
    ['Redis is read-only', failure("READONLY You can't write against a read only replica.")],
    ['Redis is full', failure("OOM command not allowed when used memory > 'maxmemory'.")],
    ['Redis cannot save', failure('MISCONF Redis is configured to save RDB snapshots, but …')],
    ['Redis runs a script', failure('BUSY Redis is busy running a script. You can only call …')],
    ['Redis lacks its replicas', failure('NOREPLICAS Not enough good replicas to write.')],
    ['a part of Redis is down', failure('CLUSTERDOWN The cluster is down')],
    ['Redis moves a key', failure('TRYAGAIN Multiple keys request during rehashing of slot')],
    ['another error wraps it', failure('failed', { cause: failure('x', { code: 'SQLITE_BUSY' }) })],
  ]
  for (const [title, error] of UNAVAILABLE) {
    test(`it is when ${title}`, ({ assert }) => {
      assert.isTrue(isDatabaseUnavailable(error))
    })
  }

  test('it is not for statements that never succeed, nor for other failures', ({ assert }) => {
    for (const error of [
      failure('UNIQUE constraint failed', { code: 'SQLITE_CONSTRAINT_UNIQUE' }),
      failure('no such table', { code: 'SQLITE_ERROR' }),
      failure('database disk image is malformed', { code: 'SQLITE_CORRUPT' }),
      failure('duplicate key', { code: '23505' }),
      failure('relation does not exist', { code: '42P01' }),
      failure('no such file', { code: 'ENOENT' }),
      failure('Cannot read properties of undefined'),
      failure('WRONGTYPE Operation against a key holding the wrong kind of value'),
      failure('NOAUTH Authentication required.'),
      failure('numeric code', { code: 53300 }),
      'SQLITE_BUSY',
      null,
      undefined,
    ]) {
      assert.isFalse(isDatabaseUnavailable(error))
    }
  })

  test('it is not for another service that a handler cannot reach', async ({ assert }) => {
    const error = await fetch(`http://127.0.0.1:${await freePort()}`).catch((thrown) => thrown)
    assert.equal(error.cause.code, 'ECONNREFUSED')
    assert.isFalse(isDatabaseUnavailable(error))
  })

  test('it is not for an error of a client that has its own class', async ({ assert }) => {
    const port = await freePort()
    const socket = connect(port, '127.0.0.1')
    const [cause] = (await once(socket, 'error').catch((thrown) => [thrown])) as [Error]
    assert.isTrue(isDatabaseUnavailable(cause))
    class AxiosError extends Error {
      code = 'ECONNREFUSED'
    }
    assert.isFalse(isDatabaseUnavailable(new AxiosError('connect ECONNREFUSED', { cause })))
  })

  test('it is for an address, a host name and a cut connection, as Node.js says so', async ({
    assert,
    cleanup,
  }) => {
    const cut = createServer((socket) => socket.resetAndDestroy())
    cleanup(() => void cut.close())
    await once(cut.listen(0, '127.0.0.1'), 'listening')
    const { port } = cut.address() as AddressInfo
    const several = {
      port: await freePort(),
      host: 'db.test',
      lookup: ((_name, _options, found) =>
        found(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '127.0.0.2', family: 4 },
        ])) as LookupFunction,
    }
    const reached = [several, { port, host: '127.0.0.1' }, { port, host: 'nowhere.invalid' }]
    const codes = new Set<string>()
    for (const to of reached) {
      const socket = connect(to)
      socket.on('connect', () => socket.write('x')).resume()
      const error = await once(socket, 'close').then(
        () => null,
        (thrown) => thrown
      )
      codes.add(error.code)
      assert.isTrue(isDatabaseUnavailable(error), String(error))
    }
    assert.equal(codes.size, 3)
  })

  test('it is for what SQLite itself throws when another connection holds the lock', ({
    assert,
    cleanup,
  }) => {
    const file = app.tmpPath('unavailable.sqlite3')
    const open = () => new Database(file, { timeout: 0 })
    const holder = open()
    const waiter = open()
    cleanup(() => {
      holder.close()
      waiter.close()
      rmSync(file)
      assert.isFalse(existsSync(file))
    })
    holder.exec('CREATE TABLE rows (id INTEGER)')
    holder.exec('BEGIN IMMEDIATE')
    try {
      waiter.exec('INSERT INTO rows VALUES (1)')
      assert.fail('The lock was free')
    } catch (error) {
      assert.isTrue(isDatabaseUnavailable(error))
    }
  })
})

test.group('Redis unavailable', () => {
  const { main } = redisConfig.connections

  /** What a command ends with, by the shipped settings but for the time. */
  async function failureAt({ port }: AddressInfo) {
    const settings = { ...main, commandTimeout: 200, host: '127.0.0.1', port }
    const redis = new RedisConnection('main', settings)
    const error = await redis.get('key').catch((thrown: unknown) => thrown)
    await redis.disconnect()
    return error
  }

  async function listen(server: Server) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return server.address() as AddressInfo
  }

  test('it is when nobody listens', async ({ assert }) => {
    const server = createServer()
    const address = await listen(server)
    server.close()
    assert.isTrue(isDatabaseUnavailable(await failureAt(address)))
  })

  test('it is when no answer comes, within five seconds', async ({ assert, cleanup }) => {
    const sockets: Socket[] = []
    const server = createServer((socket) => sockets.push(socket))
    cleanup(() => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
    })
    assert.isTrue(isDatabaseUnavailable(await failureAt(await listen(server))))
    assert.isAtMost(main.commandTimeout, 5000)
  })

  test('it is when a transaction is discarded for that, and for nothing else', async ({
    assert,
    cleanup,
  }) => {
    /** What a transaction ends with whose command was refused with these words. */
    async function failureOf(refusal: string) {
      const answers: Record<string, string> = {
        INFO: '$9\r\nloading:0',
        GET: `-${refusal}`,
        EXEC: '-EXECABORT Transaction discarded because of previous errors.',
      }
      const server = createServer((socket) =>
        socket.on('data', (sent) => {
          /* An array of texts, of which the first one is the command. */
          for (const [, name] of String(sent).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
            socket.write(`${answers[name!.toUpperCase()] ?? '+OK'}\r\n`)
          }
        })
      )
      const { port } = await listen(server)
      const redis = new RedisConnection('main', { ...main, host: '127.0.0.1', port })
      cleanup(async () => {
        await redis.disconnect()
        server.close()
      })
      const error = await redis
        .multi()
        .get('key')
        .exec()
        .catch((thrown) => thrown)
      assert.match(error.message, /^EXECABORT /)
      return error
    }

    for (const [refusal, isUnavailable] of [
      ['LOADING Redis is loading the dataset in memory', true],
      ["OOM command not allowed when used memory > 'maxmemory'.", true],
      ['NOAUTH Authentication required.', false],
      ["ERR unknown command 'get'", false],
    ] as const) {
      assert.equal(isDatabaseUnavailable(await failureOf(refusal)), isUnavailable, refusal)
    }
    const named = 'EXECABORT Transaction discarded because of previous errors.'
    assert.isFalse(isDatabaseUnavailable(failure(named)))
  })

  test('it is when the connection was ended', async ({ assert }) => {
    const redis = new RedisConnection('main', { ...main, lazyConnect: true })
    await redis.disconnect()
    assert.isTrue(isDatabaseUnavailable(await redis.get('key').catch((thrown) => thrown)))
  })
})
