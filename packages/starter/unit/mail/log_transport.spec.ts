import { mock } from 'node:test'

import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { getActiveTest, test } from '@japa/runner'

import { LogTransport } from '#kit/mail/log_transport'

/** What is logged of a mail, by level. */
async function logOf({ inProduction }: { inProduction: boolean }) {
  Object.defineProperty(app, 'inProduction', { value: inProduction, configurable: true })
  const info = mock.method(logger, 'info', () => {})
  const warn = mock.method(logger, 'warn', () => {})
  getActiveTest()!.cleanup(() => {
    Reflect.deleteProperty(app, 'inProduction')
    info.mock.restore()
    warn.mock.restore()
  })
  const message = { to: 'ann@example.com', subject: 'Hello', text: 'Click https://secret' }
  await new LogTransport().send(message as any)
  const calls = { info, warn }
  return Object.entries(calls).flatMap(([level, { mock: one }]) =>
    one.calls.map((call) => ({ level, text: JSON.stringify(call.arguments) }))
  )
}

test.group('Mails in the log', () => {
  test('in development the log has the text of a mail', async ({ assert }) => {
    const [line, ...others] = await logOf({ inProduction: false })
    assert.isEmpty(others)
    assert.equal(line!.level, 'info')
    assert.include(line!.text, 'Mail to ann@example.com: Hello')
    assert.include(line!.text, 'https://secret')
  })

  test('in production it warns that the mail was not sent, and keeps its text', async ({
    assert,
  }) => {
    const [line, ...others] = await logOf({ inProduction: true })
    assert.isEmpty(others)
    assert.equal(line!.level, 'warn')
    assert.include(line!.text, 'ann@example.com')
    assert.include(line!.text, 'MAIL_MAILER=log')
    assert.notInclude(line!.text, 'secret')
  })
})
