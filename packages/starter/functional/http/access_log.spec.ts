import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { mock } from 'node:test'

import { Logger } from '@adonisjs/core/logger'
import router from '@adonisjs/core/services/router'
import type { HttpContext } from '@adonisjs/core/http'
import { getActiveTest, test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { AccessLog } from '#kit/http/access_log'
import { createHttpServer } from '#kit/http/server'
import { Metrics } from '#kit/metrics/metrics'
import { type SpanOptions, traceWith } from '#kit/process/spans'
import { listenForTest } from '#starter/helpers/listening'
import { obtainTokens, granted } from '#starter/helpers/oauth'
import { sendRaw } from '#starter/helpers/raw_socket'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

router.get('/_test/access/never', () => new Promise(() => {}))

interface Line {
  method: string
  route: string | null
  status: number
  ms: number
  user_id: string | null
  client_id: string | null
  aborted?: boolean
}

/** Lines of the access log until the test ends; a line comes when its response has ended. */
function recordLines() {
  const lines: Line[] = []
  const waiting: (() => void)[] = []
  const spy = mock.method(Logger.prototype, 'info', (line: Line, text: string) => {
    if (text === 'request') {
      lines.push(line)
      waiting.shift()?.()
    }
  })
  /* The tests log nothing. */
  const enabled = mock.method(Logger.prototype, 'isLevelEnabled', () => true)
  getActiveTest()!.cleanup(() => {
    spy.mock.restore()
    enabled.mock.restore()
  })
  return {
    all: lines,
    /** The line of the request that is sent here. */
    async of(send: () => Promise<unknown>): Promise<Line> {
      const written = new Promise<void>((resolve) => waiting.push(resolve))
      await send()
      await written
      return lines.at(-1)!
    },
  }
}

test.group('Access log', () => {
  test('a request is one line: method, pattern of the route, status, milliseconds', async ({
    assert,
  }) => {
    const lines = recordLines()
    const line = await lines.of(() => new Visitor().get('/user/a-secret?token=a-secret'))
    assert.isAtLeast(line.ms, 0)
    assert.deepEqual(
      { ...line, ms: 0 },
      { method: 'GET', route: '/user/:id', status: 200, ms: 0, user_id: null, client_id: null }
    )
    assert.lengthOf(lines.all, 1)
  })

  test('what no route matches is named by nothing that the caller has sent', async ({ assert }) => {
    const lines = recordLines()
    const line = await lines.of(() => new Visitor().get('/nowhere/a-secret'))
    assert.equal(line.status, 404)
    assert.isNull(line.route)
    assert.notInclude(JSON.stringify(line), 'a-secret')
  })

  test('the span of a request is named like its line, and has its status', async ({
    assert,
    cleanup,
  }) => {
    const outcomes: object[] = []
    const run = <Result>(_name: string, { kind, outcome }: SpanOptions, work: () => Result) => {
      const result = work()
      const end = () => kind === 'server' && outcomes.push(outcome!())
      return (result instanceof Promise ? result.finally(end) : result) as Result
    }
    traceWith({ run, isRecording: () => false, apart: (work) => work() })
    cleanup(() => traceWith(null))
    const lines = recordLines()
    const outcomeOf = async (path: string) => {
      await lines.of(() => new Visitor().get(path))
      return outcomes.shift()
    }
    assert.deepEqual(await outcomeOf('/user/a-secret?token=a-secret'), {
      name: 'GET /user/:id',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/user/:id',
        'http.response.status_code': 200,
      },
    })
    assert.deepEqual(await outcomeOf('/nowhere/a-secret'), {
      name: 'GET unmatched',
      attributes: {
        'http.request.method': 'GET',
        'http.route': 'unmatched',
        'http.response.status_code': 404,
      },
    })
  })

  test('it names the user of a session, from the login on', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const lines = recordLines()
    const login = await lines.of(() => visitor.login(user.email, FACTORY_PASSWORD))
    assert.equal(login.user_id, String(user.id))
    const me = await lines.of(() => visitor.get('/api/me'))
    assert.equal(me.user_id, String(user.id))
    assert.isNull(me.client_id)
    const failed = await lines.of(() => new Visitor().login(user.email, 'wrong'))
    assert.equal(failed.status, 401)
    assert.isNull(failed.user_id)
  })

  test('it names the client that asks for tokens, and user and client of an access token', async ({
    assert,
  }) => {
    const { user, visitor, client, tokens } = await granted()
    const lines = recordLines()
    const form = {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: client.id,
      client_secret: client.secret!,
    }
    const issued = await lines.of(() => new Visitor().post('/oauth/token', { form }))
    assert.equal(issued.client_id, client.id)
    const forged = { ...form, client_secret: 'wrong' }
    const refused = await lines.of(() => new Visitor().post('/oauth/token', { form: forged }))
    assert.isNull(refused.client_id)

    const { access_token: token } = await obtainTokens(visitor, client)
    const headers = { authorization: `Bearer ${token}` }
    const me = await lines.of(() => new Visitor().get('/api/me', { headers }))
    assert.equal(me.client_id, client.id)
    assert.equal(me.user_id, String(user.id))
    assert.notInclude(JSON.stringify(lines.all), token)
  })

  test('a client that goes away before the answer is a line that says so', async ({ assert }) => {
    const lines = recordLines()
    const { hostname, port } = new URL(await serverUrl())
    const line = await lines.of(async () => {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write('GET /_test/access/never HTTP/1.1\r\nHost: x\r\n\r\n')
      socket.end()
      setImmediate(() => socket.destroy())
    })
    assert.isTrue(line.aborted)
  })

  test('a request that took too long is a line with the 408 that its client got, and is counted so', async ({
    assert,
  }) => {
    const line = Promise.withResolvers<Line>()
    const log = new AccessLog(true)
    const metrics = new Metrics()
    log.watchers.push((ctx, milliseconds) => metrics.request(ctx, milliseconds))
    const logger = { isLevelEnabled: () => true, info: line.resolve }
    const watch: RequestListener = (request, response) => {
      const ctx = { request: { request, method: () => request.method }, response: { response } }
      log.watch({ ...ctx, logger } as unknown as HttpContext)
      request.resume()
    }
    const limits = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 }
    const port = await listenForTest(createHttpServer(watch, limits))
    const unfinished = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx'
    const answer = await sendRaw([unfinished], { url: `http://127.0.0.1:${port}` })
    assert.match(answer, /^HTTP\/1\.1 408 /)
    const { status, aborted } = await line.promise
    assert.deepEqual([status, aborted], [408, undefined])
    const { values } = await metrics.requests.get()
    assert.deepEqual(
      values.map(({ labels }) => labels.status),
      [408]
    )
  })

  test('turned off, or while the log takes warnings only, it watches no response', ({ assert }) => {
    const ctx = (isEnabled: boolean) =>
      ({ logger: { isLevelEnabled: () => isEnabled } }) as unknown as HttpContext
    assert.doesNotThrow(() => new AccessLog(false).watch(ctx(true)))
    assert.doesNotThrow(() => new AccessLog(true).watch(ctx(false)))
    assert.throws(() => new AccessLog(true).watch(ctx(true)))
  })

  test('the id of a request is the caller’s or a new one, and is in the response', async ({
    assert,
  }) => {
    const own = await new Visitor().get('/user/7', { headers: { 'x-request-id': 'abc-123' } })
    assert.equal(own.headers.get('x-request-id'), 'abc-123')
    const made = await new Visitor().get('/user/7')
    assert.match(made.headers.get('x-request-id')!, /^[\w-]{20,}$/)
  })
})
