import { Writable } from 'node:stream'

import { Logger } from '@adonisjs/core/logger'
import { test } from '@japa/runner'

import config from '#config/logger'

/** What the shipped logger writes about an error. */
function logged(err: Error): string {
  let lines = ''
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines += chunk
      done()
    },
  })
  new Logger({ ...config.loggers.app, level: 'trace', destination }).error({ err }, 'failed')
  return lines
}

const refused = (name: string, args: string[]) =>
  Object.assign(new Error('WRONGPASS invalid username-password pair'), { command: { name, args } })

test.group('The log of errors', () => {
  test('names the command that Redis has refused, without the password', ({ assert }) => {
    const error = refused('auth', ['the-password'])
    const { err } = JSON.parse(logged(error))
    assert.equal(err.message, error.message)
    assert.equal(err.command.name, 'auth')
    assert.notInclude(logged(error), 'the-password')
  })

  test('has no password in the errors before that one', ({ assert }) => {
    const error: any = refused('info', [])
    error.previousErrors = [error, refused('auth', ['the-password'])]
    assert.include(logged(error), error.message)
    assert.notInclude(logged(error), 'the-password')
  })

  test('has no value of the row that PostgreSQL has refused', ({ assert }) => {
    const message = 'null value in column "email" violates not-null constraint'
    const detail = 'Failing row contains (1, null, $2b$12$hash).'
    const line = logged(Object.assign(new Error(message), { code: '23502', detail }))
    assert.include(line, '23502')
    assert.notInclude(line, 'hash')
  })

  test('has errors without such parts as they are', ({ assert }) => {
    const line = JSON.parse(logged(Object.assign(new Error('broken'), { code: 'E_BROKEN' })))
    assert.include(line.err, { message: 'broken', code: 'E_BROKEN' })
    assert.include(line.err.stack, 'logger.spec')
  })
})
