import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { Readable } from 'node:stream'
import { mock } from 'node:test'

import { Logger } from '@adonisjs/core/logger'
import server from '@adonisjs/core/services/server'
import router from '@adonisjs/core/services/router'
import { getActiveTest, test } from '@japa/runner'

import HttpExceptionHandler from '#exceptions/handler'
import { PasswordHasher } from '#kit/auth/password_hasher'
import { WorkQueue } from '#kit/process/work_queue'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

router.get('/_test/errors/endless', ({ response }) => response.stream(Readable.from(endless())))
router.get('/_test/errors/broken', () => {
  throw new Error('Request aborted')
})
router.get('/_test/errors/busy', () => {
  const queue = new WorkQueue({ concurrency: 1, maxWaiting: 0 })
  const hasher = new PasswordHasher({ rounds: 4 }, queue)
  return Promise.all([hasher.make('secret'), hasher.make('secret')])
})

async function* endless() {
  for (;;) {
    yield 'x'.repeat(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Lines of requests, and those of work beside them. */
const QUIET = ['trace', 'debug', 'info']

/** What is logged as a problem until the test ends. */
function recordLog() {
  const lines: unknown[][] = []
  for (const level of ['fatal', 'error', 'warn', 'log'] as const) {
    const spy = mock.method(Logger.prototype, level, (...line: unknown[]) => {
      if (level !== 'log') lines.push([level, ...line])
      else if (!QUIET.includes(String(line[0]))) lines.push(line)
    })
    getActiveTest()!.cleanup(() => spy.mock.restore())
  }
  return lines
}

/** Begins a request, and goes away at a moment. */
async function abandon(request: string, moment: (socket: Socket) => Promise<unknown>) {
  const { hostname, port } = new URL(await serverUrl())
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(request)
  await moment(socket)
  socket.destroy()
}

test.group('A client that goes away', () => {
  for (const [type, body] of [
    ['application/json', '{"email":'],
    ['application/x-www-form-urlencoded', 'email=a'],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\nb',
    ],
  ] as const) {
    test(`while it sends is no error in the log: ${type}`, async ({ assert }) => {
      const lines = recordLog()
      const reported = new Promise<void>((resolve) => {
        const { report } = HttpExceptionHandler.prototype
        const spy = mock.method(
          HttpExceptionHandler.prototype,
          'report',
          async function (this: HttpExceptionHandler, ...parameters: Parameters<typeof report>) {
            await report.apply(this, parameters)
            resolve()
          }
        )
        getActiveTest()!.cleanup(() => spy.mock.restore())
      })
      const arrived = once(server.getNodeServer()!, 'request')
      await abandon(
        `POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 5000\r\n\r\n${body}`,
        () => arrived
      )
      await reported
      assert.deepEqual(lines, [])
    })
  }

  test('while it receives is no error in the log', async ({ assert }) => {
    const lines = recordLog()
    const closed = once(server.getNodeServer()!, 'request').then(([, response]) =>
      once(response, 'close')
    )
    await abandon('GET /_test/errors/endless HTTP/1.1\r\nHost: x\r\n\r\n', (socket) =>
      once(socket, 'data')
    )
    await closed
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(lines, [])
  })

  test('every other error is logged, whatever it says', async ({ assert }) => {
    const lines = recordLog()
    await new Visitor().get('/_test/errors/broken')
    assert.deepEqual(
      lines.map(([level, , message]) => [level, message]),
      [['error', 'Request aborted']]
    )
  })
  test('a password that a busy server does not hash is a warning that says why, without a stack', async ({
    assert,
  }) => {
    const lines = recordLog()
    const response = await new Visitor().get('/_test/errors/busy')
    assert.equal(response.status, 503)
    assert.lengthOf(lines, 1)
    const [level, values, message] = lines[0]!
    assert.deepEqual([level, values], ['warn', { retryAfter: 1 }])
    assert.include(message, 'hashingPatience')
  })
})
