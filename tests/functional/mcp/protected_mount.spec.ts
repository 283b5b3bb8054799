import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { middleware } from '#start/kernel'
import { InputRequest } from '#mcp/input_request'
import type { McpRequest } from '#mcp/request'
import { Response } from '#mcp/response'
import { Server } from '#mcp/server'
import { Tool } from '#mcp/tool'
import { meta, mirror } from '#tests/helpers/mcp_wire'

const questions = {
  sure: InputRequest.elicit('Sure?', { type: 'object', properties: { yes: { type: 'boolean' } } }),
}

@inject()
class WhoAmI extends Tool {
  static override name = 'who_am_i'
  static override description = 'Tells who calls'

  constructor(protected ctx: HttpContext) {
    super()
  }

  handle() {
    return Response.structure({ id: this.ctx.auth.getUserOrFail().id })
  }
}

class Remember extends Tool {
  static override name = 'remember'
  static override description = 'Gives the caller a state, and takes it back'

  handle(_args: object, request: McpRequest) {
    return request.state
      ? Response.text('welcome back')
      : Response.inputRequired(questions, { seen: true })
  }
}

class MembersServer extends Server {
  static override name = 'members'

  static override tools() {
    return [WhoAmI, Remember]
  }
}

MembersServer.router('/mcp/members').use([
  middleware.auth({ guards: ['api'] }),
  middleware.scopes(['posts:read']),
])
/** A server of an app that knows its callers by a header. */
class HeaderServer extends Server {
  static override name = 'by_header'

  static override caller(ctx: HttpContext) {
    const id = ctx.request.header('x-caller')
    return id === undefined ? null : { id, user: { id }, scopes: ['*'] }
  }

  static override tools() {
    return [Remember]
  }
}

HeaderServer.router('/mcp/by-header')
MembersServer.router('/mcp/members/web').use(middleware.auth({ guards: ['web'] }))

function call(name: string, params: object = {}) {
  const metadata = meta({ clientCapabilities: { elicitation: {} } })
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, _meta: metadata, ...params },
  }
}

test.group('MCP | A protected mount', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('lets an API token through, and handlers know its user', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const response = await client
      .post('/mcp/members')
      .withApiToken(user, ['posts:read'])
      .headers(mirror('tools/call', { name: 'who_am_i' }))
      .json(call('who_am_i'))
    response.assertStatus(200)
    assert.deepEqual(response.body().result.structuredContent, { id: user.id })
  })

  test('answers 401 without credentials and 403 without the scope', async ({ client }) => {
    const anonymous = await client
      .post('/mcp/members')
      .headers(mirror('tools/call', { name: 'who_am_i' }))
      .json(call('who_am_i'))
    anonymous.assertStatus(401)
    anonymous.assertHeader('www-authenticate')

    const poor = await client
      .post('/mcp/members')
      .withApiToken(await UserFactory.create(), ['other'])
      .headers(mirror('tools/call', { name: 'who_am_i' }))
      .json(call('who_am_i'))
    poor.assertStatus(403)
    poor.assertBodyContains({ error: 'insufficient_scope' })
  })

  test('never takes a session for an answer, for it asks no CSRF token', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    for (const path of ['/mcp/members', '/mcp/members/web']) {
      const response = await client
        .post(path)
        .loginAs(user)
        .headers(mirror('tools/call', { name: 'who_am_i' }))
        .json(call('who_am_i'))
      assert.isAtLeast(response.status(), 400, path)
      assert.notInclude(response.text(), 'structuredContent')
    }
  })

  test('a server can say itself who calls', async ({ client, assert }) => {
    const send = (caller: string, params: object = {}) =>
      client
        .post('/mcp/by-header')
        .headers({ ...mirror('tools/call', { name: 'remember' }), 'x-caller': caller })
        .json(call('remember', params))

    const asked = await send('ann')
    const { requestState } = asked.body().result
    const own = await send('ann', { requestState })
    assert.equal(own.body().result.content[0].text, 'welcome back')
    const stolen = await send('bob', { requestState })
    assert.equal(stolen.body().error.code, -32602)
  })

  test('a state goes back to the user who got it, and to nobody else', async ({
    client,
    assert,
  }) => {
    const [ann, bob] = await UserFactory.createMany(2)
    const send = (user: typeof ann, params: object = {}) =>
      client
        .post('/mcp/members')
        .withApiToken(user!, ['posts:read'])
        .headers(mirror('tools/call', { name: 'remember' }))
        .json(call('remember', params))

    const asked = await send(ann)
    const { requestState } = asked.body().result
    const own = await send(ann, { requestState })
    assert.equal(own.body().result.content[0].text, 'welcome back')
    const stolen = await send(bob, { requestState })
    assert.equal(stolen.body().error.code, -32602)
  })
})
