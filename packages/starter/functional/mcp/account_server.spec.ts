import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { appUrl } from '#config/app'
import { UserFactory } from '#database/factories/user_factory'
import AccountServer from '#mcp/servers/account_server'
import MyApiTokens from '#mcp/tools/my_api_tokens'
import WhoAmI from '#mcp/tools/who_am_i'
import { mcp } from '#kit/testing/mcp'
import { isolate, obtainTokens, registerClient } from '#starter/helpers/oauth'
import { signedIn } from '#starter/helpers/visitor'

const PATH = '/mcp/account'
const call = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name },
})

test.group('MCP account server', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('is closed to strangers, to cookies and to API tokens', async ({ client }) => {
    const user = await UserFactory.create()
    for (const request of [
      client.post(PATH),
      client.post(PATH).loginAs(user),
      client.post(PATH).withApiToken(user, ['account:read']),
    ]) {
      const response = await request.json({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      response.assertStatus(401)
    }
    const poor = await client.post(PATH).withMcpToken(user, ['mcp:use']).json(call('who_am_i'))
    poor.assertStatus(403)
  })

  test('who_am_i has the profile and nothing secret', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const response = await client.post(PATH).withMcpToken(user).json(call('who_am_i'))
    response.assertStatus(200)
    assert.deepEqual(response.body().result.structuredContent, {
      user: { id: user.id, email: user.email, full_name: user.fullName },
      client_id: null,
      scopes: ['account:read'],
    })
  })

  test('my_api_tokens has the tokens of the user and no others, without their secrets', async ({
    assert,
  }) => {
    const [user, other] = await UserFactory.createMany(2)
    const mine = await ApiToken.create(user!, 'laptop', ['posts:read'])
    await ApiToken.create(other!, 'theirs')
    const reply = await mcp(AccountServer).as(user!, ['account:read']).tool(MyApiTokens)
    reply.assertOk().assertDontSee('theirs')
    const { tokens } = reply.result.structuredContent
    assert.lengthOf(tokens, 1)
    assert.containsSubset(tokens[0], { name: 'laptop', abilities: ['posts:read'] })
    assert.notInclude(reply.text, mine.plainText.split('|')[1]!)
  })

  test('every tool needs the scope', async () => {
    const user = await UserFactory.create()
    for (const Tool of AccountServer.tools()) {
      const refused = await mcp(AccountServer).as(user, ['mcp:use']).tool(Tool)
      refused.assertError(-32600)
    }
    const granted = await mcp(AccountServer).as(user, ['account:read']).tool(WhoAmI)
    granted.assertOk()
  })
})

test.group('MCP account server | Sessions and connected apps', (group) => {
  group.each.setup(isolate)

  test('my_sessions has the living sessions of the user and no others', async ({
    client,
    assert,
  }) => {
    const { user } = await signedIn()
    await signedIn()
    const response = await client.post(PATH).withMcpToken(user).json(call('my_sessions'))
    response.assertStatus(200)
    const { sessions } = response.body().result.structuredContent
    assert.lengthOf(sessions, 1)
    assert.properties(sessions[0], ['browser', 'system', 'ipAddress', 'createdAt', 'expiresAt'])
    assert.isAbove(Date.parse(sessions[0].expiresAt), Date.now())
  })

  test('my_connected_apps has what each app may do where', async ({ client, assert }) => {
    const { visitor } = await signedIn()
    const registered = await registerClient()
    const resource = `${appUrl}${PATH}`
    await obtainTokens(visitor, registered, { scope: 'posts:read' })
    const { access_token: token } = await obtainTokens(visitor, registered, {
      scope: 'account:read',
      resource,
    })
    const response = await client.post(PATH).bearerToken(token).json(call('my_connected_apps'))
    response.assertStatus(200)
    const { apps } = response.body().result.structuredContent
    const known = apps.map(({ clientId, resource: at, scopes }: Record<string, unknown>) => ({
      clientId,
      at,
      scopes,
    }))
    assert.sameDeepMembers(known, [
      { clientId: registered.id, at: null, scopes: ['posts:read'] },
      { clientId: registered.id, at: resource, scopes: ['account:read'] },
    ])
  })
})
