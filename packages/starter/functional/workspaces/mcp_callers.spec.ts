import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import type { ApiClient } from '@japa/api-client'
import testUtils from '@adonisjs/core/services/test_utils'

import { UserFactory } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import { Tool } from '#kit/mcp/primitives'
import { mcp } from '#kit/testing/mcp'
import { middleware } from '#start/kernel'
import { meta, mirror } from '#starter/helpers/mcp_wire'
import { signedIn } from '#starter/helpers/visitor'
import { team, useWorkspaces } from '#starter/helpers/workspaces'

const PATH = '/mcp/workspace_tasks'
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

class Report extends Tool {
  static override name = 'report'
  static override description = 'Reports on the workspace'
  static override taskSupport = 'required' as const

  handle() {
    return Response.text('secret of the team')
  }
}

class ReportServer extends Server {
  static override name = 'workspace_tasks'
  static override tools = () => [Report]
}

@inject()
class Place extends Tool {
  static override name = 'place'
  static override description = 'Tells where its caller works'

  constructor(protected ctx: HttpContext) {
    super()
  }

  handle() {
    const { id, role } = this.ctx.workspace
    return Response.structure({ id, role })
  }
}

class PlaceServer extends Server {
  static override name = 'places'
  static override tools = () => [Place]
}

const OPEN = '/mcp/places'
PlaceServer.router(OPEN)
  .protect({ optional: true })
  .use(middleware.workspace({ optional: true }))

ReportServer.router(PATH).use([middleware.auth({ guards: ['api'] }), middleware.workspace()])

async function send(client: ApiClient, token: string, method: string, params: Record<string, any>) {
  const headers = { ...mirror(method, params), 'mcp-name': params.name ?? params.taskId }
  const sent = { ...params, _meta: meta({ clientCapabilities: TASKS }) }
  const response = await client
    .post(PATH)
    .bearerToken(token)
    .headers(headers)
    .json({ jsonrpc: '2.0', id: 1, method, params: sent })
  return response.body()
}

test.group('MCP callers and their workspaces', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  test('nobody works in the common workspace, and is asked to sign in where there is none', async ({
    client,
    assert,
    cleanup,
  }) => {
    const params = { name: 'place' }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const refused = await client.post(OPEN).json(call)
    refused.assertStatus(401)
    assert.match(refused.body().error.message, /signed-in user/)
    cleanup(await useWorkspaces({ common: true }))
    const common = await client.post(OPEN).json(call)
    assert.deepEqual(common.body().result?.structuredContent, { id: 0, role: null })
  })

  test('mcp().as() calls in the workspace that the token is bound to, with the role there', async ({
    assert,
  }) => {
    const [owner, member] = await UserFactory.createMany(2)
    const { id } = await team(owner!, { member: member! })
    const place = await mcp(PlaceServer).as(member!, [], { workspace_id: id }).tool(Place)
    place.assertOk().assertStructured({ id, role: 'member' })
    const own = await mcp(PlaceServer).as(member!, []).tool(Place)
    assert.notEqual(own.result.structuredContent.id, id)
  })

  test('a task of one workspace is none of another, whoever has tokens for both', async ({
    client,
    assert,
  }) => {
    const { user } = await signedIn()
    const [one, two] = [await team(user), await team(user)]
    const tokenFor = async (id: number) => {
      const context = { workspace_id: id }
      const { plainText } = await ApiToken.create(user, { context })
      return plainText
    }
    const [own, other] = [await tokenFor(one.id), await tokenFor(two.id)]
    const started = await send(client, own, 'tools/call', { name: 'report' })
    const { taskId } = started.result
    assert.isString(taskId, JSON.stringify(started))
    const seen = await send(client, own, 'tasks/get', { taskId })
    assert.equal(seen.result?.taskId, taskId)
    const hidden = await send(client, other, 'tasks/get', { taskId })
    assert.equal(hidden.error?.code, -32602, JSON.stringify(hidden))
  })
})
