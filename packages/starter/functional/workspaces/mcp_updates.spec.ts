import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { Resource } from '#kit/mcp/primitives'
import { Server } from '#kit/mcp/server'
import { resourceUpdated } from '#kit/mcp/subscriptions/subscriptions'
import { middleware } from '#start/kernel'
import { openStream, until } from '#starter/helpers/mcp_subscriptions'
import { meta, mirror } from '#starter/helpers/mcp_wire'
import { signedIn } from '#starter/helpers/visitor'
import { postIn, team, useWorkspaces } from '#starter/helpers/workspaces'

const LATEST = 'blog://posts/latest'
const STATUS = 'blog://status'
const PATH = '/mcp/workspace_updates'

class Latest extends Resource {
  static override uri = LATEST
  static override name = 'latest'
  static override subscribable = true
  read = () => 'posts'
}

class Status extends Latest {
  static override uri = STATUS
  static override name = 'status'
}

class UpdatesServer extends Server {
  static override name = 'workspace_updates'
  static override resources = () => [Latest, Status]
}

UpdatesServer.router(PATH).use([
  middleware.optionalAuth({ guards: ['api'] }),
  middleware.workspace({ optional: true }),
])

const open = new Set<() => void>()

/** Listens for both resources; `next` is the URI of the next update. */
async function listen(headers: Record<string, string> = {}) {
  const params = { _meta: meta(), notifications: { resourceSubscriptions: [LATEST, STATUS] } }
  const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
  const stream = await openStream(PATH, message, { ...mirror('subscriptions/listen'), ...headers })
  open.add(stream.close)
  await stream.next()
  return { next: async () => (await stream.next()).params.uri as string }
}

test.group('Updates of MCP resources and their workspaces', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))
  group.each.teardown(async () => {
    open.forEach((close) => close())
    open.clear()
    await until(0)
  })

  test('a change in one workspace is told to who works there, and to nobody else', async ({
    assert,
  }) => {
    const [one, two] = [await signedIn(), await signedIn()]
    const [here, there] = [await team(one.user), await team(two.user)]
    const listenAs = async ({ user }: typeof one, id: number) => {
      const { plainText } = await ApiToken.create(user, { context: { workspace_id: id } })
      return listen({ authorization: `Bearer ${plainText}` })
    }
    const member = await listenAs(one, here.id)
    const others = [await listenAs(two, there.id), await listen()]
    await postIn(here.id, one.user)
    assert.equal(await member.next(), LATEST)
    /* What belongs to no workspace is told to all, and is the first that the others hear of. */
    await resourceUpdated(STATUS)
    for (const stream of [member, ...others]) {
      assert.equal(await stream.next(), STATUS)
    }
  })

  test('visitors hear of changes in the common workspace, and of none in a team', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await useWorkspaces({ common: true }))
    const { user } = await signedIn()
    const { id } = await team(user)
    const visitor = await listen()
    await postIn(id, user)
    await resourceUpdated(STATUS)
    assert.equal(await visitor.next(), STATUS)
    await postIn(0, user)
    assert.equal(await visitor.next(), LATEST)
  })
})
