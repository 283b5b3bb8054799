import { readFile, rm } from 'node:fs/promises'

import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { appUrl } from '#config/app'
import { mcp } from '#tests/helpers/mcp'
import type { PromptClass, ResourceClass, ServerClass, ToolClass } from '#mcp/types'

/** Kept apart from the application's own, and removed afterwards. */
const FOLDER = 'made_by_tests'

test.group('MCP commands | make', (group) => {
  group.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })
  group.each.teardown(async () => {
    for (const kind of ['servers', 'tools', 'prompts', 'resources']) {
      await rm(app.makePath('app/mcp', kind, FOLDER), { recursive: true, force: true })
    }
  })

  async function make<Class>(kind: string, name: string, ...flags: string[]): Promise<Class> {
    const command = await ace.exec(`make:mcp-${kind}`, [`${FOLDER}/${name}`, ...flags])
    command.assertSucceeded()
    const file = name.replace(/\B[A-Z]/g, '_$&').toLowerCase()
    const path = app.makePath('app/mcp', `${kind}s`, FOLDER, `${file}.ts`)
    await readFile(path)
    const { default: made } = await import(path)
    return made
  }

  async function serverOf(offers: {
    tool?: ToolClass
    prompt?: PromptClass
    resource?: ResourceClass
  }) {
    const { Server } = await import('#mcp/server')
    return class extends Server {
      static override name = 'made'
      static override tools = () => (offers.tool ? [offers.tool] : null)
      static override prompts = () => (offers.prompt ? [offers.prompt] : null)
      static override resources = () => (offers.resource ? [offers.resource] : null)
    }
  }

  test('make:mcp-tool writes a tool that answers', async () => {
    const tool = await make<ToolClass>('tool', 'CountStars')
    const reply = await mcp(await serverOf({ tool })).tool(tool, { text: 'hello' })
    reply.assertOk().assertSee('hello')
  })

  test('make:mcp-prompt writes a prompt that answers', async () => {
    const prompt = await make<PromptClass>('prompt', 'ExplainIt')
    const reply = await mcp(await serverOf({ prompt })).prompt(prompt, { topic: 'stars' })
    reply.assertOk().assertMessages([['user', 'Tell me about stars.']])
  })

  test('make:mcp-resource writes a resource, or a template of resources', async () => {
    const resource = await make<ResourceClass>('resource', 'StarMap')
    const reply = await mcp(await serverOf({ resource })).resource(resource)
    reply.assertOk().assertSee('Content')

    const template = await make<ResourceClass>('resource', 'OneStar', '--template')
    const server = await serverOf({ resource: template })
    const read = await mcp(server).resource('app://one_star/7')
    read.assertOk().assertSee('Content of 7')
  })

  test('make:mcp-server writes a server that starts', async ({ assert }) => {
    const made = await make<ServerClass>('server', 'StarServer')
    const reply = await mcp(made).send('tools/list')
    reply.assertOk()
    assert.deepEqual(reply.result.tools, [])
    assert.equal(made.name, 'star')
  })

  test('a file that is there is kept, unless --force says otherwise', async ({ assert }) => {
    await make('tool', 'CountStars')
    const path = app.makePath('app/mcp/tools', FOLDER, 'count_stars.ts')
    const { writeFile } = await import('node:fs/promises')
    await writeFile(path, '/* mine */')
    await ace.exec('make:mcp-tool', [`${FOLDER}/CountStars`])
    assert.equal(await readFile(path, 'utf8'), '/* mine */')
    await ace.exec('make:mcp-tool', [`${FOLDER}/CountStars`, '--force'])
    assert.notEqual(await readFile(path, 'utf8'), '/* mine */')
  })
})

test.group('MCP commands | mcp:list', (group) => {
  group.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

  test('shows where each server is mounted and what it offers', async ({ assert }) => {
    const command = await ace.exec('mcp:list', ['--json'])
    command.assertSucceeded()
    const output = command.ui.logger
      .getLogs()
      .map(({ message }) => message)
      .join('\n')
    const servers: Record<string, any>[] = JSON.parse(output)

    const blog = servers.find(({ name }) => name === 'blog')!
    assert.equal(blog.path, '/mcp')
    assert.equal(blog.url, `${appUrl}/mcp`)
    assert.equal(blog.access, 'open, sign-in for some')
    assert.deepInclude(blog.offers, {
      kind: 'tool',
      name: 'count_words',
      description: 'Counts the words of a text, in any language.',
    })
    const fixture = servers.find(({ path }) => path === '/mcp/conformance')!
    assert.deepInclude(fixture.offers, {
      kind: 'resource template',
      name: 'test://template/{id}/data',
      description: 'Data of an id',
    })
  })

  test('shows tables to people', async ({ assert }) => {
    const command = await ace.exec('mcp:list', [])
    command.assertSucceeded()
    const output = command.ui.logger
      .getLogs()
      .map(({ message }) => message)
      .join('\n')
    assert.include(output, 'count_words')
    assert.include(output, `${appUrl}/mcp (open, sign-in for some)`)
  })
})
