import { test } from '@japa/runner'
import vine from '@vinejs/vine'

import { compileSchema, isPortablePattern, portableSchema } from '#kit/mcp/definition/json_schema'
import { schemaOf } from '#kit/openapi/request_body'

test.group('Published schemas', () => {
  test('have patterns that Python and Go can read: {$self}')
    .with(['^[a-z0-9-]+$', '^\\d{4}-\\d{2}$', '^(?:a|b)\\.\\/$', '\\bword\\b', 'a{1,999}', '^\\_$'])
    .run(({ assert }, pattern) => {
      assert.isTrue(isPortablePattern(pattern))
    })

  test('have no others: {$self}')
    .with([
      '^(?!evil)',
      '(?<=a)b',
      '(?<year>\\d+)',
      '(a)\\1',
      '\\p{L}',
      '\\u0041',
      '\\cA',
      '[]',
      '[^]',
      '[\\b]',
      'a{1,1001}',
      'a{,3}',
    ])
    .run(({ assert }, pattern) => {
      assert.isFalse(isPortablePattern(pattern))
      assert.deepEqual(portableSchema({ type: 'string', pattern }), { type: 'string' })
    })

  test('of a nullable date say that it may be anything, not null alone', async ({ assert }) => {
    const day = () => vine.date({ formats: ['iso8601'] }).nullable()
    const title = vine.string().nullable()
    const fields = { day: day(), later: vine.array(vine.object({ day: day().optional() })), title }
    const validator = vine.create({ data: vine.object(fields) })
    const { json, validate } = compileSchema(validator, 'the tool')
    assert.property(await validate({ data: { day: null, later: [], title: null } }), 'value')
    assert.property(await validate({ data: { day: '2026-02-03', later: [], title: '' } }), 'value')
    for (const published of [json, schemaOf(validator)] as any[]) {
      const { properties } = published.properties.data
      assert.deepEqual([properties.day, properties.later.items.properties.day], [{}, {}])
      assert.deepEqual(properties.title, { type: ['string', 'null'] })
    }
  })

  test('of tuples and optional unions are what clients of any dialect read', async ({ assert }) => {
    const place = vine.tuple([vine.string(), vine.number()])
    const either = () => vine.unionOfTypes([vine.string(), vine.number()])
    const validator = vine.create({
      ...{ place, size: either() },
      ...{ note: either().optional(), tag: either().optional().nullable() },
    })
    const { json, validate } = compileSchema(validator, 'the tool')
    assert.property(await validate({ place: ['here', 1], size: 1, tag: null }), 'value')
    for (const published of [json, schemaOf(validator)] as any[]) {
      const prefixItems = [{ type: 'string' }, { type: 'number' }]
      const items = { type: 'array', minItems: 2, maxItems: 2, prefixItems }
      assert.deepEqual(published.properties.place, items)
      assert.deepEqual(published.required, ['place', 'size'])
      assert.property(
        await compileSchema(published, 'it').validate({ place: ['', 1], size: 1 }),
        'value'
      )
    }
  })

  test('of a nullable field say that it has to be there, wherever its object stands', async ({
    assert,
  }) => {
    const object = () =>
      vine.object({
        due: vine.string().nullable(),
        note: vine.string().nullable().optional(),
        left: vine.string().optional(),
      })
    const isObject = (value: unknown) => vine.helpers.isObject(value)
    const validator = vine.create({
      one: object(),
      none: object().nullable(),
      list: vine.array(object()),
      map: vine.record(object()),
      pair: vine.tuple([vine.string(), object()]),
      either: vine.union([vine.union.if(isObject, object()), vine.union.else(vine.string())]),
    })
    const good = { due: null }
    const whole = { one: good, none: null, list: [good], map: { a: good }, pair: ['', good] }
    const { json, validate } = compileSchema(validator, 'the tool')
    assert.property(await validate({ ...whole, either: good }), 'value')
    assert.property(await validate({ ...whole, either: good, one: {} }), 'problems')
    for (const published of [json, schemaOf(validator)] as any[]) {
      const { one, none, list, map, pair, either } = published.properties
      assert.sameMembers(published.required, Object.keys(published.properties))
      const objects = [one, none, list.items, map.additionalProperties, pair.prefixItems[1]]
      for (const { required } of [...objects, either.anyOf[0]]) {
        assert.deepEqual(required, ['due'])
      }
    }
  })

  test('of booleans are booleans, with what is said of them, and no choice of words', ({
    assert,
  }) => {
    const description = 'Whether everybody reads it'
    const validator = vine.create({
      isPublic: vine.boolean().meta({ description }),
      isPinned: vine.boolean().nullable(),
      mode: vine.enum([true, false, 'auto']),
    })
    for (const published of [compileSchema(validator, 'the tool').json, schemaOf(validator)]) {
      assert.deepEqual(published.properties, {
        isPublic: { type: 'boolean', description },
        isPinned: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
        mode: { enum: [true, false, 'auto'] },
      })
    }
  })

  test('lose them wherever a schema may stand, and nothing else', ({ assert }) => {
    const text = { type: 'string', pattern: '\\p{L}', minLength: 1 }
    const published = { type: 'string', minLength: 1 }
    const schema = (one: object) => ({
      type: 'object',
      properties: { pattern: one, list: { type: 'array', items: one, prefixItems: [one, true] } },
      $defs: { one },
      anyOf: [one, { not: one }],
      if: { propertyNames: one },
      default: { pattern: '\\p{L}' },
      enum: [{ pattern: '\\p{L}' }],
      additionalProperties: false,
    })
    assert.deepEqual(portableSchema(schema(text)), schema(published))
  })

  test('lose them under "{$self}"')
    .with([
      ...['additionalProperties', 'allOf', 'anyOf', 'contains', 'else', 'if', 'items', 'not'],
      ...['oneOf', 'prefixItems', 'propertyNames', 'then', 'unevaluatedItems'],
      'unevaluatedProperties',
    ])
    .run(({ assert }, keyword) => {
      const schema = { pattern: '\\p{L}', minLength: 1 }
      assert.deepEqual(portableSchema({ [keyword]: schema }), { [keyword]: { minLength: 1 } })
      assert.deepEqual(portableSchema({ [keyword]: [schema] }), { [keyword]: [{ minLength: 1 }] })
    })

  test('lose them in what "{$self}" names')
    .with(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'])
    .run(({ assert }, keyword) => {
      const schema = { pattern: { pattern: '\\p{L}' } }
      assert.deepEqual(portableSchema({ [keyword]: schema }), { [keyword]: { pattern: {} } })
    })

  test('say nothing of other properties where names have a pattern that was left out', ({
    assert,
  }) => {
    const published = portableSchema({
      patternProperties: { '^\\p{L}': {}, '^x': { pattern: '\\p{L}' } },
      additionalProperties: false,
    })
    assert.deepEqual(published, { patternProperties: { '^x': {} } })
  })

  test('do not weaken what arguments are judged by', async ({ assert }) => {
    const sources = [
      vine.create({ word: vine.string().regex(/^(?!evil)\w+$/) }),
      {
        type: 'object',
        properties: { word: { type: 'string', pattern: '^(?!evil)\\w+$' } },
      },
    ]
    for (const source of sources) {
      const { json, validate } = compileSchema(source as any, 'the test')
      assert.notInclude(JSON.stringify(json), 'evil')
      assert.property(await validate({ word: 'evil' }), 'problems')
      assert.property(await validate({ word: 'good' }), 'value')
    }
  })
})
