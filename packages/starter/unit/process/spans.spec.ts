import { test } from '@japa/runner'

import { traced, traceWith } from '#kit/process/spans'
import { tracing } from '#kit/tracing/tracing'

const REQUEST = { kind: 'server' } as const

test.group('Traced work', (group) => {
  group.each.setup(() => {
    traceWith(tracing)
    return () => traceWith(null)
  })

  test('its result is that of the work, at once or later', async ({ assert }) => {
    const atOnce = traced('work', () => 'done', REQUEST)
    assert.equal(atOnce, 'done')
    const later = traced('work', async () => 'done', REQUEST)
    assert.equal(await later, 'done')
  })

  test('its error reaches the caller, at once or later', async ({ assert }) => {
    const fail = () => {
      throw new Error('failed')
    }
    assert.throws(() => traced('work', fail, REQUEST), 'failed')
    await assert.rejects(() => traced('work', async () => fail(), REQUEST), 'failed')
  })
})
