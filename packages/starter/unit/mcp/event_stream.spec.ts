import { mock } from 'node:test'
import type { PassThrough } from 'node:stream'

import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { EventStream } from '#kit/mcp/http/event_stream'

/** The stream that becomes the body of the response. */
function bodyOf(stream: EventStream): PassThrough {
  let body!: PassThrough
  const response = {
    status: () => response,
    header: () => response,
    stream: (given: PassThrough) => (body = given),
  }
  stream.attach({ response } as unknown as HttpContext)
  return body
}

test.group('MCP event stream', (group) => {
  /* The timeout of a test is a timer as well. */
  group.each.disableTimeout()
  group.each.setup(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    return () => mock.timers.reset()
  })

  test('opens by itself after a second, so that a slow call shows at once', async ({ assert }) => {
    const stream = new EventStream()
    mock.timers.tick(60_000)
    assert.isFalse(stream.isOpen)
    stream.expectSlowCall()
    mock.timers.tick(999)
    assert.isFalse(stream.isOpen)
    mock.timers.tick(1)
    assert.isTrue(stream.isOpen)
    await stream.opened
    assert.equal(String(bodyOf(stream).read()), ':\n\n')
  })

  test('tells that a message was not sent, while a slow reader has enough to read', ({
    assert,
  }) => {
    const stream = new EventStream()
    assert.isTrue(stream.write('{"id":1}'))
    assert.isTrue(stream.write(JSON.stringify('x'.repeat(1_000_000))))
    assert.isFalse(stream.write('{"id":2}'))
    const body = bodyOf(stream)
    assert.notInclude(String(body.read()), '"id":2')
    stream.discard()
  })

  test('stays closed when the answer came before', ({ assert }) => {
    const stream = new EventStream()
    stream.expectSlowCall()
    stream.discard()
    mock.timers.tick(60_000)
    assert.isFalse(stream.isOpen)
  })

  test('sends a comment every 15 seconds, until it ends', ({ assert }) => {
    const stream = new EventStream()
    stream.write('{"progress":1}')
    const body = bodyOf(stream)
    assert.include(String(body.read()), '"progress":1')
    mock.timers.tick(14_999)
    assert.isNull(body.read())
    mock.timers.tick(1)
    assert.equal(String(body.read()), ':\n\n')

    stream.end('{"id":1}')
    mock.timers.tick(60_000)
    assert.equal(String(body.read()), 'event: message\ndata: {"id":1}\n\n')
    assert.isTrue(body.writableEnded)
  })

  test('a client that has gone stops the comments', async ({ assert }) => {
    const stream = new EventStream()
    stream.write('{}')
    const body = bodyOf(stream)
    const closed = new Promise((resolve) => body.once('close', resolve))
    body.destroy()
    await closed
    assert.doesNotThrow(() => mock.timers.tick(60_000))
    assert.doesNotThrow(() => stream.end('{}'))
  })

  test('of a cancelled call ends without a response', ({ assert }) => {
    const stream = new EventStream()
    stream.write('{}')
    const body = bodyOf(stream)
    body.read()
    stream.end(null)
    assert.isNull(body.read())
    assert.isTrue(body.writableEnded)
  })
})
