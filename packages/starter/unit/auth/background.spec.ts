import { setImmediate as nextTurn } from 'node:timers/promises'

import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { Background } from '#kit/process/background'

/** A response whose end the test decides on. */
function pendingResponse() {
  const { response } = new HttpContextFactory().create()
  return { response, finish: () => response.response.emit('finish') }
}

test.group('Background', () => {
  test('a task waits for the reply, and some time more, which a shutdown cuts short', async ({
    assert,
  }) => {
    const background = new Background(console)
    const { response, finish } = pendingResponse()
    const events: string[] = []
    background.afterReply(response, 'test', async () => void events.push('task'))
    await nextTurn()
    assert.deepEqual(events, [])

    finish()
    await nextTurn()
    await nextTurn()
    assert.deepEqual(events, [])

    await background.settled()
    assert.deepEqual(events, ['task'])
  })

  test('a shutdown also waits for a reply that is not out yet', async ({ assert }) => {
    const background = new Background(console)
    const { response, finish } = pendingResponse()
    const events: string[] = []
    background.afterReply(response, 'test', async () => void events.push('task'))
    const settled = background.settled().then(() => events.push('settled'))
    await nextTurn()
    assert.deepEqual(events, [])
    finish()
    await settled
    assert.deepEqual(events, ['task', 'settled'])
  })

  test('a reply that its caller lets nobody send holds no task up for longer than the patience', async ({
    assert,
  }) => {
    const background = new Background(console)
    background.patience = 1
    const { response } = pendingResponse()
    const events: string[] = []
    background.afterReply(response, 'test', async () => void events.push('task'))
    await background.settled()
    assert.deepEqual(events, ['task'])
  })

  test('without a shutdown the task begins by itself', async ({ assert }) => {
    const background = new Background(console)
    const { response, finish } = pendingResponse()
    await assert.doesNotReject(
      () =>
        new Promise<void>((resolve) => {
          background.afterReply(response, 'test', async () => resolve())
          finish()
        })
    )
  })

  test('a task that fails is logged and holds up no other', async ({ assert }) => {
    const logged: string[] = []
    const background = new Background({
      error: ({ err }, message) => logged.push(`${message}: ${(err as Error).message}`),
    })
    const [first, second] = [pendingResponse(), pendingResponse()]
    let done = false
    background.afterReply(first.response, 'send it', async () => {
      throw new Error('no mail today')
    })
    background.afterReply(second.response, 'send it', async () => void (done = true))
    first.finish()
    second.finish()
    await background.settled()
    assert.deepEqual(logged, ['Cannot send it: no mail today'])
    assert.isTrue(done)
  })
})
