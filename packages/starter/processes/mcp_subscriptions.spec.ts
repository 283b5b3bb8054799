import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { connectAs, SDKS } from '#starter/helpers/mcp_client'
import { subscribe } from '#starter/helpers/mcp_subscriptions'
import { redisIsThere } from '#starter/helpers/redis'
import { startServer, startTogether, stopServer } from '#starter/helpers/server_process'

const LATEST = 'blog://posts/latest'
const SCOPES = ['mcp:use', 'posts:read', 'posts:write']

const BUSES: { name: string; env: Record<string, string> }[] = [
  { name: 'the database', env: {} },
  ...(redisIsThere ? [{ name: 'Redis', env: { MCP_REDIS_CONNECTION: 'main' } }] : []),
]

for (const { name, env } of BUSES) {
  test.group(`MCP subscriptions across processes, by ${name}`, (group) => {
    const started = startTogether(group, {
      here: (cleanup) => startServer(env, { cleanup }),
      elsewhere: (cleanup) => startServer(env, { cleanup }),
    })

    test('{name}: a post that one process writes is told by the other, until it stops')
      .with(SDKS.filter((sdk) => sdk.name !== 'SDK v2, auto'))
      .run(async ({ assert, cleanup }, sdk) => {
        const user = await UserFactory.create()
        cleanup(() => user.delete())
        const as = async (server: string) => connectAs(sdk, user, { scopes: SCOPES, server })
        const listener = await as(await started.here)
        const writer = await as(await started.elsewhere)
        const subscription = await subscribe(listener, LATEST)
        for (const title of ['One', 'Two']) {
          const told = subscription.next()
          await writer.callTool({ name: 'create_post', arguments: { title, body: 'Text' } })
          await told
        }
        assert.deepEqual([...new Set(subscription.uris)], [LATEST])
        await subscription.end()
        await Promise.all([listener.close(), writer.close()])
      })

    test('a server that stops ends its streams with a result', async ({ assert, cleanup }) => {
      const user = await UserFactory.create()
      cleanup(() => user.delete())
      const server = await started.here
      const sdk = SDKS.find((one) => one.name === 'SDK v2, pinned')!
      const client = await connectAs(sdk, user, { scopes: SCOPES, server })
      const { closed } = await subscribe(client, LATEST)
      assert.equal(await stopServer(server), 0)
      assert.equal(await closed, 'graceful')
      await client.close()
    })
  })
}
