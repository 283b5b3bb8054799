import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { appUrl } from '#config/app'
import { UserFactory } from '#database/factories/user_factory'
import { middleware } from '#start/kernel'
import { Auth } from '#kit/auth/facade'
import { InputRequest, type McpRequest } from '#kit/mcp/request'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import { Tool } from '#kit/mcp/primitives'
import { Session } from '#kit/session/facade'
import { meta, mirror } from '#starter/helpers/mcp_wire'

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

const TOKENS = '/mcp/members/tokens'
const BOTH = '/mcp/members/both'

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
MembersServer.router(TOKENS).use([
  middleware.auth({ guards: ['oauth', 'api'] }),
  middleware.scopes(['posts:read']),
])
MembersServer.router(BOTH)
  .protect({ scopes: ['mcp:use'] })
  .use(middleware.scopes(['posts:read']))

class AskFacades extends Tool {
  static override name = 'ask_facades'
  static override description = 'Asks the facades who calls'

  async handle() {
    const [user, id, check] = await Promise.all([Auth.user(), Auth.id(), Auth.check()])
    return Response.structure({ user, id, check, session: await Session.id() })
  }
}

/** A server of an app that knows its callers by a header. */
class HeaderServer extends Server {
  static override name = 'by_header'

  static override caller(ctx: HttpContext) {
    const id = ctx.request.header('x-caller')
    return id === undefined ? null : { id, user: { id }, scopes: ['*'] }
  }

  static override tools() {
    return [Remember, AskFacades]
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

  test('facades that ask for a session find none', async ({ client, assert }) => {
    const response = await client
      .post('/mcp/by-header')
      .loginAs(await UserFactory.create())
      .headers(mirror('tools/call', { name: 'ask_facades' }))
      .json(call('ask_facades'))
    const { structuredContent } = response.body().result
    assert.deepEqual(structuredContent, { user: null, id: null, check: false, session: null })
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

test.group('MCP | Middleware on a mount', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const metadata = (path: string) =>
    `resource_metadata="${appUrl}/.well-known/oauth-protected-resource${path}"`

  /* feature: oauth2 */
  test('challenges as protect does, in JSON whatever is accepted', async ({ client, assert }) => {
    const anonymous = await client.post(TOKENS).header('accept', 'text/html').json(LIST)
    anonymous.assertStatus(401)
    anonymous.assertHeader('www-authenticate', `Bearer scope="posts:read", ${metadata(TOKENS)}`)
    assert.match(anonymous.header('content-type')!, /^application\/json/)

    const wrong = await client.post(TOKENS).bearerToken('wrong').json(LIST)
    wrong.assertStatus(401)
    wrong.assertHeader(
      'www-authenticate',
      `Bearer error="invalid_token", scope="posts:read", ${metadata(TOKENS)}`
    )

    const poor = await client
      .post(TOKENS)
      .withApiToken(await UserFactory.create(), ['posts:write'])
      .json(LIST)
    poor.assertStatus(403)
    poor.assertHeader(
      'www-authenticate',
      `Bearer error="insufficient_scope", scope="posts:write posts:read", ${metadata(TOKENS)}`
    )
  })
  /* /feature */

  test('its metadata names the mount, and tokens that are bound to it are accepted', async ({
    client,
  }) => {
    const document = await client.get(`/.well-known/oauth-protected-resource${TOKENS}`)
    document.assertStatus(200)
    document.assertBodyContains({
      resource: `${appUrl}${TOKENS}`,
      scopes_supported: ['posts:read'],
    })
    const user = await UserFactory.create()
    const scopes = ['posts:read'] as const
    const bound = await client
      .post(TOKENS)
      .withOAuthToken(user, { scopes, resource: `${appUrl}${TOKENS}` })
      .json(LIST)
    bound.assertStatus(200)
    const unbound = await client.post(TOKENS).withOAuthToken(user, { scopes }).json(LIST)
    unbound.assertStatus(200)
    for (const resource of [`${appUrl}${BOTH}`, `${appUrl}/mcp/conformance`]) {
      const other = await client.post(TOKENS).withOAuthToken(user, { scopes, resource }).json(LIST)
      other.assertStatus(401)
    }
  })

  /* feature: api_token */
  test('a mount whose middleware takes no access tokens has no metadata', async ({
    client,
    assert,
  }) => {
    const document = await client.get('/.well-known/oauth-protected-resource/mcp/members')
    document.assertStatus(404)
    const anonymous = await client.post('/mcp/members').json(LIST)
    assert.equal(anonymous.header('www-authenticate'), 'Bearer')
  })
  /* /feature */

  test('on a protected mount, it judges the caller that the mount has authenticated', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const poor = await client.post(BOTH).withMcpToken(user).json(LIST)
    poor.assertStatus(403)
    poor.assertHeader(
      'www-authenticate',
      `Bearer error="insufficient_scope", scope="mcp:use posts:read", ${metadata(BOTH)}`
    )
    const granted = await client.post(BOTH).withMcpToken(user, ['mcp:use', 'posts:read']).json(LIST)
    granted.assertStatus(200)
  })

  /* feature: api_token, oauth2 */
  test('a page of another origin is refused before the middleware runs', async ({ client }) => {
    const response = await client.post(TOKENS).header('origin', 'https://evil.example').json(LIST)
    response.assertStatus(403)
    response.assertBodyContains({ jsonrpc: '2.0' })
  })
  /* /feature */
})
