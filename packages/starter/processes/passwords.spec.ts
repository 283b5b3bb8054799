import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { appName } from '#config/app'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { startMailServer } from '#starter/helpers/mail_server'
import { startServer, startTogether, stopServer } from '#starter/helpers/server_process'
import { Visitor } from '#starter/helpers/visitor'

const NEW_PASSWORD = 'quite another secret'

/** Names the test database to a process that puts no "_test" behind its name. */
function testDatabase(): Record<string, string> {
  const { connection } = db.manager.get(db.primaryConnectionName)!.config as {
    connection: { filename?: string; database?: string }
  }
  return connection.filename
    ? { SQLITE_FILE: connection.filename }
    : { DB_DATABASE: connection.database! }
}

function ask(url: string, email: string) {
  return new Visitor().post(`${url}/password/email`, { json: { email } })
}

test.group('Password mails through SMTP', () => {
  test('a mail in text and HTML with a link, whose token sets a new password', async ({
    assert,
  }) => {
    const smtp = await startMailServer({ credentials: { username: 'app', password: 's3cret' } })
    const [url, other] = await Promise.all([
      startServer({
        ...smtp.env,
        APP_URL: 'https://app.example.com',
        MAIL_FROM: 'app@example.com',
      }),
      startServer(smtp.env),
    ])
    const user = await UserFactory.create()
    const [here, there] = [new Visitor(), new Visitor()]
    for (const [visitor, address] of [
      [here, url],
      [there, other],
    ] as const) {
      const json = { email: user.email, password: FACTORY_PASSWORD }
      await visitor.post(`${address}/login`, { json })
    }

    const asked = await ask(url, user.email)
    assert.equal(asked.status, 200)
    /* A login from another browser than before is told by mail, too. */
    const mail = await smtp.next(`Set a new password for ${appName}`)

    assert.deepEqual(mail.envelope, { from: 'app@example.com', to: [user.email] })
    const link = /https:\S+/.exec(mail.text!)![0]
    const { origin, pathname, searchParams } = new URL(link)
    assert.equal(origin + pathname, 'https://app.example.com/password/reset')
    assert.equal(searchParams.get('email'), user.email)
    assert.include(mail.html!, `href="${link.replaceAll('&', '&amp;')}"`)
    assert.include(mail.text!, '60 minutes')

    const response = await new Visitor().post(`${other}/password/reset`, {
      json: { ...Object.fromEntries(searchParams), password: NEW_PASSWORD },
    })
    assert.equal(response.status, 200)

    /* The sessions of every process have ended. */
    for (const [visitor, address] of [
      [here, url],
      [there, other],
    ] as const) {
      const me = await visitor.get(`${address}/api/me`)
      assert.equal(me.status, 401)
      const login = await new Visitor().post(`${address}/login`, {
        json: { email: user.email, password: NEW_PASSWORD },
      })
      assert.equal(login.status, 200)
    }
  })

  test('a graceful shutdown waits for the mail that a reply has promised', async ({ assert }) => {
    let beingSent!: () => void
    let letThrough!: () => void
    const started = new Promise<void>((resolve) => (beingSent = resolve))
    const allowed = new Promise<void>((resolve) => (letThrough = resolve))
    const smtp = await startMailServer({
      async accept() {
        beingSent()
        await allowed
      },
    })
    const url = await startServer(smtp.env)
    const user = await UserFactory.create()

    const asked = await ask(url, user.email)
    assert.equal(asked.status, 200)
    const stopped = stopServer(url)
    const first = await Promise.race([started.then(() => 'mail'), stopped.then(() => 'end')])
    assert.equal(first, 'mail')
    assert.lengthOf(smtp.mails, 0)
    letThrough()
    assert.equal(await stopped, 0)
    assert.lengthOf(smtp.mails, 1)
    assert.deepEqual(smtp.mails[0]!.envelope.to, [user.email])
  })

  test('a mail server that is away changes nothing the caller sees', async ({ assert }) => {
    const url = await startServer({ MAIL_MAILER: 'smtp', SMTP_HOST: '127.0.0.1', SMTP_PORT: '1' })
    const user = await UserFactory.create()
    const asked = await ask(url, user.email)
    assert.equal(asked.status, 200)
    assert.equal(await stopServer(url), 0)
  })
})

test.group('Password mails in the log', (group) => {
  let [developed, produced] = ['', '']
  const printed = Promise.withResolvers<void>()
  const started = startTogether(group, {
    inDevelopment: (cleanup) =>
      startServer(
        { MAIL_MAILER: 'log', LOG_LEVEL: 'info' },
        {
          cleanup,
          onOutput(text) {
            developed += text
            if (developed.includes('&email=')) {
              printed.resolve()
            }
          },
        }
      ),
    inProduction: (cleanup) =>
      startServer(
        { ...testDatabase(), NODE_ENV: 'production', MAIL_MAILER: 'log', LOG_LEVEL: 'info' },
        { cleanup, onOutput: (text) => (produced += text) }
      ),
  })

  test('in development a mail is printed with its link', async ({ assert }) => {
    const url = await started.inDevelopment
    const user = await UserFactory.create()
    await ask(url, user.email)
    await printed.promise
    assert.include(developed, `Mail to ${user.email}: Set a new password`)
    assert.match(developed, /\/password\/reset\?token=[A-Za-z0-9]{43}&email=/)
  })

  test('in production its text, which holds the token, stays out of the log', async ({
    assert,
  }) => {
    const url = await started.inProduction
    const user = await UserFactory.create()
    await ask(url, user.email)
    assert.equal(await stopServer(url), 0)
    assert.include(produced, 'A mail was not sent')
    assert.notInclude(produced, 'token=')
  })
})

test.group('Limits across processes', (group) => {
  /* As many as config/throttle.ts allows with one e-mail from one address. */
  const FAILURES = 10
  const started = startTogether(group, {
    distrusting: (cleanup) => startServer({ TRUST_PROXY: '192.0.2.1, 10.0.0.0/8' }, { cleanup }),
    trusting: (cleanup) => startServer({ TRUST_PROXY: 'loopback' }, { cleanup }),
    first: (cleanup) => startServer({ LIMITER_STORE: 'database' }, { cleanup }),
    second: (cleanup) => startServer({ LIMITER_STORE: 'database' }, { cleanup }),
    uncounted: (cleanup) => startServer({ LIMITER_STORE: 'redis', REDIS_PORT: '1' }, { cleanup }),
  })

  /** Fails so many times, many at once, and returns the statuses that came. */
  async function failToLogin(
    url: string,
    email: string,
    times: number,
    address: (attempt: number) => string
  ) {
    const responses = await Promise.all(
      Array.from({ length: times }, (_, attempt) =>
        new Visitor().post(`${url}/login`, {
          json: { email, password: 'wrong' },
          headers: { 'x-forwarded-for': address(attempt) },
        })
      )
    )
    return [...new Set(responses.map(({ status }) => status))]
  }

  test('a forged X-Forwarded-For is ignored unless the proxy is trusted', async ({ assert }) => {
    const [distrusting, trusting] = [await started.distrusting, await started.trusting]
    const forged = (attempt: number) => `198.51.100.${attempt % 250}`
    for (const [url, status] of [
      [distrusting, 429],
      [trusting, 401],
    ] as const) {
      assert.deepEqual(await failToLogin(url, 'ann@example.com', FAILURES, forged), [401])
      assert.deepEqual(await failToLogin(url, 'ann@example.com', 1, forged), [status])
    }
  })

  test('while the Redis that counts is away no traffic is taken, and nothing is restarted', async ({
    assert,
  }) => {
    const url = await started.uncounted
    const login = { json: { email: 'ann@example.com', password: 'wrong' } }
    assert.equal((await new Visitor().post(`${url}/login`, login)).status, 503)
    const ready = await new Visitor().get(`${url}/health/ready`)
    const { checks } = (await ready.json()) as { checks: { name: string; status: string }[] }
    assert.deepEqual(
      checks.filter(({ status }) => status === 'error').map(({ name }) => name),
      ['Redis health check (main)']
    )
    assert.equal(ready.status, 503)
    assert.equal((await new Visitor().get(`${url}/health/live`)).status, 200)
  })

  test('with LIMITER_STORE=database all processes count together', async ({ assert }) => {
    const [first, second] = [await started.first, await started.second]
    const email = `${crypto.randomUUID()}@example.com`
    const address = () => '203.0.113.9'
    assert.deepEqual(await failToLogin(first, email, FAILURES / 2, address), [401])
    assert.deepEqual(await failToLogin(second, email, FAILURES / 2, address), [401])
    assert.deepEqual(await failToLogin(first, email, 1, address), [429])
    assert.deepEqual(await failToLogin(second, email, 1, address), [429])
  })
})
