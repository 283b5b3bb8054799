import { AuthorizationResponse, Bouncer } from '@adonisjs/bouncer'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { Prompt, Tool } from '#kit/mcp/primitives'
import type { McpRequest } from '#kit/mcp/request'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import type User from '#models/user'
import { mcp } from '#kit/testing/mcp'

const publish = Bouncer.ability((user: User) =>
  user.fullName === 'Ann' ? true : AuthorizationResponse.deny('Only Ann publishes posts.')
)
const remove = Bouncer.ability(() => false)

class Publish extends Tool {
  static override name = 'publish'
  static override description = 'Asks a policy'

  async handle(_args: object, { caller }: McpRequest) {
    await new Bouncer<User>(caller!.user).authorize(publish)
    return Response.text('published')
  }
}

class Remove extends Tool {
  static override name = 'remove'
  static override description = 'Asks a policy that says no more than no'

  async handle(_args: object, { caller }: McpRequest) {
    await new Bouncer<User>(caller!.user).authorize(remove)
    return Response.text('removed')
  }
}

class Draft extends Prompt {
  static override name = 'draft'
  static override description = 'Asks a policy'

  async handle(_args: object, { caller }: McpRequest) {
    await new Bouncer<User>(caller!.user).authorize(publish)
    return Response.text('Write a post')
  }
}

class PoliciesServer extends Server {
  static override name = 'policies'
  static override tools = () => [Publish, Remove]
  static override prompts = () => [Draft]
}

test.group('MCP | Policies', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('a refusal of a policy is an error result with its words, and no challenge', async ({
    assert,
  }) => {
    const [ann, bob] = await UserFactory.merge([
      { fullName: 'Ann' },
      { fullName: 'Bob' },
    ]).createMany(2)
    const refused = await mcp(PoliciesServer).as(bob!).tool(Publish)
    refused.assertToolError('Only Ann publishes posts.')
    assert.isEmpty(refused.failures)
    const allowed = await mcp(PoliciesServer).as(ann!).tool(Publish)
    allowed.assertOk().assertSee('published')
  })

  test('a policy without words is an error result that says so', async () => {
    const user = await UserFactory.create()
    const refused = await mcp(PoliciesServer).as(user).tool(Remove)
    refused.assertToolError('Access denied')
  })

  test('a refusal in a prompt is -32602 with its words', async ({ assert }) => {
    const user = await UserFactory.merge({ fullName: 'Bob' }).create()
    const refused = await mcp(PoliciesServer).as(user).prompt(Draft)
    refused.assertError(-32602)
    assert.equal(refused.error!.message, 'Only Ann publishes posts.')
  })
})
