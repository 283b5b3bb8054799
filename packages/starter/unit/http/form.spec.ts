import { Qs } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import fc from 'fast-check'

import { parseForm } from '#kit/http/body/formats'
import { MalformedBody } from '#kit/http/errors'

const config = {
  types: [],
  limit: 1,
  queryString: { allowDots: true },
  normalize: (value: string) => (value === '' ? null : value),
}

/** What AdonisJS's parser makes of a form, with the empty values of the configuration. */
function parseAsAdonis(text: string) {
  const decoder = (encoded: string, fallback: (part: string) => string, _: string, kind: string) =>
    kind === 'value' ? config.normalize(fallback(encoded)) : fallback(encoded)
  const parse = { ...config.queryString, decoder }
  return new Qs({ parse, stringify: {} } as unknown as ConstructorParameters<typeof Qs>[0]).parse(
    text
  )
}

const part = fc.oneof(
  fc.constantFrom('a', 'b', 'a_b', 'a-1', '1', '', 'a.b', 'a[]', 'a[b]', 'a%5Bb%5D', 'a%2Eb', 'ä'),
  fc.constantFrom('constructor', '__proto__', 'hasOwnProperty', 'toString', 'utf8', '?a'),
  fc.constantFrom('x+y', '%20', '%', '%E4', '%C3%A4+%', '1,2', ']=', 'x=y', 'null', '&#9786;')
)
const pair = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(part, part).map(([name, value]) => `${name}=${value}`) },
  { weight: 1, arbitrary: part }
)

test.group('The fields of a form', () => {
  test('are those that the parser of AdonisJS finds, whatever their names', ({ assert }) => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 4 }), (pairs) => {
        const text = pairs.join('&')
        assert.deepEqual(parseForm(text, config), parseAsAdonis(text), text)
      }),
      { numRuns: 3000 }
    )
  })

  test('follow the options of the configuration', ({ assert }) => {
    const options = { ...config, queryString: { allowDots: true, comma: true } }
    assert.deepEqual(parseForm('a=1,2', options), { a: ['1', '2'] })
    assert.deepEqual(parseForm('a=1,2', config), { a: '1,2' })
  })

  test('are as many as the parser of AdonisJS takes', ({ assert }) => {
    const text = Array.from({ length: 1500 }, (_, index) => `a${index}=1`).join('&')
    assert.lengthOf(Object.keys(parseForm(text, config)), 1000)
  })

  test('are Unicode text', ({ assert }) => {
    for (const text of ['a=\ud800', 'a[b]=\ud800']) {
      assert.throws(() => parseForm(text, config), MalformedBody as never)
    }
  })
})
