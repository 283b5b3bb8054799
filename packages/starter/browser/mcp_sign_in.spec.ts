import { test } from '@japa/runner'

import { appUrl } from '#config/app'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage, sentTo } from '#starter/helpers/chromium'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import { SDKS, TestAuthProvider } from '#starter/helpers/mcp_client'
import { isolate, useConfig } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'

const MOUNT = `${appUrl}/mcp`

test.group('An MCP client in a browser', (group) => {
  const site = new DocumentServer()
  group.setup(() => site.start())
  group.each.setup(isolate)

  test('opens a page, where a person signs in and allows what it asks, and calls the tool', async ({
    assert,
  }) => {
    useTestFetcher()
    const { config } = await useConfig({ issuer: appUrl })
    config.served.add(() => [MOUNT])
    const own = await serverUrl()
    const atTestPort = (address: string) => address.replace(appUrl, own)
    const { email } = await UserFactory.create()

    const callback = site.url('/callback')
    const documentUrl = site.serveClient('/client.json', { redirect_uris: [callback] })
    const provider = new TestAuthProvider({ documentUrl }, appUrl, callback)
    const sdk = SDKS.find(({ name }) => name === 'SDK v2, auto')!
    const transport = sdk.transport(MOUNT, {
      authProvider: provider,
      fetch: (input, init) => fetch(atTestPort(String(input)), init),
    })
    const client = sdk.client()
    await client.connect(transport)
    await assert.rejects(() => client.callTool({ name: 'my_posts' }))

    const page = await openPage({ baseURL: own })
    await page.goto(atTestPort(provider.opened!.href))
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(FACTORY_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Read your posts').waitFor()
    const sent = sentTo(page, callback)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()

    const { searchParams } = await sent
    await transport.finishAuth(searchParams.get('code')!, searchParams.get('iss')!)
    const result = await client.callTool({ name: 'my_posts' })
    assert.deepEqual(result.structuredContent, { posts: [] })
    await client.close()
  })
})
