import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

import { appUrl } from '#config/app'
import { UserFactory } from '#database/factories/user_factory'
import { middleware } from '#start/kernel'
import { keepLogs, logOf } from '#starter/helpers/commands'
import '#starter/helpers/fixtures/mcp/counting_server'
import { VaultServer } from '#starter/helpers/fixtures/mcp/vault_server'
import { mcp } from '#kit/testing/mcp'
import type { ServerClass } from '#kit/mcp/server'
import type { AppClass, PromptClass, ResourceClass, ToolClass } from '#kit/mcp/types'

/** Kept apart from the application's own, and removed afterwards. */
const FOLDER = 'made_by_tests'

VaultServer.router('/mcp/vault/tokens').use(middleware.auth({ guards: ['api'] }))

test.group('MCP commands | make', (group) => {
  group.setup(keepLogs)
  group.each.teardown(async () => {
    for (const kind of ['apps', 'servers', 'tools', 'prompts', 'resources']) {
      await rm(app.makePath('app/mcp', kind, FOLDER), { recursive: true, force: true })
    }
    await rm(app.viewsPath('mcp', FOLDER), { recursive: true, force: true })
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
    const { Server } = await import('#kit/mcp/server')
    return class extends Server {
      static override name = 'made'
      static override tools = () => (offers.tool ? [offers.tool] : null)
      static override prompts = () => (offers.prompt ? [offers.prompt] : null)
      static override resources = () => (offers.resource ? [offers.resource] : null)
    }
  }

  test('make:mcp-tool writes a tool that answers, and knows its user', async () => {
    const tool = await make<ToolClass>('tool', 'CountStars')
    const client = mcp(await serverOf({ tool }))
    const reply = await client.tool(tool, { text: 'hello' })
    reply.assertOk().assertSee('hello')
    const user = await UserFactory.make()
    user.id = 7
    const mine = await client.as(user, [...tool.scopes]).tool(tool, { text: 'Hi' })
    mine.assertOk().assertStructured({ text: 'Hi', userId: 7 })
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

  test('make:mcp-app writes an app and its page, which has what connects it with its host', async ({
    assert,
  }) => {
    const made = await make<AppClass>('app', 'StarCard')
    const reply = await mcp(await serverOf({ resource: made })).resource(made)
    reply.assertOk().assertSee('const mcpHost = ').assertSee('<title>StarCard</title>')
    assert.deepEqual(reply.result.contents[0]._meta.ui.csp, {
      connectDomains: [],
      resourceDomains: [],
    })
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
    await writeFile(path, '/* mine */')
    await ace.exec('make:mcp-tool', [`${FOLDER}/CountStars`])
    assert.equal(await readFile(path, 'utf8'), '/* mine */')
    await ace.exec('make:mcp-tool', [`${FOLDER}/CountStars`, '--force'])
    assert.notEqual(await readFile(path, 'utf8'), '/* mine */')
  })
})

test.group('MCP commands | mcp:list', (group) => {
  group.setup(keepLogs)

  test('shows where each server is mounted and what it offers', async ({ assert }) => {
    const command = await ace.exec('mcp:list', ['--json'])
    command.assertSucceeded()
    const output = logOf(command)
    const servers: Record<string, any>[] = JSON.parse(output)

    const counting = servers.find(({ name }) => name === 'counting')!
    assert.equal(counting.path, '/mcp/counting')
    assert.equal(counting.url, `${appUrl}/mcp/counting`)
    assert.equal(counting.access, 'open')
    assert.deepInclude(counting.offers, {
      kind: 'tool',
      name: 'count_words',
      description: 'Counts the words of a text',
    })
    const accessOf = (mount: string) => servers.find(({ path }) => path === mount)!.access
    assert.equal(accessOf('/mcp/open'), 'open, token for some')
    assert.equal(accessOf('/mcp/vault/tokens'), 'token')
    assert.equal(accessOf('/mcp/vault/lobby'), 'open, sign-in for some')
    assert.equal(accessOf('/mcp/vault'), 'sign-in')
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
    const output = logOf(command)
    assert.include(output, 'count_words')
    assert.include(output, `${appUrl}/mcp/counting (open)`)
    assert.match(output, /^By the URL alone connect Claude Code, .*mcp-remote.* cannot register/m)
    assert.include(output, '--grace-period=60', 'their calls refresh at once')
  })
})

test.group('MCP commands | mcp:inspector', (group) => {
  group.setup(keepLogs)

  /** Puts an npx on the path that only writes down what it was asked to run. */
  async function recordNpx() {
    const folder = await mkdtemp(join(tmpdir(), 'npx-'))
    const seen = join(folder, 'seen')
    const script = `#!/bin/sh\nprintf '%s\\n' "$@" > "${seen}"\nexit 3\n`
    await writeFile(join(folder, 'npx'), script, { mode: 0o755 })
    const path = process.env.PATH
    process.env.PATH = `${folder}${delimiter}${path}`
    getActiveTest()!.cleanup(async () => {
      process.env.PATH = path
      await rm(folder, { recursive: true })
    })
    return async () => (await readFile(seen, 'utf8')).trim().split('\n')
  }

  test('opens the Inspector on the URL of a mount, and ends with its exit code', async ({
    assert,
  }) => {
    const asked = await recordNpx()
    const command = await ace.exec('mcp:inspector', ['counting'])
    assert.equal(command.exitCode, 3)
    assert.deepEqual(await asked(), [
      '--yes',
      '@modelcontextprotocol/inspector',
      '--transport',
      'http',
      '--server-url',
      `${appUrl}/mcp/counting`,
    ])
  })

  test('hands what follows to the command line of the Inspector', async ({ assert }) => {
    const asked = await recordNpx()
    const rest = ['--', '--method', 'tools/call', '--tool-arg', 'text=a b']
    await ace.exec('mcp:inspector', ['counting', '--cli', ...rest])
    assert.deepEqual((await asked()).slice(2), [
      '--cli',
      `${appUrl}/mcp/counting`,
      '--transport',
      'http',
      '--method',
      'tools/call',
      '--tool-arg',
      'text=a b',
    ])
  })

  test('an unknown server is an error', async ({ assert }) => {
    const command = await ace.exec('mcp:inspector', ['nope'])
    assert.equal(command.exitCode, 1)
    command.assertLogMatches(/There is no server "nope"/)
  })
})
