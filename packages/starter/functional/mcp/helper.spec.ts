import { test } from '@japa/runner'

import { tool } from '#starter/helpers/fixtures/mcp/conformance_tools'
import { WorkshopServer } from '#starter/helpers/fixtures/mcp/workshop_server'
import { mcp } from '#kit/testing/mcp'

const named = (name: string) => WorkshopServer.tools().find((one) => one.name === name)!

test.group('MCP test helper', () => {
  test('calls a tool and asserts on what it answers', async ({ assert }) => {
    const reply = await mcp(WorkshopServer).tool(named('echo'), { value: 'hi' })
    reply.assertOk().assertSee('hi').assertDontSee('bye')
    for (const wrong of [
      () => reply.assertSee('bye'),
      () => reply.assertDontSee('hi'),
      () => reply.assertToolError(),
      () => reply.assertError(-32602),
      () => reply.assertStructured({}),
      () => reply.assertAsks('name'),
      () => reply.assertProgress([1]),
      () => reply.assertCompletions([]),
      () => reply.assertMessages([['user', 'hi']]),
    ]) {
      assert.throws(wrong)
    }
  })

  test('tells failures apart', async ({ assert }) => {
    const failed = await mcp(WorkshopServer).tool(named('refuses'))
    failed.assertToolError('on Sundays')
    assert.throws(() => failed.assertOk())

    const unknown = tool('nope', 'Not there', () => undefined as never)
    const refused = await mcp(WorkshopServer).tool(unknown)
    refused.assertError(-32602)
    assert.throws(() => refused.assertOk())
  })

  test('tells the developer what clients are not told: a result that breaks its schema', async ({
    assert,
  }) => {
    const broken = await mcp(WorkshopServer).tool(named('breaks_its_schema'))
    broken.assertToolError('The tool failed.').assertDontSee('required')
    assert.throws(
      () => broken.assertOk(),
      /The MCP tool "breaks_its_schema" returned a structure that does not match its output schema: must have required property 'n'/
    )
  })

  test('sees structure and progress', async () => {
    const list = await mcp(WorkshopServer).tool(named('list'))
    list.assertOk().assertStructured([1, 2])
    const slow = await mcp(WorkshopServer).tool(named('slow_echo'), { value: 'hi', ms: 0 })
    slow.assertOk().assertProgress([1, 2])
  })

  test('gets prompts, reads resources and completes arguments', async () => {
    const [Greeting] = WorkshopServer.prompts()
    const [Note, Manual] = WorkshopServer.resources()
    const client = mcp(WorkshopServer)
    const greeting = await client.prompt(Greeting!, { name: 'Ann' })
    greeting.assertOk().assertMessages([
      ['user', 'Greet Ann'],
      ['assistant', 'Hello Ann {}'],
    ])
    const manual = await client.resource(Manual!)
    manual.assertOk().assertSee('2026-07-28')
    const note = await client.resource('workshop://notes/7')
    note.assertOk().assertSee('7')
    const ids = await client.complete(Note!, 'id', '1')
    ids.assertOk().assertCompletions(['1', '12'])
    const languages = await client.complete(Greeting!, 'language', 'G')
    languages.assertCompletions(['German', 'Greek'])
  })

  test('answers questions, as the client it is told to be', async () => {
    const client = mcp(WorkshopServer)
    const asked = await client.tool(named('asks'), { value: 'a' })
    asked.assertAsks('name')
    const done = await asked.answer({ name: { action: 'accept', content: { name: 'Ann' } } })
    done.assertOk().assertSee('a, Ann')

    const unable = await client.capableOf({}).tool(named('asks'), { value: 'a' })
    unable.assertError(-32021)
  })

  test('prepares the HttpContext that handlers get', async () => {
    const client = mcp(WorkshopServer, (ctx) => {
      ctx.request.request.headers['x-probe'] = 'prepared'
    })
    const reply = await client.tool(named('injected'))
    reply.assertOk().assertSee('prepared')
  })
})
