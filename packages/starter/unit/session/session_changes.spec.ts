import { test } from '@japa/runner'

import { applyChanges, findChanges } from '#kit/session/session_changes'

test.group('Session changes', () => {
  test('what was found, applied to the same data, gives the new data', ({ assert }) => {
    const before = { kept: 1, gone: 2, list: [1, 2], deep: { a: { b: 1 }, gone: null } }
    const after = { kept: 1, list: [2], deep: { a: { b: 2, c: {} } }, text: 'x', scalar: 0 }
    assert.deepEqual(applyChanges(before, findChanges(before, after)), after)
  })

  test('nothing changed is no change', ({ assert }) => {
    const data = { list: [{ a: 1 }], deep: { a: null } }
    assert.deepEqual(findChanges(data, structuredClone(data)), [])
  })

  test('a new object is merged with one that another request has made meanwhile', ({ assert }) => {
    const mine = findChanges({}, { cart: { apples: 1 } })
    assert.deepEqual(applyChanges({ cart: { pears: 2 } }, mine), { cart: { apples: 1, pears: 2 } })
  })

  test('keys that lead to the prototype of every object are passed over', ({ assert }) => {
    const hostile = JSON.parse(
      '{"a": {"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "fine": 1}}'
    )
    const result = applyChanges({}, findChanges({}, hostile))
    assert.isUndefined(({} as any).polluted)
    assert.deepEqual(result, { a: { fine: 1 } })
  })
})
