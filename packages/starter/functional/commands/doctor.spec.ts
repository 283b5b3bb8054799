import { once } from 'node:events'
import { createServer } from 'node:net'

import app from '@adonisjs/core/services/app'
import { Secret } from '@adonisjs/core/helpers'
import ace from '@adonisjs/core/services/ace'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import Doctor from 'adonis-auth-kit/commands/doctor'
import { examine } from '#kit/doctor/examination'
import {
  type ArrivedRequest,
  examineProxy,
  examineService,
  examineServices,
  proveDoctor,
} from '#kit/doctor/network'
import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

async function run(args: string[]) {
  const command = await ace.create(Doctor, args)
  await command.exec()
  return command
}

test.group('node ace doctor', (group) => {
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

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

  test('without the OAuth server its key is not asked for', async ({ assert, cleanup }) => {
    const { container } = app
    const hasBinding = container.hasBinding.bind(container)
    container.hasBinding = (binding: any) => binding !== AuthorizationServer && hasBinding(binding)
    cleanup(() => void (container.hasBinding = hasBinding))
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
