import { once } from 'node:events'
import { PassThrough } from 'node:stream'

import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import type { McpRequest } from '#kit/mcp/request'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import { createLocalContext, serveStdio, StdioTransport } from '#kit/mcp/stdio'
import { Resource, Tool } from '#kit/mcp/primitives'
import { UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import '#starter/helpers/fixtures/mcp/vault_server'
import { meta } from '#starter/helpers/mcp_wire'
import { mcp } from '#kit/testing/mcp'
import { useWorkspaces } from '#starter/helpers/workspaces'

let started = Promise.withResolvers<AbortSignal>()

class Wait extends Tool {
  static override name = 'wait'
  static override description = 'Waits until it is aborted'

  async handle(_args: object, request: McpRequest) {
    request.progress(1)
    started.resolve(request.signal)
    await once(request.signal, 'abort')
    return Response.text('too late')
  }
}

class Version extends Tool {
  static override name = 'version'
  static override description = 'Tells the revision of the request'

  handle(_args: object, request: McpRequest) {
    return Response.text(request.protocolVersion)
  }
}

class News extends Resource {
  static override uri = 'local://news'
  static override name = 'news'
  static override subscribable = true
  read = () => 'none'
}

@inject()
class Place extends Tool {
  static override name = 'place'
  static override description = 'Tells where its caller works'

  constructor(protected ctx: HttpContext) {
    super()
  }

  handle() {
    return Response.structure({ role: this.ctx.workspace.role })
  }
}

class PlaceServer extends Server {
  static override name = 'place'
  static override tools = () => [Place]
}

class LocalServer extends Server {
  static override name = 'local'
  static override resources = () => [News]
  static override tools = () => [Wait, Version]
}

/** A client at the other end. */
async function connect(context = () => createLocalContext(app)) {
  const manager = await app.container.make('mcp')
  const definition = await manager.definition(LocalServer)
  const [input, output] = [new PassThrough(), new PassThrough()]
  const lines = output[Symbol.asyncIterator]()
  const transport = new StdioTransport(output, async () => ({
    definition,
    config: manager.config,
    protection: null,
    ctx: await context(),
    caller: null,
    announce: () => {},
    count: async () => {},
    tasks: manager.tasks,
    subscriptions: manager.subscriptions,
  }))
  const ended = transport.serve(input)
  return {
    ended,
    input,
    send: (message: unknown) => input.write(`${JSON.stringify(message)}\n`),
    receive: async () => JSON.parse(String((await lines.next()).value)),
  }
}

const request = (method: string, params: object = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const call = (name: string, params: object = {}, id = 1) =>
  request('tools/call', { name, ...params }, id)
const initialize = request('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})

test.group('MCP over stdio', (group) => {
  group.each.setup(() => {
    started = Promise.withResolvers()
  })

  test('keeps the version that the client negotiated', async ({ assert }) => {
    const client = await connect()
    client.send(initialize)
    const { result } = await client.receive()
    assert.equal(result.protocolVersion, '2025-06-18')
    client.send(call('version'))
    const answer = await client.receive()
    assert.equal(answer.result.content[0].text, '2025-06-18')
  })

  test('takes modern requests, which have no headers to match', async ({ assert }) => {
    const client = await connect()
    client.send(call('version', { _meta: meta() }))
    const { result } = await client.receive()
    assert.equal(result.resultType, 'complete')
    assert.equal(result.content[0].text, '2026-07-28')
  })

  test('a line that is no message is an error, and the next one is answered', async ({
    assert,
  }) => {
    const client = await connect()
    client.input.write('{"jsonrpc"\n\n')
    const broken = await client.receive()
    assert.equal(broken.error.code, -32700)
    client.send(request('ping', {}, 'next'))
    const { id } = await client.receive()
    assert.equal(id, 'next')
  })

  test('a newline alone ends a line, wherever the input is cut', async ({ assert }) => {
    const client = await connect()
    const ids = ['a\u2028b', 'a\u2029b', 'a\u0085b']
    for (const id of ids) {
      const bytes = Buffer.from(`${JSON.stringify(request('ping', {}, id))}\r\n`)
      const middle = bytes.indexOf(Buffer.from(id)) + 2
      client.input.write(bytes.subarray(0, middle))
      client.input.write(bytes.subarray(middle))
      const answer = await client.receive()
      assert.equal(answer.id, id)
    }
    client.input.end(JSON.stringify(request('ping', {}, 'last')))
    const last = await client.receive()
    assert.equal(last.id, 'last')
  })

  test('a line that is not UTF-8 is refused', async ({ assert }) => {
    const client = await connect()
    client.input.write(Buffer.from(`${JSON.stringify(request('ping', {}, '\u00ff'))}\n`, 'latin1'))
    const { error } = await client.receive()
    assert.equal(error.code, -32700)
  })

  test('notifications come before the answer, and a cancelled call has none: {era}')
    .with([
      { era: 'legacy', _meta: { progressToken: 1 } },
      { era: 'modern', _meta: meta({ progressToken: 1 }) },
    ])
    .run(async ({ assert }, { _meta }) => {
      const client = await connect()
      client.send(call('wait', { _meta }, 7))
      const progress = await client.receive()
      assert.equal(progress.method, 'notifications/progress')
      const signal = await started.promise
      client.send({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 7 },
      })
      client.send(request('ping', {}, 8))
      const next = await client.receive()
      assert.equal(next.id, 8)
      assert.isTrue(signal.aborted)
    })

  test('a subscription is acknowledged, and stays until the client closes its end', async ({
    assert,
  }) => {
    const client = await connect()
    const notifications = { resourceSubscriptions: ['local://news'] }
    client.send(request('subscriptions/listen', { _meta: meta(), notifications }))
    const { method, params } = await client.receive()
    assert.equal(method, 'notifications/subscriptions/acknowledged')
    assert.deepEqual(params.notifications, notifications)
    client.input.end()
    await client.ended
  })

  test('a call while the database is away is an error, and the next one is answered', async ({
    assert,
  }) => {
    let fails = true
    const context = () =>
      fails
        ? Promise.reject(new Error('Connection terminated unexpectedly'))
        : createLocalContext(app)
    const client = await connect(context)
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    client.send(call('version'))
    const { id, error } = await client.receive()
    const message = 'Temporarily unavailable. Try again in 5 seconds'
    assert.deepEqual([id, error.code, error.message], [1, -32603, message])

    fails = false
    client.send(call('version', {}, 2))
    assert.containsSubset(await client.receive(), { id: 2, result: {} })
    client.input.end()
    await client.ended
  })

  test('a client that closes its end stops the calls that run', async ({ assert }) => {
    const client = await connect()
    client.send(call('wait'))
    const signal = await started.promise
    client.input.end()
    await client.ended
    assert.isTrue(signal.aborted)
  })
})

test.group('MCP over stdio | Who calls', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  /** The text of the tool `open`, which needs a scope, or the error of the call. */
  async function open(name: string, user?: string, message: object = call('open')) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    input.write(`${JSON.stringify(message)}\n`)
    const served = serveStdio(app, { name, input, output, ...(user !== undefined && { user }) })
    const answered = once(output, 'data')
    await Promise.race([answered, served])
    input.end()
    await served
    const { result, error } = JSON.parse(String((await answered)[0]))
    return result?.content[0].text ?? error.message
  }

  test('nobody is told to name a user, because OAuth is of no use here', async ({ assert }) => {
    const message = await open('blog', undefined, call('my_posts'))
    assert.match(message, /^This needs a signed-in user.* with --user in the command/)
    assert.notInclude(message, 'OAuth')
  })

  test('a user has every scope, whatever the case of their address', async ({ assert }) => {
    const user = await UserFactory.create()
    assert.equal(await open('vault', user.email), `opened by ${user.id}`)
    assert.equal(await open('vault', user.email.toUpperCase()), `opened by ${user.id}`)
  })

  test('a closed server needs one', async ({ assert }) => {
    await assert.rejects(
      () => open('vault'),
      'The MCP server "vault" is closed to strangers: name a user with --user'
    )
  })

  test('an unknown server and an unknown or inactive user are named', async ({ assert }) => {
    const user = await UserFactory.merge({ isActive: false }).create()
    await assert.rejects(() => open('none'), 'There is no MCP server "none": see mcp:list')
    for (const username of ['nobody@example.com', user.email]) {
      const message = `There is no active user "${username}"`
      await assert.rejects(() => open('vault', username), message)
    }
  })

  /** Asks for the tool `open` as a user, again and again in one session. */
  function session({ email }: User) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const served = serveStdio(app, { name: 'vault', user: email, input, output })
    const lines = output[Symbol.asyncIterator]()
    return {
      async open() {
        input.write(`${JSON.stringify(call('open'))}\n`)
        const { result, error } = JSON.parse(String((await lines.next()).value))
        return result?.content[0].text ?? error.message
      },
      async end() {
        input.end()
        await served
      },
    }
  }

  test('a session acts for nobody after {name}')
    .with([
      {
        name: 'the deactivation of its user',
        end: (user: User) => user.merge({ isActive: false }).save(),
      },
      { name: 'the end of their account', end: (user: User) => user.delete() },
    ])
    .run(async ({ assert }, { end }) => {
      const user = await UserFactory.create()
      const client = session(user)
      assert.equal(await client.open(), `opened by ${user.id}`)
      await end(user)
      assert.equal(await client.open(), 'Internal error')
      await client.end()
    })

  test('a session acts for its user, also when another person has their address by now', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const client = session(user)
    assert.equal(await client.open(), `opened by ${user.id}`)
    const { email } = user
    await user.merge({ email: 'moved@example.com' }).save()
    await UserFactory.merge({ email }).create()
    assert.equal(await client.open(), `opened by ${user.id}`)
    await client.end()
  })

  test('an open server takes nobody, whose calls need a user where they need a scope', async ({
    assert,
  }) => {
    assert.match(await open('lobby'), /^This needs a signed-in user.* with --user in the command/)
  })

  test('a user works in a workspace of their own, and nobody in none', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await useWorkspaces({ common: false }))
    const { email } = await UserFactory.create()
    const create = call('create_post', { arguments: { title: 'Mine', body: 'Text' } })
    const search = call('search_posts', { arguments: { query: 'mine' } })
    const created = await open('blog', email, create)
    const { posts } = JSON.parse(await open('blog', email, search))
    assert.deepEqual([posts.length, posts[0].id], [1, JSON.parse(created).id])
    const { email: stranger } = await UserFactory.create()
    assert.deepEqual(JSON.parse(await open('blog', stranger, search)), { posts: [] })
    assert.match(await open('blog', undefined, search), /needs a signed-in user/)
  })

  test('handlers have ctx.workspace where tests call them', async ({ cleanup }) => {
    cleanup(await useWorkspaces({ common: false }))
    const user = await UserFactory.create()
    const reply = await mcp(PlaceServer).as(user).tool(Place)
    reply.assertOk().assertStructured({ role: 'owner' })
  })
})
