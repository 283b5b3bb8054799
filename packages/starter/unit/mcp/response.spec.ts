import { inspect } from 'node:util'

import { test } from '@japa/runner'

import { defineConfig } from '#kit/mcp/define_config'
import { fieldsOf, readForm } from '#kit/mcp/tasks/page_questions'
import { InputRequest, isAnswerTo } from '#kit/mcp/request'
import { Response } from '#kit/mcp/response'

test.group('MCP Response', () => {
  test('a structure must be something JSON can carry', ({ assert }) => {
    for (const value of [undefined, () => {}, Symbol('x')]) {
      assert.throws(() => Response.structure(value), /JSON/)
    }
    const circle: Record<string, unknown> = {}
    circle.self = circle
    assert.throws(() => Response.structure(circle))
    assert.throws(() => Response.structure({ n: 1n }))
    assert.equal(Response.structure(null).structureJson, 'null')
  })

  test('several structures, or a question among contents, make no response', ({ assert }) => {
    const structure = Response.structure({})
    assert.throws(() => Response.of(structure, structure))
    assert.equal(Response.of(structure, Response.text('x')).kind, 'structure')
    assert.equal(Response.of(structure, Response.text('x')).structureJson, '{}')
    const question = Response.inputRequired({ roots: InputRequest.roots() })
    assert.throws(() => Response.of(Response.text('x'), question))
  })

  test('an error among contents makes an error', ({ assert }) => {
    assert.equal(Response.of(Response.text('x'), Response.error('y')).kind, 'error')
  })

  test('inputRequired needs a request or a state', ({ assert }) => {
    assert.throws(() => Response.inputRequired({}))
    assert.doesNotThrow(() => Response.inputRequired({}, { round: 1 }))
  })

  test('bytes become base64, whatever part of a buffer they are', ({ assert }) => {
    const bytes = new Uint8Array(new TextEncoder().encode('xpngx').buffer, 1, 3)
    assert.equal(Response.image(bytes, 'image/png').parts[0]!.block.data, 'cG5n')
  })

  test('its text is the texts of its parts, a line each', ({ assert }) => {
    const image = Response.image('cG5n', 'image/png')
    assert.equal(Response.of(Response.text('a'), image, Response.text('b')).plainText, 'a\n\nb')
  })

  test('asAssistant leaves the original as it is', ({ assert }) => {
    const user = Response.text('x')
    assert.equal(user.asAssistant().parts[0]!.role, 'assistant')
    assert.equal(user.parts[0]!.role, 'user')
    assert.include(inspect(user), 'user')
  })
})

test.group('MCP InputRequest', () => {
  const form = { type: 'object' as const, properties: {} }

  test('knows what a client must be able to do', ({ assert }) => {
    const elicit = InputRequest.elicit('?', form)
    assert.isTrue(elicit.isSupportedBy({ elicitation: {} }))
    assert.isTrue(elicit.isSupportedBy({ elicitation: { form: {} } }))
    assert.isFalse(elicit.isSupportedBy({ elicitation: { url: {} } }))
    assert.isFalse(elicit.isSupportedBy({}))

    const visit = InputRequest.visit('?', 'https://example.com')
    assert.isTrue(visit.isSupportedBy({ elicitation: { url: {} } }))
    assert.isFalse(visit.isSupportedBy({ elicitation: {} }))

    const sample = InputRequest.sample({ messages: [], maxTokens: 1 })
    assert.isTrue(sample.isSupportedBy({ sampling: {} }))
    assert.isFalse(sample.isSupportedBy({ elicitation: {} }))
    const withTools = InputRequest.sample({ messages: [], maxTokens: 1, tools: [] })
    assert.isFalse(withTools.isSupportedBy({ sampling: {} }))
    assert.isTrue(withTools.isSupportedBy({ sampling: { tools: {} } }))

    assert.isTrue(InputRequest.roots().isSupportedBy({ roots: {} }))
    assert.isFalse(InputRequest.roots().isSupportedBy({}))
  })

  test('becomes the request of the specification', ({ assert }) => {
    assert.deepEqual(JSON.parse(JSON.stringify(InputRequest.roots())), {
      method: 'roots/list',
      params: {},
    })
    assert.deepEqual(JSON.parse(JSON.stringify(InputRequest.visit('Go', 'https://example.com'))), {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Go', url: 'https://example.com' },
    })
  })
})

test.group('MCP defineConfig', () => {
  test('reads expressions and has defaults', ({ assert }) => {
    const config = defineConfig({ bodyLimit: '2kb', requestStateTtl: '1 minute' })
    assert.equal(config.bodyLimit, 2048)
    assert.equal(config.requestStateTtl, 60_000)
    assert.equal(defineConfig({ requestStateTtl: 60 }).requestStateTtl, 60_000)
    const { tasks, ...defaults } = defineConfig()
    assert.deepEqual(defaults, {
      allowedOrigins: new Set(),
      allowedHosts: new Set(),
      bodyLimit: 1_048_576,
      pageSize: 50,
      requestStateTtl: 600_000,
      callTimeout: 60_000,
      stopTimeout: 5000,
      redisConnection: null,
      taskTtl: 3_600_000,
      taskTimeout: 900_000,
      url: null,
    })
    assert.equal(tasks.store, 'memory')
  })

  test('refuses what is no origin and no limit', ({ assert }) => {
    for (const origin of ['*', 'example.com', 'https://example.com/', 'https://example.com/x']) {
      assert.throws(() => defineConfig({ allowedOrigins: [origin] }), /is not an origin/)
    }
    for (const pageSize of [0, -1, 1.5, Number.NaN]) {
      assert.throws(() => defineConfig({ pageSize }), /pageSize/)
    }
    assert.throws(() => defineConfig({ bodyLimit: 'much' }), /bodyLimit/)
  })

  test('refuses a time that no timer can wait', ({ assert }) => {
    for (const setting of ['callTimeout', 'stopTimeout', 'taskTimeout'] as const) {
      assert.throws(
        () => defineConfig({ [setting]: '25 days' }),
        `McpConfig: "${setting}" must be at most 24 days`
      )
      assert.equal(defineConfig({ [setting]: '24 days' })[setting], 24 * 86_400_000)
    }
    assert.equal(defineConfig({ taskTtl: '30 days' }).taskTtl, 30 * 86_400_000)
  })
})

test.group('MCP questions', () => {
  test('folders of a client are a list of objects with URIs', ({ assert }) => {
    const judged = [[], [{ uri: 'file:///a' }], [{ name: 'a' }], [null], 'file:///a'].map((roots) =>
      isAnswerTo(InputRequest.roots(), { roots })
    )
    assert.deepEqual(judged, [true, true, false, false, false])
  })

  const fieldOf = (schema: object) =>
    fieldsOf({ type: 'object', properties: { one: schema as any } }, 0)[0]!

  test('a text is typed into the input of its format, a number into that of numbers', ({
    assert,
  }) => {
    const formats = ['email', 'uri', 'date', 'date-time', undefined]
    const types = formats.map((format) => fieldOf({ type: 'string', format }).type)
    assert.deepEqual(types, ['email', 'url', 'date', 'text', 'text'])
    const numbers = ['number', 'integer'].map((type) => fieldOf({ type }).type)
    assert.deepEqual(numbers, ['number', 'number'])
  })

  test('what no rule alone refuses is another problem', ({ assert }) => {
    const items = { enum: ['a', 'b'] }
    const field = fieldOf({ type: 'array', items, contains: { const: 'a' }, minContains: 2 })
    const { problems } = readForm([field], { [field.name]: ['a', 'b'] })
    assert.equal(problems[field.name]!.rule, 'other')
  })
})
