import { setImmediate as turn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { collectStartGarbage } from '#kit/process/start_garbage'

test.group('Garbage of the start', () => {
  test('is collected, and what is in use is kept', async ({ assert }) => {
    const kept = { text: 'in use' }
    const references = [new WeakRef(kept), new WeakRef({ text: 'garbage' })]
    /* A WeakRef keeps what it refers to until the end of its turn. */
    await turn()
    collectStartGarbage()
    assert.deepEqual(
      references.map((reference) => reference.deref()),
      [kept, undefined]
    )
  })
})
