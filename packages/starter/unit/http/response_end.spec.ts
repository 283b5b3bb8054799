import { createServer } from 'node:http'
import { connect } from 'node:net'

import { getActiveTest, test } from '@japa/runner'
import type { HttpResponse } from '@adonisjs/core/http'

import { Background } from '#kit/process/background'
import { onResponseEnd } from '#kit/http/response_end'
import { listenForTest } from '#starter/helpers/listening'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** A plain server of Node.js, as an application has that does not use the kit's. */
async function listen(handler: (response: HttpResponse) => void) {
  const server = createServer((request, response) => handler({ request, response } as HttpResponse))
  const port = await listenForTest(server)
  return () => connect(port, '127.0.0.1').on('error', () => {})
}

test.group('End of a response', () => {
  test('is when it has been sent', async ({ assert }) => {
    const ended = Promise.withResolvers<boolean>()
    const open = await listen((http) => {
      onResponseEnd(http, () => ended.resolve(http.response.writableFinished))
      http.response.end()
    })
    const client = open()
    client.write(GET)
    assert.isTrue(await ended.promise)
    client.destroy()
  })

  test('is at once when it had been sent before', async () => {
    const ended = Promise.withResolvers<void>()
    const open = await listen((http) => {
      http.response.end()
      onResponseEnd(http, ended.resolve)
    })
    const client = open()
    client.write(GET)
    await ended.promise
    client.destroy()
  })

  test('is told once to each of thirty pipelined requests whose connection is cut', async ({
    assert,
  }) => {
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    getActiveTest()!.cleanup(() => void process.off('warning', warn))

    const asked = Promise.withResolvers<void>()
    const told = new Map<number, number>()
    const all = Promise.withResolvers<void>()
    let count = 0
    const open = await listen((http) => {
      const own = ++count
      onResponseEnd(http, () => {
        told.set(own, (told.get(own) ?? 0) + 1)
        told.size === 30 && all.resolve()
      })
      count === 30 && asked.resolve()
    })
    const client = open()
    client.write(GET.repeat(30))
    await asked.promise
    client.destroy()
    await all.promise
    assert.deepEqual(new Set(told.values()), new Set([1]))
    assert.isEmpty(warnings)
  })

  test('work after the reply is left by none of 500 cut connections', async ({ assert }) => {
    const background = new Background({ error: () => {} })
    let done = 0
    let asked = 0
    const allAsked = Promise.withResolvers<void>()
    const open = await listen((http) => {
      background.afterReply(http, 'count', async () => void done++)
      ++asked === 1000 && allAsked.resolve()
    })
    const clients = Array.from({ length: 500 }, open)
    clients.forEach((client) => client.write(GET + GET))
    await allAsked.promise
    clients.forEach((client) => client.destroy())
    await background.settled()
    assert.equal(done, 1000)
  })
})
