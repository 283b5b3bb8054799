import { test } from '@japa/runner'

import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import Post from '#models/post'
import { openPage } from '#starter/helpers/chromium'
import { showApp } from '#starter/helpers/mcp_apps'
import { connectAs, SDKS } from '#starter/helpers/mcp_client'
import { isolate } from '#starter/helpers/oauth'
import { flaws } from '#starter/helpers/page_findings'

const capabilities = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
}
const CLIENTS = SDKS.filter(({ name }) => ['SDK v2, legacy', 'SDK v2, pinned'].includes(name))

test.group('An MCP app in a client', (group) => {
  group.each.setup(isolate)

  test(
    '{name}: the card shows the posts of the person, publishes and deletes, and breaks no policy'
  )
    .with(CLIENTS)
    .run(async ({ assert }, sdk) => {
      const user = await UserFactory.create()
      await PostFactory.merge({ userId: user.id, title: 'About cats' }).create()
      const scopes = ['mcp:use', 'posts:read', 'posts:write']
      const client = await connectAs(sdk, user, { scopes, capabilities })
      const page = await openPage()
      const { app, violations } = await showApp(client, page, { name: 'my_posts' })

      await app.getByText('About cats').waitFor()
      await app.getByLabel('Title').fill('About <b>dogs</b>')
      await app.getByLabel('Text').fill('They run.')
      await app.getByRole('button', { name: 'Publish' }).click()
      await app.getByText('Published.').waitFor()
      await app.getByText('About <b>dogs</b>').waitFor()
      const post = await Post.findByOrFail('title', 'About <b>dogs</b>')
      assert.equal(post.userId, user.id)

      await app.getByRole('button', { name: 'Delete About cats' }).click()
      await app.getByText('Deleted.').waitFor()
      assert.isNull(await Post.findBy('title', 'About cats'))
      assert.deepEqual(violations, [])
      assert.deepEqual(await flaws(page, 'posts in an MCP app'), [])
      await client.close()
    })

  test('{name}: what the page asks for is refused without the scope, and it says so')
    .with(CLIENTS)
    .run(async ({ assert }, sdk) => {
      const user = await UserFactory.create()
      await PostFactory.merge({ userId: user.id, title: 'About cats' }).create()
      const client = await connectAs(sdk, user, { scopes: ['mcp:use', 'posts:read'], capabilities })
      const { app } = await showApp(client, await openPage(), { name: 'my_posts' })

      await app.getByLabel('Title').fill('About dogs')
      await app.getByLabel('Text').fill('They run.')
      await app.getByRole('button', { name: 'Publish' }).click()
      await app.getByRole('status').getByText('Insufficient scope').waitFor()
      await app.getByRole('button', { name: 'Delete About cats' }).click()
      await app.getByRole('status').getByText('Insufficient scope').waitFor()
      const posts = await Post.query().where('user_id', user.id)
      assert.deepEqual(
        posts.map(({ title }) => title),
        ['About cats']
      )
      await client.close()
    })
})
