import { test } from '@japa/runner'

import MyPostsCard from '#mcp/apps/my_posts_card'
import { UserFactory } from '#database/factories/user_factory'
import DeletePost from '#mcp/tools/delete_post'
import '#starter/helpers/fixtures/mcp/counting_server'
import { connectAs, SDKS } from '#starter/helpers/mcp_client'
import { isolate } from '#starter/helpers/oauth'
import { legacy, modern, resultOf } from '#starter/helpers/mcp_wire'
import { App } from '#kit/mcp/apps/app'
import { ServerDefinition } from '#kit/mcp/definition/server_definition'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import { Tool } from '#kit/mcp/primitives'
import type { AppClass } from '#kit/mcp/types'

const EXTENSION = 'io.modelcontextprotocol/ui'
const SHOWS_APPS = { extensions: { [EXTENSION]: { mimeTypes: ['text/html;profile=mcp-app'] } } }

function serverWith(app: AppClass) {
  class Show extends Tool {
    static override name = 'show'
    static override description = 'Shows'
    static override app = app
    handle = () => Response.text('')
  }
  return class extends Server {
    static override name = 'apps'
    static override tools = () => [Show]
  }
}

const build = (app: AppClass) =>
  ServerDefinition.build(serverWith(app), { version: '1.0.0', pageSize: 50 })

test.group('MCP apps', (group) => {
  group.each.setup(isolate)

  test('the extension is declared in both eras, and by servers with an app alone', async ({
    assert,
  }) => {
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' } }
    const older = await resultOf(legacy('/mcp', 'initialize', hello))
    assert.deepEqual(older.capabilities.extensions, { [EXTENSION]: {} })
    const newer = await resultOf(modern('/mcp', 'server/discover'))
    assert.deepEqual(newer.capabilities.extensions, { [EXTENSION]: {} })
    const other = await resultOf(modern('/mcp/counting', 'server/discover'))
    assert.notProperty(other.capabilities, 'extensions')
  })

  test('{name}: a client that shows apps gets the page of a tool, and the tools of pages')
    .with(SDKS)
    .run(async ({ assert }, sdk) => {
      const user = await UserFactory.create()
      const options = { scopes: ['mcp:use', 'posts:read', 'posts:write'] }
      const client = await connectAs(sdk, user, { ...options, capabilities: SHOWS_APPS })
      const { tools } = await client.listTools()
      const metaOf = (name: string) => tools.find((tool) => tool.name === name)!._meta
      assert.deepEqual(metaOf('my_posts'), {
        ui: { resourceUri: MyPostsCard.uri, visibility: ['model', 'app'] },
      })
      assert.deepEqual(metaOf('delete_post'), { ui: { visibility: ['app'] } })
      assert.isUndefined(metaOf('create_post'))

      const { contents } = await client.readResource({ uri: MyPostsCard.uri })
      assert.containsSubset(contents, [
        { mimeType: 'text/html;profile=mcp-app', _meta: { ui: { prefersBorder: true } } },
      ])
      const result = await client.callTool({ name: 'delete_post', arguments: { id: 4711 } })
      assert.deepEqual(result.content, [{ type: 'text', text: 'There is no post 4711.' }])
      await client.close()
    })

  test('{name}: another client neither sees nor reaches a tool for pages alone')
    .with(SDKS)
    .run(async ({ assert }, sdk) => {
      const user = await UserFactory.create()
      const client = await connectAs(sdk, user, { scopes: ['mcp:use', 'posts:write'] })
      const { tools } = await client.listTools()
      assert.notInclude(
        tools.map(({ name }) => name),
        DeletePost.name
      )
      await assert.rejects(
        () => client.callTool({ name: 'delete_post', arguments: { id: 1 } }),
        /Unknown tool/
      )
      await client.close()
    })

  test('origins and permissions of a page are in the list and with its content', async ({
    assert,
  }) => {
    class Camera extends App {
      static override uri = 'ui://test/camera'
      static override name = 'camera'
      static override view = 'mcp/my_posts_card'
      static override csp = { connectDomains: ['https://api.example.com'] }
      static override permissions = ['camera'] as const
    }
    const ui = { csp: { connectDomains: ['https://api.example.com'] }, permissions: { camera: {} } }
    const definition = await build(Camera)
    const view = { caller: null, cacheScope: 'public', showsApps: false } as const
    const { resources } = JSON.parse(
      definition.lists.page('resources/list', 'legacy', undefined, view)
    )
    assert.deepEqual(resources[0]._meta, { ui })
    const [content] = await new Camera().read()
    assert.deepEqual(JSON.parse(JSON.stringify(content!._meta)), { ui })
  })

  test('an app has a URI that clients look for', async ({ assert }) => {
    class Elsewhere extends App {
      static override uri = 'https://example.com/page'
      static override name = 'elsewhere'
      static override view = 'mcp/my_posts_card'
    }
    await assert.rejects(() => build(Elsewhere), /needs a "uri" that begins with "ui:\/\/"/)
  })

  test('an app has a view, unless it reads its page from elsewhere', async ({ assert }) => {
    class Lost extends App {
      static override uri = 'ui://test/lost'
      static override name = 'lost'
      static override view = 'mcp/not_there'
    }
    class Own extends Lost {
      static override name = 'own'
      override async read() {
        return []
      }
    }
    await assert.rejects(() => build(Lost), 'The MCP app lost has no Edge view "mcp/not_there"')
    await build(Own)
  })
})
