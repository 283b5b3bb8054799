import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { type Socket, connect } from 'node:net'
import { text } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { createHttpServer } from '#kit/http/server'
import { listenForTest } from '#starter/helpers/listening'
import { sendRaw } from '#starter/helpers/raw_socket'

async function listen(handler: RequestListener) {
  const server = createHttpServer(handler)
  const port = await listenForTest(server)
  return { server, port, url: `http://127.0.0.1:${port}` }
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** A client that the server knows of. */
async function connected(server: Server, port: number): Promise<Socket> {
  const [client] = await Promise.all([connect(port, '127.0.0.1'), once(server, 'connection')])
  return client
}

/** A client whose request is being answered. */
async function asking(server: Server, port: number) {
  const client = await connected(server, port)
  client.write(GET)
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  return { client, response }
}

test.group('HTTP server', () => {
  test('a client that never ends its {name} is answered 408')
    .with([
      { name: 'headers', sent: 'POST / HTTP/1.1\r\nHost: x\r\n' },
      { name: 'body', sent: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx' },
    ])
    .run(async ({ assert }, { sent }) => {
      const server = createHttpServer((request) => request.resume(), {
        headersTimeout: 50,
        requestTimeout: 50,
        connectionsCheckingInterval: 10,
      })
      const url = `http://127.0.0.1:${await listenForTest(server)}`
      assert.match(await sendRaw([sent], { url }), /^HTTP\/1.1 408 /)
    })

  test('an id of a request that is too long or malformed is dropped', async ({ assert }) => {
    const seen: unknown[] = []
    const { url } = await listen(({ headers }, response) => {
      seen.push(headers['x-request-id'])
      response.end()
    })
    for (const id of ['a.B-3:4/5+6=', 'a b', 'x'.repeat(129), '"}']) {
      await fetch(url, { headers: { 'x-request-id': id } })
    }
    assert.deepEqual(seen, ['a.B-3:4/5+6=', undefined, undefined, undefined])
  })

  test('limits are there unless somebody says otherwise', ({ assert }) => {
    const server = createHttpServer(() => {})
    assert.include(server as any, {
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: 5000,
      maxHeaderSize: 16_384,
      maxHeadersCount: 200,
    })
  })

  test('close() gives the server, as that of Node.js does', ({ assert }) => {
    const server = createHttpServer(() => {})
    assert.strictEqual(server.close(), server)
  })

  test('headers that are too {name} are answered 431, and the next request as ever')
    .with([
      { name: 'large', headers: `x-large: ${'x'.repeat(16_384)}\r\n` },
      /* With the one of the host 200. */
      { name: 'many', headers: 'x-many: x\r\n'.repeat(199) },
    ])
    .run(async ({ assert }, { headers }) => {
      let handled = 0
      const { url } = await listen((_request, response) => {
        handled++
        response.end('well')
      })
      const refused = await sendRaw([`GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`], { url })
      assert.match(refused, /^HTTP\/1\.1 431 [^]*\r\nConnection: close\r\n/)
      assert.equal(handled, 0)
      const fewer = `GET / HTTP/1.1\r\nHost: x\r\n${'x-many: x\r\n'.repeat(198)}\r\n`
      assert.match(await sendRaw([fewer], { url }), /^HTTP\/1\.1 200 [^]*well$/)
    })

  test('a request with two hosts, or with one that cannot be, is 400 and reaches no handler', async ({
    assert,
  }) => {
    const seen: unknown[] = []
    const { url } = await listen(({ headers }, response) => {
      seen.push(headers.host)
      response.end('well')
    })
    const ask = (lines: string) => sendRaw([`GET / HTTP/1.1\r\n${lines}\r\n`], { url })
    const one = (host: string) => `Host: ${host}\r\n`
    const refused = ['a b', '[::', '"<script>', 'a/b', 'a?b', 'a#b', 'a@b', 'a\\b', 'a:b', 'a:1:2']
    for (const lines of [one('a') + one('b'), `hOST: a\r\n${one('a')}`, ...refused.map(one)]) {
      const answer = await ask(lines)
      assert.match(answer, /^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n/, lines)
    }
    assert.isEmpty(seen)

    const hosts = ['a', 'a.example.com:3333', '127.0.0.1', '[::1]:80', 'a_b', 'xn--mgba3a4f16a', '']
    for (const host of hosts) {
      assert.match(await ask(one(host)), /^HTTP\/1\.1 200 /, host)
    }
    assert.deepEqual(seen, hosts)
    assert.match(await sendRaw(['GET / HTTP/1.0\r\n\r\n'], { url }), /^HTTP\/1\.1 200 /)
  })

  test('a whole address as the target is its path, and its host replaces the header', async ({
    assert,
  }) => {
    const { url } = await listen(({ url: path, headers: { host } }, response) =>
      response.end(JSON.stringify({ path, host }))
    )
    const ask = (target: string, header = 'b') =>
      sendRaw([`GET ${target} HTTP/1.1\r\nHost: ${header}\r\n\r\n`], { url })
    for (const [target, path, host] of [
      ['http://a.example.com:3333/path?a=b', '/path?a=b', 'a.example.com:3333'],
      ['HTTPS://a/', '/', 'a'],
      ['http://a', '/', 'a'],
      ['http://a?b=/c', '/?b=/c', 'a'],
      ['http://[::1]:80//b', '//b', '[::1]:80'],
      ['/http://a/b', '/http://a/b', 'b'],
    ] as const) {
      assert.include(await ask(target), JSON.stringify({ path, host }), target)
    }
    assert.match(await ask('http://name:secret@a/'), /^HTTP\/1\.1 400 /)
    assert.match(await ask('http://a/', 'a/b'), /^HTTP\/1\.1 200 /)
  })
})

test.group('HTTP server | end', () => {
  test('a connection that {name} is closed, and not waited for')
    .with([
      { name: 'has sent nothing', sent: '' },
      { name: 'has not ended its headers', sent: 'GET / HTTP/1.1\r\nHost: x\r\n' },
      { name: 'waits for its next request', sent: GET },
    ])
    .run(async ({ assert }, { sent }) => {
      const { server, port } = await listen((_request, response) => response.end())
      const client = await connected(server, port)
      client.on('error', () => {})
      client.write(sent)
      if (sent === GET) {
        await once(client, 'data')
      }
      const closed = once(client.resume(), 'close')
      await new Promise((resolve) => server.close(resolve))
      await closed
      assert.isTrue(client.destroyed)
    })

  test('a running request is answered, and its connection closed then', async ({ assert }) => {
    const { server, port } = await listen(() => {})
    const { client, response } = await asking(server, port)
    const ended = new Promise((resolve) => server.close(resolve))
    response.end('slow')
    assert.match(await text(client), /^HTTP\/1\.1 200 [^]*Connection: close[^]*slow$/)
    await ended
  })

  test('a request that arrives on an open connection at this moment is answered', async ({
    assert,
  }) => {
    const { server, port } = await listen((_request, response) => response.end('answer'))
    const client = await connected(server, port)
    client.write(GET)
    await once(client, 'data')
    const ended = new Promise((resolve) => server.close(resolve))
    client.write(GET)
    assert.match(await text(client), /^HTTP\/1\.1 200 [^]*Connection: close[^]*answer$/)
    await ended
  })

  test('an answer that has begun is sent whole', async ({ assert }) => {
    const { server, port } = await listen(() => {})
    const { client, response } = await asking(server, port)
    response.write('first ')
    const ended = new Promise((resolve) => server.close(resolve))
    response.end('second')
    assert.match(await text(client), /first [^]*second[^]*0\r\n\r\n$/)
    await ended
  })

  test('the request after an answer that had begun is answered, too', async ({ assert }) => {
    const { server, port } = await listen(() => {})
    const { client, response } = await asking(server, port)
    response.write('first ')
    const ended = new Promise((resolve) => server.close(resolve))
    response.end('second')
    await once(response, 'close')
    client.write(GET)
    const [, next] = (await once(server, 'request')) as [unknown, ServerResponse]
    next.end('third')
    assert.match(await text(client), /second[^]*Connection: close[^]*third$/)
    await ended
  })
})

test.group('HTTP server | clients that have left', () => {
  test('a response that waited behind another one hears it, and what it would send goes nowhere', async ({
    assert,
  }) => {
    const both = Promise.withResolvers<void>()
    const responses: ServerResponse[] = []
    const { server, port } = await listen((_request, response) => {
      responses.push(response)
      responses.length === 2 && both.resolve()
    })
    const client = await connected(server, port)
    client.write(GET + GET)
    await both.promise
    const [first, second] = responses as [ServerResponse, ServerResponse]
    const heard = ['close', 'end'].map((event) => once(second, event))
    const firstClosed = once(first, 'close')
    client.destroy()
    await Promise.all([...heard, firstClosed])
    second.write('late')
    second.end('later')
    assert.isTrue(second.destroyed)
  })

  test('a handler whose client has left is waited for', async ({ assert }) => {
    const work = Promise.withResolvers<void>()
    const { server, port } = await listen(() => work.promise as never)
    const { client } = await asking(server, port)
    client.destroy()
    const ended = Promise.withResolvers<string>()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    void closed.then(() => ended.resolve('ended'))
    await once(server, 'close')
    setImmediate(() => ended.resolve('not yet'))
    assert.equal(await ended.promise, 'not yet')
    work.resolve()
    await closed
  })

  test('a handler that never ends is waited for as long as a request may take', async () => {
    const server = createHttpServer(() => new Promise(() => {}) as never, {
      requestTimeout: 300,
      headersTimeout: 300,
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { client } = await asking(server, (server.address() as { port: number }).port)
    client.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
})
