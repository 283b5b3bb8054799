import { once } from 'node:events'
import { createServer } from 'node:net'

import app from '@adonisjs/core/services/app'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import Doctor from 'adonis-auth-kit/commands/doctor'
import { examine, examineDatabase } from '#kit/doctor/examination'
import {
  type ArrivedRequest,
  examineProxy,
  examineService,
  examineServices,
  proveDoctor,
} from '#kit/doctor/network'
import { examineMcpClients, examineOpenId } from '#kit/doctor/oauth'
import { readSettings } from '#kit/doctor/settings'
import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { openIdClaims } from '#services/openid_claims'
import { keepLogs, runCommand } from '#starter/helpers/commands'
import { listenForTest } from '#starter/helpers/listening'
import { useConfig } from '#starter/helpers/oauth'
import { SALT } from '#starter/helpers/openid'
import { hideBinding } from '#starter/helpers/replace'
import { serverUrl } from '#starter/helpers/server_url'
import { stopClock } from '#starter/helpers/time'
import { Visitor } from '#starter/helpers/visitor'

/** Lets variables of the environment have other values until the test ends; undefined is none. */
function useEnvironment(variables: Record<string, string | undefined>) {
  for (const [name, value] of Object.entries(variables)) {
    const original = process.env[name]
    const set = (given: string | undefined) =>
      given === undefined ? delete process.env[name] : (process.env[name] = given)
    getActiveTest()!.cleanup(() => void set(original))
    set(value)
  }
}

/** Lets `config/redis.ts` name another server until the test ends. */
function useRedis(settings: Record<string, unknown>) {
  const name = `redis.connections.${app.config.get('redis.connection')}`
  const original = app.config.get(name)
  getActiveTest()!.cleanup(() => app.config.set(name, original))
  app.config.set(name, settings)
}

/** Gives the default connection other members until the test ends. */
function useConnection(members: Record<string, unknown>) {
  const { connection } = db
  db.connection = (name, ...rest) =>
    name ? connection.call(db, name, ...rest) : Object.create(real, described)
  const real = connection.call(db)
  const described = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, { value }])
  )
  getActiveTest()!.cleanup(() => void (db.connection = connection))
}

const run = (args: string[]) => runCommand(Doctor, args)

/** What Redis says to AUTH and PING. */
function redisThatWants(wanted: string) {
  return createServer((socket) => {
    let isKnown = wanted === ''
    const refusal = isKnown
      ? '-ERR AUTH <password> called without any password configured for the default user'
      : '-WRONGPASS invalid username-password pair'
    const authenticate = (password: string) => {
      const isRight = wanted !== '' && password === wanted
      isKnown ||= isRight
      return isRight ? '+OK' : refusal
    }
    const ping = () => (isKnown ? '+PONG' : '-NOAUTH Authentication required.')
    const command = /\*\d+\r\n\$\d+\r\n(\w+)\r\n(?:\$\d+\r\n(.*)\r\n)?/g
    socket.on('error', () => {})
    socket.on('data', (data) => {
      for (const [, name, password = ''] of String(data).matchAll(command)) {
        socket.write(`${/^auth$/i.test(name!) ? authenticate(password) : ping()}\r\n`)
      }
    })
  })
}

test.group('node ace doctor', (group) => {
  group.each.setup(keepLogs)

  test('checks the settings and the database, in one line each', async ({ assert }) => {
    const command = await run([])
    command.assertSucceeded()
    command.assertLogMatches(/^ok +Node.js: v\d/)
    command.assertLogMatches(/^ok +APP_KEY: /)
    command.assertLogMatches(/^WARNING cookies: .*SESSION_SECURE=true/)
    command.assertLogMatches(/^ok +migrations: all \d+ have run/)
    command.assertLogMatches(/^ok +clock: /)
    command.assertLogMatches(/^ok +MCP clients: By the URL alone connect Claude Code/)
    command.assertLogMatches(/^0 errors, \d+ warnings$/)
    const lines = command.logger.getLogs().map(({ message }) => message)
    assert.isTrue(lines.every((line) => !line.trim().includes('\n')))
  })

  test('without the OAuth server its key is not asked for', async ({ assert }) => {
    hideBinding(AuthorizationServer)
    const command = await run([])
    command.assertLogMatches(/^ok +APP_KEY: /)
    command.assertSucceeded()
    const lines = command.logger.getLogs().map(({ message }) => message)
    assert.notInclude(lines.join(), 'OAUTH_KEY')
  })

  test('OAUTH_KEY is judged as config/oauth2.ts has it, a secret or a text', async ({
    assert,
    cleanup,
  }) => {
    const { config } = app
    const names = ['oauth2.key', 'oauth2.keys']
    const [key, keys] = names.map((name) => config.get(name))
    cleanup(() => names.forEach((name, index) => config.set(name, [key, keys][index])))
    const judged = async (given: unknown) => {
      config.set('oauth2.key', given)
      const findings = await examine({ inProduction: false })
      return findings.find(({ about }) => about === 'OAUTH_KEY')?.text
    }
    const long = 'f3A9kLm2Qx8Zr7Tn5Vb1Wc6Yd4Ue0Ig-'
    assert.equal(await judged(new Secret(long)), 'long enough')
    assert.equal(await judged(long), 'long enough')
    assert.match((await judged('short'))!, /^shorter than 32 characters/)
    assert.match((await judged(null))!, /^not set/)
    config.set('oauth2.keys', { store: 'database' })
    assert.isUndefined(await judged(null))
  })

  test('cookies over plain http are right where a developer works: APP_URL {appUrl}')
    .with([
      { appUrl: 'http://localhost:3333', inDev: true, level: 'ok' },
      { appUrl: 'http://127.0.0.1:3333', inDev: true, level: 'ok' },
      { appUrl: 'http://localhost:3333', inDev: false, level: 'warning' },
      { appUrl: 'http://app.example.com', inDev: true, level: 'warning' },
    ])
    .run(async ({ assert, cleanup }, { appUrl, inDev, level }) => {
      const known = app.config.get('app.appUrl')
      Object.defineProperty(app, 'inDev', { value: inDev, configurable: true })
      cleanup(() => {
        app.config.set('app.appUrl', known)
        delete (app as { inDev?: boolean }).inDev
      })
      app.config.set('app.appUrl', appUrl)
      const judge = async (inProduction: boolean) =>
        (await examine({ inProduction })).find(({ about }) => about === 'cookies')?.level
      assert.equal(await judge(false), level)
      assert.equal(await judge(true), 'error')
    })

  test('--production judges as production does, and exits with 1', async () => {
    const command = await run(['--production'])
    command.assertFailed()
    command.assertLogMatches(/^ERROR +cookies: /)
    command.assertLogMatches(/^WARNING setting: APP_URL is http/)
    command.assertLogMatches(/^WARNING proxy: /)
  })

  test('a migration that has not run is an error that names the command', async () => {
    const table = db.from('adonis_schema')
    const [last] = await table.clone().orderBy('id', 'desc').limit(1)
    await table.clone().where('id', last.id).delete()
    try {
      const command = await run([])
      command.assertFailed()
      command.assertLogMatches(/^ERROR +migrations: 1 have not run: "node ace migration:run/)
    } finally {
      await db.table('adonis_schema').insert(last)
    }
  })

  test('a database that cannot be reached is one error, with the {what} of its failure')
    .with([
      {
        what: 'code and message',
        failure: Object.assign(new Error('no encryption'), { code: '28000' }),
        said: '28000, no encryption',
      },
      {
        what: 'code, where it has no message,',
        failure: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
        said: 'ECONNREFUSED',
      },
      { what: 'message, where it has no code,', failure: new Error('timeout'), said: 'timeout' },
    ])
    .run(async ({ assert }, { failure, said }) => {
      useConnection({ rawQuery: () => Promise.reject(failure) })
      const findings = await examineDatabase()
      assert.lengthOf(findings, 1)
      assert.include(findings[0], { level: 'error', about: 'database' })
      const text = `cannot be reached (${said}): check the DB_* and SQLITE_FILE settings`
      assert.equal(findings[0]!.text, text)
    })

  test('a clock that differs from that of PostgreSQL by {seconds} seconds is {level}')
    .with([
      { seconds: 0, level: 'ok', text: /^goes with the database$/ },
      { seconds: 5, level: 'ok', text: /^goes with the database$/ },
      { seconds: 6, level: 'warning', text: /^differs by 6 seconds/ },
      { seconds: -6, level: 'warning', text: /^differs by 6 seconds/ },
    ])
    .run(async ({ assert }, { seconds, level, text }) => {
      stopClock()
      const rows = [{ now: String(Date.now() / 1000 + seconds) }]
      useConnection({ dialect: { name: 'postgres' }, rawQuery: async () => ({ rows }) })
      const found = (await examineDatabase()).find(({ about }) => about === 'clock')
      assert.equal(found?.level, level)
      assert.match(found!.text, text)
    })

  test('the database file is the default one where SQLITE_FILE is not set', async ({
    assert,
    cleanup,
  }) => {
    const connection = app.config.get('database.connection')
    cleanup(() => app.config.set('database.connection', connection))
    app.config.set('database.connection', 'sqlite')
    useEnvironment({ SQLITE_FILE: undefined })
    assert.equal((await readSettings()).sqliteFile, 'tmp/db.sqlite3')
    useEnvironment({ SQLITE_FILE: '/var/lib/app.sqlite3' })
    assert.equal((await readSettings()).sqliteFile, '/var/lib/app.sqlite3')
  })

  test('one error is "1 error", and not "1 errors"', async () => {
    const command = await run(['--production'])
    command.assertFailed()
    command.assertLogMatches(/^1 error, /)
  })

  test('stores in memory are named in production: others are shared, and outlive a restart', async ({
    assert,
    cleanup,
  }) => {
    const stores = ['session.store', 'oauth2.tokens.store', 'mcp.tasks.store']
    const before = stores.map((name) => app.config.get(name))
    cleanup(() => stores.forEach((name, index) => app.config.set(name, before[index])))
    stores.forEach((name) => app.config.set(name, 'database'))
    assert.notIncludeMembers([...(await readSettings()).inMemory!], ['session', 'mcp.tasks'])
    stores.forEach((name) => app.config.set(name, 'memory'))
    const found = await examine({ inProduction: true })
    for (const name of stores) {
      const text = `${name} is "memory": what it keeps is lost at a restart`
      assert.isTrue(
        found.some((one) => one.level === 'warning' && one.text.startsWith(text)),
        name
      )
    }
  })

  test('no variable is named that only the starter has, in an existing application', async ({
    assert,
    cleanup,
  }) => {
    const { connection } = app.config.get<{ connection: string }>('database')
    const session = app.config.get('session')
    cleanup(() => {
      app.config.set('database.connection', connection)
      app.config.set('session', session)
      app.config.set('auth_server', undefined)
    })
    app.config.set('database.connection', 'sqlite')
    app.config.set('auth_server', {})
    app.config.set('session', { cookie: { secure: false } })
    useEnvironment({ SQLITE_FILE: undefined, SESSION_SECURE: undefined })
    const found = await examine({ inProduction: false })
    const cookies = found.find(({ about }) => about === 'cookies')
    assert.equal(cookies?.level, 'warning')
    assert.include(cookies!.text, '"secure" in config/app.ts and config/session.ts')
    assert.isNull((await readSettings()).sqliteFile)
  })

  test('OpenID Connect is judged by the key that signs, and is not mentioned while it is off', async ({
    assert,
  }) => {
    assert.isEmpty(await examineOpenId())
    const issuer = 'http://id.example.com'
    const { keys } = await useConfig({
      ...{ issuer, keys: { store: 'memory' } },
      openid: { enabled: true, claims: openIdClaims, pairwiseSalt: SALT },
    })
    assert.isFalse(keys.isAsymmetric, 'no key has been read')
    const [finding, ...others] = await examineOpenId()
    assert.isEmpty(others)
    assert.include(finding, { level: 'warning', about: 'OpenID Connect' })
    assert.include(finding!.text, issuer)
  })

  test('MCP clients are not mentioned where MCP is off, or lets everybody in', async ({
    assert,
    cleanup,
  }) => {
    const { container } = app
    assert.lengthOf(await examineMcpClients(), 1)
    const mcp = await container.make('mcp')
    const know = (get: () => null) =>
      Object.defineProperty(mcp, 'knownClients', { configurable: true, get })
    cleanup(() => void Reflect.deleteProperty(mcp, 'knownClients'))
    know(() => null)
    assert.isEmpty(await examineMcpClients())
    hideBinding('mcp')
    know(() => assert.fail('MCP is off'))
    assert.isEmpty(await examineMcpClients())
  })

  test('a service that does not answer is an error that names its settings', async ({ assert }) => {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as { port: number }
    const examineIt = () => examineService('mail server', '127.0.0.1', port, 'SMTP_HOST')
    assert.equal((await examineIt()).level, 'ok')
    listener.close()
    await once(listener, 'close')
    const { level, text } = await examineIt()
    assert.equal(level, 'error')
    assert.include(text, 'SMTP_HOST')
    assert.isEmpty(await examineServices({ mailer: 'log', limiterStore: 'database' }))
  })

  test('Redis is asked for its password: {name}')
    .with([
      { name: 'the right one', wanted: 'right', sent: 'right', level: 'ok', says: 'answers' },
      { name: 'another one', wanted: 'right', sent: 'wrong', level: 'error', says: 'WRONGPASS' },
      { name: 'none', wanted: 'right', sent: '', level: 'error', says: 'NOAUTH' },
      { name: 'one too many', wanted: '', sent: 'wrong', level: 'ok', says: 'answers' },
    ])
    .run(async ({ assert }, { wanted, sent, level, says }) => {
      const port = await listenForTest(redisThatWants(wanted))
      useRedis({ host: '127.0.0.1', port, password: sent })
      const [finding] = await examineServices({ limiterStore: 'redis' })
      assert.equal(finding!.level, level, finding!.text)
      assert.include(finding!.text, says)
      assert.notInclude(finding!.text, 'wrong')
    })

  test('Redis is asked over TLS where its settings say so', async ({ assert }) => {
    const port = await listenForTest(redisThatWants(''))
    useRedis({ host: '127.0.0.1', port, tls: {} })
    const [finding] = await examineServices({ limiterStore: 'redis' })
    assert.equal(finding!.level, 'error', finding!.text)
    assert.include(finding!.text, 'REDIS_TLS')
  })

  test('Redis behind other addresses, by {$self}, is not asked')
    .with(['clusters', 'sentinels'])
    .run(async ({ assert }, addresses) => {
      useRedis({ [addresses]: [{ host: '127.0.0.1', port: 1 }] })
      assert.isEmpty(await examineServices({ limiterStore: 'redis' }))
    })

  test('the mail server and Redis are asked at {at}')
    .with([
      {
        at: 'the address of their settings',
        set: { SMTP_HOST: '127.0.0.2', SMTP_PORT: '1' },
        redis: { host: '127.0.0.3', port: '2' },
        texts: ['127.0.0.2:1 ', '127.0.0.3:2 '],
      },
      {
        at: 'the usual address where the settings name none',
        set: { SMTP_HOST: '', SMTP_PORT: '' },
        redis: {},
        texts: ['localhost:587 ', '127.0.0.1:6379 '],
      },
    ])
    .run(async ({ assert }, { set, redis, texts }) => {
      useEnvironment(set)
      useRedis(redis)
      const findings = await examineServices({ mailer: 'smtp', limiterStore: 'redis' })
      assert.deepEqual(
        findings.map(({ about }) => about),
        ['mail server', 'Redis']
      )
      findings.forEach(({ text }, index) => assert.isTrue(text.startsWith(texts[index]!), text))
    })

  test('asks the running application how requests arrive', async ({ assert }) => {
    const url = await serverUrl()
    assert.equal((await examineProxy(url, proveDoctor())).level, 'ok')
    const { about, level, text } = await examineProxy(url, 'forged')
    assert.deepEqual([about, level], ['proxy', 'warning'])
    assert.match(text, /another APP_KEY/)
    assert.equal((await examineProxy('http://127.0.0.1:1', proveDoctor())).level, 'warning')
  })

  test('the header that a proxy has set is named: {$self}')
    .with(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded'])
    .run(async ({ assert }, name) => {
      const headers = { 'x-doctor': proveDoctor(), [name]: 'https' }
      const live = await new Visitor().get('/health/live', { headers })
      const { arrival } = (await live.json()) as { arrival: ArrivedRequest }
      assert.deepEqual(arrival.forwarded, [name])
    })

  test('nobody else is told how requests arrive', async ({ assert }) => {
    for (const proof of ['', 'forged', app.config.get<string>('app.appName')]) {
      const live = await new Visitor().get('/health/live', { headers: { 'x-doctor': proof } })
      assert.deepEqual(await live.json(), { status: 'ok' })
    }
  })
})
