import { test } from '@japa/runner'

import { statementSpan, traced, traceWith } from '#kit/process/spans'
import { tracing } from '#kit/tracing/tracing'

const REQUEST = { kind: 'server' } as const

test.group('Span of a statement', () => {
  test('it is named by the first word of its text: {sql}')
    .with([
      { sql: 'SELECT 1', name: 'SELECT' },
      { sql: '  insert into posts', name: 'INSERT' },
      { sql: '(SELECT 1) UNION (SELECT 2)', name: 'statement' },
    ])
    .run(({ assert }, { sql, name }) => {
      const options = { kind: 'client' as const, attributes: { 'db.query.text': sql } }
      assert.deepEqual(statementSpan(sql), [name, options])
    })

  test('it has the first 2000 characters of a long text', ({ assert }) => {
    const long = 'SELECT 1'.padEnd(1999, ' ') + 'yz'
    const [, { attributes }] = statementSpan(long)
    assert.equal(attributes!['db.query.text'], long.slice(0, -1))
  })
})

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
