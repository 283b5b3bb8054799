import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import Database from 'better-sqlite3'
import { getActiveTest, test } from '@japa/runner'

import User from '#models/user'
import { middleware } from '#start/kernel'
import { Visitor } from '#starter/helpers/visitor'

router.get('/_test/busy/away', () => {
  throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' })
})
router
  .get('/_test/busy/document', () => {
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  })
  .use(middleware.jsonApi())

/** Another process that has the write lock until it is told to let go. */
function holdLock() {
  const { connection } = app.config.get<any>('database').connections.sqlite
  const other = new Database(connection.filename)
  other.exec('begin immediate')
  getActiveTest()!.cleanup(() => {
    other.close()
  })
  return () => other.exec('rollback')
}

const newUser = () => ({
  email: `${crypto.randomUUID()}@example.com`,
  password: 'a secret of mine',
  password_confirmation: 'a secret of mine',
})

test.group('Busy', (group) => {
  group.each.setup(() => testUtils.db().truncate())

  test('a database that is away is 503 with Retry-After, for programs, pages and JSON:API', async ({
    assert,
  }) => {
    for (const [path, accept, type] of [
      ['/_test/busy/away', '*/*', 'application/json'],
      ['/_test/busy/away', 'text/html', 'text/html'],
      ['/_test/busy/document', '*/*', 'application/vnd.api+json'],
    ]) {
      const response = await new Visitor().get(path!, { headers: { accept: accept! } })
      assert.equal(response.status, 503, path)
      assert.match(response.headers.get('retry-after')!, /^\d+$/)
      assert.include(response.headers.get('content-type'), type!)
      assert.notMatch(await response.text(), /ECONNREFUSED|10\.0\.0\.1|locked/)
    }
  })

  test('a lock of another process holds up nobody who does not write', async ({ assert }) => {
    const release = holdLock()
    const registering = new Visitor().post('/register', { json: newUser() })
    assert.equal((await new Visitor().get('/user/7')).status, 200)
    release()
    assert.equal((await registering).status, 201)
  }).skip(() => db.connection().dialect.name !== 'better-sqlite3', 'The lock is SQLite’s')

  test('a lock that is never free is 503, and nothing of the request stays', async ({ assert }) => {
    const json = newUser()
    const release = holdLock()
    const response = await new Visitor().post('/register', { json })
    assert.equal(response.status, 503)
    release()
    assert.isNull(await User.findBy('email', json.email))
    assert.equal((await new Visitor().post('/register', { json })).status, 201)
  }).skip(() => db.connection().dialect.name !== 'better-sqlite3', 'The lock is SQLite’s')
})
