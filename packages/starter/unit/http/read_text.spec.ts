import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { readText } from '#kit/http/body/read_text'
import { BodyTooLarge } from '#kit/http/errors'
import { listenForTest } from '#starter/helpers/listening'

/** A server that answers with the body, or 413, once the body has arrived. */
async function echo(prepare: (request: IncomingMessage) => void) {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    await turn()
    prepare(request)
    try {
      response.end(await readText(request, 10))
    } catch (error) {
      response.writeHead(error instanceof BodyTooLarge ? 413 : 500).end()
    }
  }
  return listenForTest(createServer((...exchange) => void answer(...exchange)))
}

/** Requests on one connection, each of which leaves in one piece. */
function send(port: number, requests: string[]) {
  const socket = connect(port, '127.0.0.1')
  requests.forEach((request) => socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${request}`))
  return textOf(socket)
}

const whole = (body: string, more = '') =>
  `${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const chunked = (body: string, more = '') =>
  `${more}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const LAST = 'Connection: close\r\n'

test.group('The text of a body', () => {
  test('that came with the headers is read without a stream, request after request', async ({
    assert,
  }) => {
    let iterators = 0
    const port = await echo((request) => {
      const iterator = request.iterator.bind(request)
      request.iterator = (options) => (iterators++, iterator(options))
    })
    const answers = await send(port, [whole('one'), whole('two ä', LAST)])
    assert.match(answers, /\r\n\r\noneHTTP\/1\.1 200 [^]*\r\n\r\ntwo ä$/)
    assert.equal(iterators, 0)
    assert.match(await send(port, [chunked('one', LAST)]), /one/)
    assert.equal(iterators, 1)
  })

  test('begins behind a byte order mark', async ({ assert }) => {
    const port = await echo(() => {})
    assert.match(await send(port, [whole('\ufeffone', LAST)]), /\r\n\r\none$/)
  })

  test('is as long as it may be, however it came', async ({ assert }) => {
    const port = await echo(() => {})
    for (const request of [whole, chunked]) {
      assert.match(await send(port, [request('0123456789', LAST)]), /^HTTP\/1\.1 200 /)
      assert.match(await send(port, [request('0123456789+', LAST)]), /^HTTP\/1\.1 413 /)
    }
  })
})
