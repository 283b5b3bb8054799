import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { cluster } from '#starter/helpers/cluster'
import { startServer, startTogether, stopServer } from '#starter/helpers/server_process'
import { Visitor } from '#starter/helpers/visitor'

test.group('Sessions across processes', (group) => {
  let [plain, secure] = ['', '']
  const started = startTogether(group, {
    warnings: (cleanup) =>
      Promise.all([
        startServer(
          { LOG_LEVEL: 'warn', APP_URL: 'http://localhost:3333', SESSION_SECURE: 'false' },
          { cleanup, onOutput: (text) => (plain += text) }
        ),
        startServer(
          { LOG_LEVEL: 'warn', APP_URL: 'http://localhost:3333', SESSION_SECURE: 'true' },
          { cleanup, onOutput: (text) => (secure += text) }
        ),
      ]),
  })

  test('two processes on one database share sessions, and their end', async ({ assert }) => {
    const [first, second] = (await cluster()) as [string, string]
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.post(`${first}/login`, {
      json: { email: user.email, password: FACTORY_PASSWORD },
    })

    const recognised = await visitor.get(`${second}/api/me`)
    assert.equal(recognised.status, 200)

    const copy = new Visitor()
    visitor.cookies.forEach((value, name) => copy.cookies.set(name, value))
    await visitor.post(`${second}/logout`, { csrf: true })
    const refused = await copy.get(`${first}/api/me`)
    assert.equal(refused.status, 401)
  })

  test('a session that takes a new id while it is ended, ends once, whichever process does what', async ({
    assert,
  }) => {
    const [first, second] = (await cluster()) as [string, string]
    const user = await UserFactory.create()
    const signIn = async () => {
      const visitor = new Visitor()
      const json = { email: user.email, password: FACTORY_PASSWORD }
      await visitor.post(`${first}/login`, { json })
      return visitor
    }
    const laptop = await signIn()
    for (let round = 0; round < 10; round++) {
      const phone = await signIn()
      const { sessions } = (await (await laptop.get(`${first}/account/sessions`)).json()) as any
      const { id } = sessions.find(({ current }: any) => !current)
      const end = (server: string) =>
        laptop.request('DELETE', `${server}/account/sessions/${id}`, { csrf: true })
      const renamed = phone.send(`${first}/confirm`, { password: FACTORY_PASSWORD })
      /* Every other time the list was read before the session took its new id, for sure. */
      if (round % 2) await renamed
      const ends = await Promise.all([end(first), end(second)])
      await renamed
      assert.deepEqual(ends.map(({ status }) => status).sort(), [204, 404], `round ${round}`)
      assert.equal((await phone.get(`${second}/api/me`)).status, 401, `round ${round}`)
    }
  })

  test('cookies over plain http are announced by a warning, secure ones by nothing', async ({
    assert,
  }) => {
    for (const url of await started.warnings) {
      await stopServer(url)
    }
    assert.include(plain, 'travels over plain http')
    assert.include(plain, 'SESSION_SECURE=true')
    assert.equal(secure, '')
  })
})
