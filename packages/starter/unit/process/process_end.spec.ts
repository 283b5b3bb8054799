import { setImmediate as turn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { endOnSignals } from '#kit/process/process_end'

/** An application whose end takes a while, and the codes that the process is ended with. */
function application(terminate: () => Promise<void>, limits: { limit?: number; grace?: number }) {
  const listeners = new Map<string, () => void>()
  const ended = Promise.withResolvers<number | undefined>()
  const exits: (number | undefined)[] = []
  endOnSignals(
    {
      listen: (signal: string, listener: () => void) => void listeners.set(signal, listener),
      terminate,
    } as never,
    {
      ...limits,
      exit: (code) => {
        exits.push(code)
        ended.resolve(code)
      },
    }
  )
  return { signal: (name: string) => listeners.get(name)!(), ended: ended.promise, exits }
}

test.group('End of the process', () => {
  test('comes when the application has ended, whatever somebody left open', async ({ assert }) => {
    const end = Promise.withResolvers<void>()
    const { signal, ended, exits } = application(() => end.promise, { grace: 1 })
    const leftOpen = setInterval(() => {}, 1000)
    signal('SIGTERM')
    signal('SIGINT')
    await turn()
    assert.isEmpty(exits)
    end.resolve()
    assert.isUndefined(await ended)
    clearInterval(leftOpen)
  })

  test('comes with code 1 when the application does not end', async ({ assert }) => {
    const { signal, ended } = application(() => new Promise(() => {}), { limit: 1 })
    const leftOpen = setInterval(() => {}, 1000)
    signal('SIGTERM')
    assert.equal(await ended, 1)
    clearInterval(leftOpen)
  })
})
