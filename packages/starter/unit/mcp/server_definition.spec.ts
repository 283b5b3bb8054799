import vine from '@vinejs/vine'
import { test } from '@japa/runner'

import { ServerDefinition } from '#kit/mcp/definition/server_definition'
import { Argument, Prompt, Resource, Tool } from '#kit/mcp/primitives'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import type { PromptClass, ResourceClass, SchemaSource, ToolClass } from '#kit/mcp/types'

const defaults = { version: '9.9.9', pageSize: 50 }
const everybody = { caller: null, cacheScope: 'public', showsApps: false } as const

function server(
  offers: { tools?: ToolClass[]; prompts?: PromptClass[]; resources?: ResourceClass[] } = {}
) {
  return class extends Server {
    static override name = 'test'
    static override tools = () => offers.tools ?? null
    static override prompts = () => offers.prompts ?? null
    static override resources = () => offers.resources ?? null
  }
}

const build = (offers: Parameters<typeof server>[0]) =>
  ServerDefinition.build(server(offers), defaults)

function tool(name: string, schema: SchemaSource = { type: 'object' }): ToolClass {
  return class extends Tool {
    static override name = name
    static override description = 'A tool'
    static override schema = () => schema

    handle() {
      return Response.text('')
    }
  }
}

function resource(uri: string): ResourceClass {
  return class extends Resource {
    static override uri = uri
    static override name = 'A resource'

    read() {
      return ''
    }
  }
}

test.group('MCP server definition | What must be there', () => {
  test('a server, a tool and a prompt need a name of their own', async ({ assert }) => {
    class Nameless extends Server {}
    await assert.rejects(
      () => ServerDefinition.build(Nameless, defaults),
      'The MCP server class Nameless needs a static "name"'
    )

    class NamelessTool extends Tool {
      static override description = 'x'
      handle() {
        return Response.text('')
      }
    }
    await assert.rejects(
      () => build({ tools: [NamelessTool] }),
      /class NamelessTool needs a static "name"/
    )

    class NamelessPrompt extends Prompt {
      static override description = 'x'
      handle() {
        return Response.text('')
      }
    }
    await assert.rejects(() => build({ prompts: [NamelessPrompt] }), /NamelessPrompt .* "name"/)
  })

  test('an argument of a prompt needs a name of its own', async ({ assert }) => {
    const fault = 'The MCP prompt "greet" has an argument without a name, or two of one name'
    for (const args of [
      [new Argument('who' as any)],
      [new Argument({ name: '' })],
      [new Argument({ name: 'who' }), new Argument({ name: 'who', required: true })],
    ]) {
      class Greet extends Prompt {
        static override name = 'greet'
        static override description = 'Greets'
        static override arguments = () => args
        handle() {
          return Response.text('')
        }
      }
      await assert.rejects(() => build({ prompts: [Greet] }), fault)
    }
  })

  test('a tool and a prompt need a description, a resource a URI', async ({ assert }) => {
    class Silent extends Tool {
      static override name = 'silent'
      handle() {
        return Response.text('')
      }
    }
    await assert.rejects(() => build({ tools: [Silent] }), /"description"/)
    await assert.rejects(() => build({ resources: [resource('')] }), /"uri"/)
  })

  test('the size of a page is a whole number above 0, and no time to live is negative', async ({
    assert,
  }) => {
    const wrong = (member: string, value: number) =>
      ServerDefinition.build(Object.assign(server(), { [member]: value }), defaults)
    for (const value of [0, -1, 1.5, Number.NaN]) {
      await assert.rejects(
        () => wrong('pageSize', value),
        'The MCP server "test": "pageSize" must be a whole number above 0'
      )
    }
    const fault = '"ttlMs" must be a number above 0, or 0 to turn it off'
    for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(() => wrong('ttlMs', value), `The MCP server "test": ${fault}`)
      const one = Object.assign(resource('test://one'), { ttlMs: value })
      await assert.rejects(
        () => build({ resources: [one] }),
        `The MCP resource "test://one": ${fault}`
      )
    }
    await wrong('ttlMs', 0)
  })

  test('a static member of another kind is refused: {member} = {value}')
    .with([
      { member: 'scopes', value: 'posts:read', kind: 'a list of texts' },
      { member: 'scopes', value: null, kind: 'a list of texts' },
      { member: 'callableBy', value: 'app', kind: 'a list of model and app' },
      { member: 'callableBy', value: ['apps'], kind: 'a list of model and app' },
      { member: 'taskSupport', value: true, kind: 'never, optional or required' },
      { member: 'cacheScope', value: 'Private', kind: 'public or private' },
    ])
    .run(async ({ assert }, { member, value, kind }) => {
      const isOfTools = member !== 'cacheScope'
      const Class = isOfTools ? tool('a') : resource('test://a')
      const offers = isOfTools ? { tools: [Class as ToolClass] } : { resources: [Class as never] }
      await build(offers)
      Object.assign(Class, { [member]: value })
      const fault = new RegExp(`^The MCP \\w+ class .+: "${member}" must be ${kind}$`)
      await assert.rejects(() => build(offers), fault)
    })

  test('a server has a public or a private cache scope', async ({ assert }) => {
    const Class = Object.assign(server(), { cacheScope: 'shared' }) as never
    const fault = 'The MCP server class test: "cacheScope" must be public or private'
    await assert.rejects(() => ServerDefinition.build(Class, defaults), fault)
  })

  test('names are unique', async ({ assert }) => {
    await assert.rejects(() => build({ tools: [tool('a'), tool('a')] }), /lists the tool "a" twice/)
    await assert.rejects(
      () => build({ resources: [resource('a://b'), resource('a://b')] }),
      /lists the resource "a:\/\/b" twice/
    )
  })

  test('the name of a tool is one that clients take: not "{$self}"')
    .with(['with space', 'ümlaut', 'a/b', 'x'.repeat(129)])
    .run(async ({ assert }, name) => {
      await assert.rejects(() => build({ tools: [tool(name)] }), /needs a name of 1 to 128/)
    })

  test('a resource has a URI or a URI template', async ({ assert }) => {
    for (const uri of ['no uri', '/path', 'a://{', 'a://{id:3}']) {
      await assert.rejects(() => build({ resources: [resource(uri)] }))
    }
  })
})

test.group('MCP server definition | Schemas', () => {
  test('a result is judged again by what is published where a VineJS validator accepts more', async ({
    assert,
  }) => {
    const answering = (name: string, source: SchemaSource) => {
      const Class = tool(name)
      Class.outputSchema = () => source
      return Class
    }
    const json = answering('json', { type: 'object' })
    const { offers } = await build({ tools: [json, answering('vine', vine.create({}))] })
    assert.isNull(offers.tools.get('json')!.published)
    assert.isNotNull(offers.tools.get('vine')!.published)
  })

  test('an invalid schema is refused: {name}')
    .with([
      { name: 'an unknown type', schema: { type: 'objekt' } },
      { name: 'no object', schema: { type: 'string' } },
      { name: 'an unknown dialect', schema: { $schema: 'http://example.com/x', type: 'object' } },
      { name: 'a reference to nowhere', schema: { type: 'object', $ref: '#/$defs/none' } },
      {
        name: 'a reference into the network',
        schema: { type: 'object', properties: { a: { $ref: 'https://example.com/s.json' } } },
      },
      { name: 'a VineJS validator of no object', schema: vine.create(vine.string()) },
    ] as { name: string; schema: SchemaSource }[])
    .run(async ({ assert }, { schema }) => {
      await assert.rejects(() => build({ tools: [tool('a', schema)] }))
    })

  test('dialects 2020-12 and draft-07 are applied as what they are', async ({ assert }) => {
    const judged = async (schema: SchemaSource, value: unknown) => {
      const { offers } = await build({ tools: [tool('a', schema)] })
      return 'value' in (await offers.tools.get('a')!.input.validate(value))
    }
    const pair = { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } }
    const modernPair = { type: 'object', properties: { pair } }
    assert.isTrue(await judged(modernPair, { pair: ['x', 1] }))
    assert.isFalse(await judged(modernPair, { pair: [1, 1] }))

    const old = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } },
    }
    assert.isTrue(await judged(old, { pair: ['x', 1] }))
    assert.isFalse(await judged(old, { pair: [1, 'x'] }))
  })

  test('a format is checked, and a value is not changed', async ({ assert }) => {
    const schema = {
      type: 'object',
      properties: { mail: { type: 'string', format: 'email' }, n: { type: 'integer', default: 1 } },
    }
    const { offers } = await build({ tools: [tool('a', schema)] })
    const { validate } = offers.tools.get('a')!.input
    assert.property(await validate({ mail: 'x' }), 'problems')
    assert.deepEqual(await validate({ mail: 'a@example.com' }), {
      value: { mail: 'a@example.com' },
    })
  })

  test('of several problems the first one is told', async ({ assert }) => {
    const text = { type: 'string' }
    const schema = { type: 'object', properties: { a: text, b: text } }
    const { offers } = await build({ tools: [tool('a', schema)] })
    const problems = ['/a must be string']
    assert.deepEqual(await offers.tools.get('a')!.input.validate({ a: 1, b: 2 }), { problems })
  })

  test('two schemas may carry the same $id', async ({ assert }) => {
    const schema = { $id: 'https://example.com/same', type: 'object' }
    await assert.doesNotReject(() =>
      build({ tools: [tool('a', schema), tool('b', { ...schema })] })
    )
  })

  test('a mark "x-mcp-header" that breaks the rules is refused: {name}')
    .with([
      { name: 'empty', properties: { a: { 'type': 'string', 'x-mcp-header': '' } } },
      { name: 'no token', properties: { a: { 'type': 'string', 'x-mcp-header': 'a b' } } },
      { name: 'a line break', properties: { a: { 'type': 'string', 'x-mcp-header': 'a\r\nb' } } },
      { name: 'a number', properties: { a: { 'type': 'number', 'x-mcp-header': 'A' } } },
      { name: 'an object', properties: { a: { 'type': 'object', 'x-mcp-header': 'A' } } },
      {
        name: 'twice',
        properties: {
          a: { 'type': 'string', 'x-mcp-header': 'A' },
          b: { 'type': 'string', 'x-mcp-header': 'a' },
        },
      },
      {
        name: 'inside a list',
        properties: { a: { type: 'array', items: { 'type': 'string', 'x-mcp-header': 'A' } } },
      },
      {
        name: 'inside a choice',
        properties: { a: { oneOf: [{ 'type': 'string', 'x-mcp-header': 'A' }] } },
      },
    ] as { name: string; properties: object }[])
    .run(async ({ assert }, { properties }) => {
      await assert.rejects(
        () => build({ tools: [tool('a', { type: 'object', properties })] }),
        /x-mcp-header/
      )
    })
})

test.group('MCP server definition | Lists', () => {
  test('are built once', async ({ assert }) => {
    const definition = await build({ tools: [tool('a')] })
    assert.strictEqual(
      definition.lists.page('tools/list', 'modern', undefined, everybody),
      definition.lists.page('tools/list', 'modern', undefined, everybody)
    )
  })

  test('have pages of the size the server asks for', async ({ assert }) => {
    const tools = ['a', 'b', 'c', 'd', 'e'].map((name) => tool(name))
    const definition = await ServerDefinition.build(server({ tools }), { ...defaults, pageSize: 2 })
    const names: string[][] = []
    let cursor: string | undefined
    do {
      const page = JSON.parse(definition.lists.page('tools/list', 'modern', cursor, everybody))
      names.push(page.tools.map((one: { name: string }) => one.name))
      cursor = page.nextCursor
    } while (cursor)
    assert.deepEqual(names, [['a', 'b'], ['c', 'd'], ['e']])
  })

  test('that fill their last page have no cursor to an empty one', async ({ assert }) => {
    const tools = ['a', 'b'].map((name) => tool(name))
    const definition = await ServerDefinition.build(server({ tools }), { ...defaults, pageSize: 2 })
    assert.notProperty(
      JSON.parse(definition.lists.page('tools/list', 'modern', undefined, everybody)),
      'nextCursor'
    )
  })

  test('leave out what did not want to be registered, of every kind', async ({ assert }) => {
    const unwanted = <Class extends object>(Class: Class) =>
      Object.assign(Class, { shouldRegister: () => false })
    class Hidden extends Prompt {
      static override name = 'hidden'
      static override description = 'x'
      handle() {
        return Response.text('')
      }
    }
    const definition = await build({
      tools: [unwanted(tool('a'))],
      prompts: [unwanted(Hidden)],
      resources: [unwanted(resource('a://b')), unwanted(resource('a://{c}'))],
    })
    const { tools, prompts, resources, templates } = definition.offers
    assert.deepEqual([tools.size, prompts.size, resources.size, templates.size], [0, 0, 0, 0])
  })
})
