import { test } from '@japa/runner'

import { parseJson } from '#kit/http/body/formats'

const LIMITS = { maxDepth: 3, maxElements: 6 }

/** What becomes of a text under small limits, or the status of its refusal. */
function read(text: string): unknown {
  const config = { types: [], limit: 1000, ...LIMITS, normalize: (value: string) => value }
  try {
    return parseJson(text, config)
  } catch (error) {
    return (error as { status: number }).status
  }
}

test.group('JSON of a body', () => {
  test('has no name that reaches a prototype, and every other one', ({ assert }) => {
    assert.deepEqual(Object.entries(read('{"__proto__":{"a":1}}') as object), [])
    assert.deepEqual(read('{"constructor":{"prototype":{}}}'), {})
    assert.deepEqual(read('[{"constructor":{"prototype":1}}]'), [{}])
    for (const value of ['{"name":1}', '{}', '"prototype"', '1', 'null', '["prototype"]']) {
      const text = `{"constructor":${value}}`
      assert.deepEqual(read(text), JSON.parse(text), text)
    }
    assert.deepEqual(read('{"prototype":{"a":1}}'), { prototype: { a: 1 } })
  })

  test('is as deep and as wide as it may be', ({ assert }) => {
    for (const text of ['[[[]]]', '[{"a":[]}]', '[0,0,0,0,0,0]', '[[],[],[]]', '{"a":1,"b":2}']) {
      assert.deepEqual(read(text), JSON.parse(text), text)
    }
    for (const text of ['[[[[]]]]', '[{"a":[{}]}]', '[0,0,0,0,0,0,0]', '[[],[],[],[]]']) {
      assert.equal(read(text), 400, text)
    }
    assert.equal(read('{"a":1,"b":2,"c":3,"d":4}'), 400)
  })

  test('may have anything in its strings', ({ assert }) => {
    for (const content of [
      '[[[[[[[',
      '{:,{:,{:,',
      '"',
      '""',
      '\\',
      '\\\\',
      '\\"',
      '"[[[[[[[',
      '\\[[[[',
    ]) {
      const text = JSON.stringify({ [content]: [content, content] })
      assert.deepEqual(read(text), JSON.parse(text), text)
      assert.equal(read(`[${JSON.stringify(content)},[[[[]]]]]`), 400, text)
    }
  })

  test('is an object or a list, also none at all, and nothing that is broken', ({ assert }) => {
    assert.deepEqual(read(''), {})
    assert.deepEqual(read(' \t\r\n{}'), {})
    for (const text of ['1', '"text"', 'null', ' ']) {
      assert.equal(read(text), 422, text)
    }
    for (const text of ['{', '["', '["\\"', '[1,]', '["\\ud800"]', '{"\\ud800":1}']) {
      assert.equal(read(text), 400, text)
    }
  })
})
