import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { test } from '@japa/runner'

import { runScript, startServer, stopServer } from '#starter/helpers/server_process'

/** Milliseconds in which a server without a long request ends, also on a slow machine. */
const PATIENCE = 20_000

const JSON_TYPE = { 'content-type': 'application/json' }
const BODY = JSON.stringify({ email: 'nobody@example.com', password: 'not my secret' })

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}

async function received(socket: Socket, line: RegExp) {
  const [chunk] = await once(socket, 'data')
  if (!line.test(String(chunk))) {
    throw new Error(`Expected ${line}: ${chunk}`)
  }
}

test.group('SIGTERM', () => {
  test('idle connections are not waited for, a running request is answered, and the exit code is 0', async ({
    assert,
  }) => {
    const url = await startServer()
    const [silent, idle, busy] = [await open(url), await open(url), await open(url)]

    idle.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    await received(idle, /^HTTP\/1\.1 200/)
    busy.write(
      'POST /login HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n' +
        `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`
    )
    await received(busy, /^HTTP\/1\.1 100/)

    const closed = Promise.all([once(silent.resume(), 'close'), once(idle.resume(), 'close')])
    const stopped = stopServer(url)
    await closed
    busy.write(BODY)
    assert.match(await text(busy), /^HTTP\/1\.1 401 [^]*connection: close/i)
    assert.equal(await stopped, 0)
  })

  test('requests of clients that have left do not hold the process: {name}')
    .with([
      { name: 'logins that are being hashed', path: '/login', times: 1, connections: 3 },
      { name: 'pipelined ones', path: '/password/email', times: 3, connections: 50 },
    ])
    .run(async ({ assert }, { path, times, connections }) => {
      const url = await startServer()
      /* Makes what a first request has to make. */
      await fetch(`${url}/login`, { method: 'POST', body: BODY, headers: JSON_TYPE })
      const request =
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${BODY.length}\r\n\r\n${BODY}`
      for (let count = 0; count < connections; count++) {
        const socket = await open(url)
        await new Promise((resolve) => socket.write(request.repeat(times), resolve))
        socket.destroy()
      }
      const stopped = stopServer(url)
      assert.equal(await Promise.race([stopped, sleep(PATIENCE, 'still alive')]), 0)
    })

  test('an MCP call that goes on is ended with an error, and does not hold the server', async ({
    assert,
  }) => {
    const url = await startServer(
      {},
      { script: 'packages/starter/helpers/fixtures/mcp/patient_process.ts' }
    )
    const response = await fetch(`${url}/mcp/patient`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept': 'text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'wait', _meta: { progressToken: 1 } },
      }),
    })
    assert.match(response.headers.get('content-type')!, /^text\/event-stream/)
    const stopped = stopServer(url)
    assert.include(await response.text(), 'The server is stopping. Try again.')
    assert.equal(await stopped, 0)
  })
})

test.group('An application that only warms up, as in node ace codegen', () => {
  test('asks neither the database nor Redis, and its process ends', async ({ assert }) => {
    const away = { DB_CONNECTION: 'pg', DB_PORT: '1', REDIS_PORT: '1', LIMITER_STORE: 'redis' }
    const settings = { OAUTH_KEYS_STORE: 'database', OAUTH_KEY: '', MCP_REDIS_CONNECTION: 'main' }
    const script = 'packages/starter/helpers/fixtures/warm_up.ts'
    const { code, stderr } = await runScript(script, [], { ...away, ...settings })
    assert.equal(code, 0, stderr)
  })
})
