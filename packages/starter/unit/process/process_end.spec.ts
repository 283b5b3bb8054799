import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { endOnSignals } from '#kit/process/process_end'

/** An application whose end takes until it is told to, and the codes that the process is ended with. */
function application() {
  const listeners = new Map<string, () => void>()
  const end = Promise.withResolvers<void>()
  const terminate = mock.fn(() => end.promise)
  const exits: (number | undefined)[] = []
  endOnSignals(
    {
      listen: (signal: string, listener: () => void) => void listeners.set(signal, listener),
      terminate,
    } as never,
    { exit: (code) => exits.push(code) }
  )
  const signal = (name: string) => listeners.get(name)!()
  return { signal, terminate, end: end.resolve, fail: end.reject, exits }
}

test.group('End of the process', (group) => {
  /* The timeout of a test is a timer as well. */
  group.each.disableTimeout()
  group.each.setup(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    return () => mock.timers.reset()
  })

  test('comes half a second after the application has ended, whatever somebody left open', async ({
    assert,
  }) => {
    const { signal, terminate, end, exits } = application()
    signal('SIGTERM')
    signal('SIGINT')
    mock.timers.tick(60_000)
    assert.isEmpty(exits)
    end()
    await turn()
    mock.timers.tick(499)
    assert.isEmpty(exits)
    mock.timers.tick(1)
    assert.deepEqual(exits, [undefined])
    assert.equal(terminate.mock.callCount(), 1)
  })

  test('comes with code 1 and one sentence when a server does not answer that its connection ends', async ({
    assert,
    cleanup,
  }) => {
    const stderr = mock.method(process.stderr, 'write', () => true)
    cleanup(() => stderr.mock.restore())
    const { signal, fail, exits } = application()
    signal('SIGTERM')
    fail(new Error('Command timed out'))
    await turn()
    assert.deepEqual(exits, [1])
    const [message] = stderr.mock.calls[0]!.arguments
    assert.equal(message, 'The application ended with an error: Command timed out\n')
  })

  test('comes with code 1 when the application does not end within 64 seconds', ({
    assert,
    cleanup,
  }) => {
    const stderr = mock.method(process.stderr, 'write', () => true)
    cleanup(() => stderr.mock.restore())
    const { signal, exits } = application()
    signal('SIGTERM')
    mock.timers.tick(63_999)
    assert.isEmpty(exits)
    mock.timers.tick(1)
    assert.deepEqual(exits, [1])
    const [message] = stderr.mock.calls[0]!.arguments
    assert.equal(message, 'The application did not end within 64 seconds.\n')
  })
})
