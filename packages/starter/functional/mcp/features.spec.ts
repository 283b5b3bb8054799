import { test } from '@japa/runner'

import '#starter/helpers/fixtures/mcp/workshop_server'
import { type Json, legacy, modern, bodyOf, errorCode, resultOf } from '#starter/helpers/mcp_wire'

const PATH = '/mcp/workshop'

async function call(name: string, args?: unknown, headers = {}) {
  const { body } = await modern(PATH, 'tools/call', { name, arguments: args }, headers)
  return body
}

async function pages(method: string, key: string) {
  const all: Json[][] = []
  let cursor: string | undefined
  do {
    const { body } = await modern(PATH, method, cursor ? { cursor } : {})
    all.push(body.result[key])
    cursor = body.result.nextCursor
  } while (cursor)
  return all
}

async function everyTool() {
  const lists = await pages('tools/list', 'tools')
  return lists.flat()
}

test.group('MCP tools | tools/list', () => {
  test('lists tools in the order of the class, a page at a time', async ({ assert }) => {
    const lists = await pages('tools/list', 'tools')
    assert.isAbove(lists.length, 2)
    assert.isTrue(lists.slice(0, -1).every(({ length }) => length === 5))
    const names = lists.flat().map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    assert.deepEqual(names.slice(0, 3), ['echo', 'slow_echo', 'wait_for_abort'])
  })

  test('a cursor that was not given out is -32602', async ({ assert }) => {
    for (const cursor of ['', 'x', 'dG9vbHM6MQ', 7, null, {}]) {
      const { status, body } = await modern(PATH, 'tools/list', { cursor })
      assert.equal(status, 200)
      assert.equal(body.error.code, -32602)
    }
    const { body } = await modern(PATH, 'tools/list')
    const other = await modern(PATH, 'prompts/list', { cursor: body.result.nextCursor })
    assert.equal(other.body.error.code, -32602)
  })

  test('a _meta of an older client that is no object is -32602', async ({ assert }) => {
    const { body } = await legacy(PATH, 'tools/list', { _meta: 'x' })
    assert.equal(body.error.code, -32602)
  })

  test('shows title, annotations, icons and metadata', async ({ assert }) => {
    const tools = await everyTool()
    assert.deepEqual(
      tools.find(({ name }) => name === 'injected'),
      {
        name: 'injected',
        title: 'Injected',
        description: 'Reads a header of the request it was made for',
        inputSchema: { type: 'object', additionalProperties: false },
        annotations: { readOnlyHint: true },
        icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png' }],
        _meta: { 'com.example/kind': 'probe' },
      }
    )
  })

  test('shows JSON Schemas unchanged, and those of VineJS validators', async ({ assert }) => {
    const tools = await everyTool()
    const schemaOf = (tool: string) => tools.find(({ name }) => name === tool)!.inputSchema
    assert.deepEqual(schemaOf('mirrors'), {
      type: 'object',
      properties: {
        region: { 'type': 'string', 'x-mcp-header': 'Region' },
        deep: { type: 'object', properties: { n: { 'type': 'integer', 'x-mcp-header': 'N' } } },
      },
    })
    assert.deepInclude(schemaOf('vine'), { type: 'object', required: ['email'] })
    assert.equal(schemaOf('vine').properties.age.minimum, 18)
  })

  test('leaves out what did not want to be registered', async ({ assert }) => {
    const tools = await everyTool()
    assert.notInclude(
      tools.map(({ name }) => name),
      'hidden'
    )
    const { error } = await call('hidden')
    assert.equal(error.code, -32602)
  })

  test('shows older clients only the output schemas they can read', async ({ assert }) => {
    const shown = async (list: typeof modern | typeof legacy, tool: string) => {
      let cursor: string | undefined
      do {
        const { body } = await list(PATH, 'tools/list', cursor ? { cursor } : {})
        const found = body.result.tools.find(({ name }: Json) => name === tool)
        if (found) {
          return found.outputSchema
        }
        cursor = body.result.nextCursor
      } while (cursor)
    }
    assert.deepEqual(await shown(legacy, 'object'), { type: 'object', required: ['n'] })
    assert.isUndefined(await shown(legacy, 'list'))
    assert.deepEqual(await shown(modern, 'list'), { type: 'array', items: { type: 'integer' } })
  })

  test('a server with no tools says so with an empty list', async ({ assert }) => {
    assert.deepEqual(await resultOf(legacy('/mcp/bare', 'tools/list')), { tools: [] })
  })
})

test.group('MCP tools | tools/call', () => {
  test('an unknown tool is -32602', async ({ assert }) => {
    for (const name of ['nope', 'constructor', 'ECHO', '']) {
      const { error } = await call(name)
      assert.equal(error.code, -32602)
    }
  })

  test('parameters of another type are -32602', async ({ assert }) => {
    for (const params of [{}, { name: 7 }, { name: 'echo', arguments: [] }]) {
      const { body } = await legacy(PATH, 'tools/call', params)
      assert.equal(body.error.code, -32602)
    }
    const { body } = await legacy(PATH, 'tools/call', { name: 'echo', arguments: null })
    assert.equal(body.error.code, -32602)
  })

  test('arguments that break a JSON Schema are an error result, before the tool runs', async ({
    assert,
  }) => {
    for (const args of [undefined, {}, { value: 7 }]) {
      const { result } = await call('echo', args)
      assert.isTrue(result.isError)
      assert.match(result.content[0].text, /^Invalid arguments: .*(value|required)/)
    }
    const { result } = await call('count_calls', { extra: 1 })
    assert.isUndefined(result.isError)
  })

  test('arguments that break a VineJS validator are an error result with its words', async ({
    assert,
  }) => {
    const { result } = await call('vine', { email: 'nobody', age: 3 })
    assert.isTrue(result.isError)
    assert.include(result.content[0].text, 'The email field must be a valid email address')
    assert.include(result.content[0].text, 'age')
  })

  test('the tool gets what the VineJS validator made of the arguments', async ({ assert }) => {
    const { result } = await call('vine', { email: 'a@example.com', age: '21', unknown: 1 })
    assert.deepEqual(result.structuredContent, { email: 'a@example.com', age: 21 })
  })

  test('a thrown error is an error result without anything of the inside', async ({ assert }) => {
    const { result } = await call('fails')
    assert.isTrue(result.isError)
    assert.deepEqual(result.content, [{ type: 'text', text: 'The tool failed.' }])
  })

  test('an AdonisJS exception of status 4xx speaks for itself', async ({ assert }) => {
    const { result } = await call('refuses')
    assert.isTrue(result.isError)
    assert.equal(result.content[0].text, 'You may not do that on Sundays')
  })

  test('what a validator of the tool has refused speaks for itself', async ({ assert }) => {
    const { result } = await call('validates')
    assert.isTrue(result.isError)
    assert.include(result.content[0].text, 'The email field must be a valid email address')
    assert.include(result.content[0].text, '; ')
  })

  test('Response.error is an error result', async ({ assert }) => {
    const { result } = await call('fails_politely')
    assert.deepInclude(result, {
      isError: true,
      content: [{ type: 'text', text: 'Try a later date' }],
    })
  })

  test('a tool that returns no Response is an error result', async ({ assert }) => {
    const { result } = await call('returns_nothing')
    assert.deepInclude(result, {
      isError: true,
      content: [{ type: 'text', text: 'The tool failed.' }],
    })
  })

  test('every kind of content arrives as the schema has it', async ({ assert }) => {
    const { result } = await call('all_kinds')
    assert.deepEqual(result.content, [
      { type: 'text', text: 'text', annotations: { audience: ['user'], priority: 1 } },
      { type: 'image', data: 'cG5n', mimeType: 'image/png' },
      { type: 'audio', data: 'd2F2', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'test://one', mimeType: 'text/plain', text: 'one' } },
      { type: 'resource_link', uri: 'test://two', name: 'Two', mimeType: 'text/plain' },
    ])
  })

  test('a link is text for clients of 2025-03-26, which has none', async ({ assert }) => {
    const link = { type: 'resource_link', uri: 'test://two', name: 'Two' }
    const text = { type: 'text', text: 'Two: test://two' }
    for (const [headers, content] of [
      [{}, text],
      [{ 'mcp-protocol-version': '2025-03-26' }, text],
      [{ 'mcp-protocol-version': '2025-06-18' }, link],
    ] as const) {
      const tool = await resultOf(legacy(PATH, 'tools/call', { name: 'all_kinds' }, headers))
      assert.deepInclude(tool.content.at(-1), content)
      const prompt = await resultOf(legacy(PATH, 'prompts/get', { name: 'pointing' }, headers))
      assert.deepEqual(prompt.messages, [{ role: 'user', content }])
    }
  })

  test('structured content comes with the same JSON as text', async ({ assert }) => {
    const { result } = await call('object')
    assert.deepEqual(result.structuredContent, { n: 1, at: '1970-01-01T00:00:00.000Z' })
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent)
  })

  test('structured content that is no object reaches older clients as text alone', async ({
    assert,
  }) => {
    const { result } = await call('list')
    assert.deepEqual(result.structuredContent, [1, 2])
    const { body } = await legacy(PATH, 'tools/call', { name: 'list' })
    assert.deepEqual(body.result, { content: [{ type: 'text', text: '[1,2]' }] })
  })

  test('a result that breaks the output schema never reaches the client', async ({ assert }) => {
    for (const name of ['breaks_its_schema', 'breaks_its_vine', 'has_no_structure']) {
      const { result } = await call(name)
      assert.isTrue(result.isError, name)
      assert.notInclude(JSON.stringify(result), 'internal')
    }
  })

  test('a result is judged by the schema that clients have, too: VineJS accepts more', async ({
    assert,
  }) => {
    for (const name of ['says_more_than_its_vine', 'has_a_number_as_text']) {
      const { result } = await call(name)
      assert.isTrue(result.isError, name)
      assert.notInclude(JSON.stringify(result), 'internal')
    }
  })

  test('an output schema may be a VineJS validator', async ({ assert }) => {
    const tools = await everyTool()
    const { outputSchema } = tools.find(({ name }) => name === 'vine_output')!
    assert.deepInclude(outputSchema, { type: 'object', required: ['n'] })
    const { result } = await call('vine_output')
    assert.deepEqual(result.structuredContent, { n: 1 })
  })

  test('the container makes the tool, with the HttpContext of the request', async ({ assert }) => {
    const replies = await Promise.all(
      ['one', 'two'].map((probe) => call('injected', {}, { 'x-probe': probe }))
    )
    assert.deepEqual(
      replies.map(({ result }) => result.content[0].text),
      ['one', 'two']
    )
  })
})

test.group('MCP prompts', () => {
  test('prompts/list shows titles and arguments', async ({ assert }) => {
    const { body } = await modern(PATH, 'prompts/list')
    assert.deepEqual(body.result.prompts[0], {
      name: 'greeting',
      title: 'Greeting',
      description: 'Greets somebody',
      arguments: [
        { name: 'name', description: 'Who it is', required: true },
        { name: 'language', required: false },
      ],
    })
  })

  test('prompts/get gives messages with their roles', async ({ assert }) => {
    const args = { name: 'Ann', language: 'en', unknown: 'x' }
    const { body } = await legacy(PATH, 'prompts/get', { name: 'greeting', arguments: args })
    assert.deepEqual(body.result, {
      description: 'Greets somebody',
      messages: [
        { role: 'user', content: { type: 'text', text: 'Greet Ann' } },
        { role: 'assistant', content: { type: 'text', text: 'Hello Ann {"language":"en"}' } },
      ],
    })
  })

  test('unknown prompts, missing and mistyped arguments are -32602', async ({ assert }) => {
    for (const params of [
      { name: 'nope' },
      { name: 7 },
      { name: 'greeting' },
      { name: 'greeting', arguments: { language: 'en' } },
      { name: 'greeting', arguments: { name: 7 } },
      { name: 'greeting', arguments: ['Ann'] },
    ]) {
      const { status, body } = await legacy(PATH, 'prompts/get', params)
      assert.equal(status, 200)
      assert.equal(body.error.code, -32602)
    }
  })

  test('a prompt that throws is -32603 without anything of the inside', async ({ assert }) => {
    const { body } = await legacy(PATH, 'prompts/get', { name: 'failing' })
    assert.deepEqual(body.error, { code: -32603, message: 'Internal error' })
  })
})

test.group('MCP resources', () => {
  const read = async (uri: unknown) => await bodyOf(modern(PATH, 'resources/read', { uri }))

  test('resources/list shows resources, and resources/templates/list templates', async ({
    assert,
  }) => {
    const { body } = await legacy(PATH, 'resources/list')
    assert.deepEqual(body.result.resources[0], {
      uri: 'workshop://manual',
      name: 'manual',
      mimeType: 'text/plain',
      size: 6,
    })
    const templates = await legacy(PATH, 'resources/templates/list')
    assert.deepEqual(templates.body.result.resourceTemplates, [
      {
        uriTemplate: 'workshop://notes/{id}{?format}',
        name: 'note',
        title: 'Note',
        description: 'A note',
        mimeType: 'application/json',
      },
    ])
  })

  test('resources/read gives text, and tells the handler who asks', async ({ assert }) => {
    const { result } = await read('workshop://manual')
    assert.deepEqual(result.contents, [
      { uri: 'workshop://manual', mimeType: 'text/plain', text: '2026-07-28 test' },
    ])
    const { body } = await legacy(PATH, 'resources/read', { uri: 'workshop://manual' })
    assert.equal(body.result.contents[0].text, '2025-03-26 unknown')
  })

  test('a template gives its variables, decoded', async ({ assert }) => {
    const { result } = await read('workshop://notes/a%20b?format=md')
    assert.deepEqual(JSON.parse(result.contents[0].text), { id: 'a b', format: 'md' })
    assert.equal(result.contents[0].uri, 'workshop://notes/a%20b?format=md')
  })

  test('bytes come as base64, and several parts as they are', async ({ assert }) => {
    const bytes = await read('workshop://notes/bytes')
    assert.deepEqual(bytes.result.contents, [
      { uri: 'workshop://notes/bytes', mimeType: 'application/json', blob: 'AP8=' },
    ])
    const parts = await read('workshop://notes/parts')
    assert.lengthOf(parts.result.contents, 2)
  })

  test('a resource that is not there is -32602, and -32002 for older clients', async ({
    assert,
  }) => {
    const uris = ['workshop://nope', 'workshop://notes/absent', 'workshop://notes/missing']
    for (const uri of [...uris, 'workshop://notes/1/2', 'workshop://notes/%zz']) {
      const { error } = await read(uri)
      assert.deepEqual(error, {
        code: -32602,
        message: 'Resource not found',
        data: { uri },
      })
      const { body } = await legacy(PATH, 'resources/read', { uri })
      assert.equal(body.error.code, -32002)
    }
  })

  test('a URI of another type is -32602', async ({ assert }) => {
    assert.equal(await errorCode(legacy(PATH, 'resources/read', { uri: 7 })), -32602)
    assert.equal(await errorCode(legacy(PATH, 'resources/read')), -32602)
  })

  test('a resource that throws is -32603 without anything of the inside', async ({ assert }) => {
    for (const uri of ['workshop://notes/broken', 'workshop://broken']) {
      const { error } = await read(uri)
      assert.deepEqual(error, { code: -32603, message: 'Internal error' })
    }
  })
})

test.group('MCP completion', () => {
  const complete = async (ref: unknown, argument: unknown, context?: unknown) =>
    await bodyOf(legacy(PATH, 'completion/complete', { ref, argument, context }))
  const prompt = { type: 'ref/prompt', name: 'greeting' }

  test('suggests for the argument of a prompt, knowing the others', async ({ assert }) => {
    const { result } = await complete(
      prompt,
      { name: 'language', value: 'G' },
      { arguments: { name: 'Gaelic' } }
    )
    assert.deepEqual(result.completion, {
      values: ['Gaelic', 'German', 'Greek'],
      total: 3,
      hasMore: false,
    })
  })

  test('gives a hundred suggestions at most, and says how many there are', async ({ assert }) => {
    const { result } = await complete(prompt, { name: 'name', value: 'a' })
    assert.lengthOf(result.completion.values, 100)
    assert.deepInclude(result.completion, { total: 250, hasMore: true })
  })

  test('suggests for the variable of a template', async ({ assert }) => {
    const ref = { type: 'ref/resource', uri: 'workshop://notes/{id}{?format}' }
    const { result } = await complete(ref, { name: 'id', value: '1' })
    assert.deepEqual(result.completion.values, ['1', '12'])
  })

  test('a prompt that has no suggestions has none', async ({ assert }) => {
    const { body } = await legacy('/mcp/conformance', 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'test_prompt_with_embedded_resource' },
      argument: { name: 'resourceUri', value: '' },
    })
    assert.deepEqual(body.result.completion, { values: [], total: 0, hasMore: false })
  })

  test('without a prompt or a resource it says so, whatever else is missing', async ({
    assert,
  }) => {
    for (const argument of [undefined, { name: 'name', value: 'a' }]) {
      const { error } = await complete(undefined, argument)
      assert.match(error.message, /"ref\.type" must be/)
    }
  })

  test('what is unknown or mistyped is -32602', async ({ assert }) => {
    const argument = { name: 'name', value: 'a' }
    for (const { error } of [
      await complete({ type: 'ref/prompt', name: 'nope' }, argument),
      await complete({ type: 'ref/resource', uri: 'workshop://manual' }, argument),
      await complete({ type: 'ref/tool', name: 'echo' }, argument),
      await complete('greeting', argument),
      await complete(prompt, { name: 'nope', value: 'a' }),
      await complete(prompt, { name: 'name', value: 7 }),
      await complete(prompt, undefined),
      await complete(prompt, argument, { arguments: { name: 7 } }),
    ]) {
      assert.equal(error.code, -32602)
    }
  })
})
