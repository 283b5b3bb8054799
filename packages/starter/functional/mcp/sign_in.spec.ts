import { ClientCredentialsProvider } from '@modelcontextprotocol/client'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { appUrl } from '#config/app'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import { diaries } from '#starter/helpers/fixtures/mcp/diary_server'
import '#starter/helpers/fixtures/mcp/vault_server'
import { CALLBACK, type Identity, SDKS, TestAuthProvider } from '#starter/helpers/mcp_client'
import { url } from '#starter/helpers/mcp_wire'
import { isolate, registerClient, useConfig } from '#starter/helpers/oauth'
import { PageSession } from '#starter/helpers/page_session'

const MOUNT = `${appUrl}/mcp/diary`
const VAULT = `${appUrl}/mcp/vault`
const PATH = '/mcp-client.json'
const WRITE = { name: 'add_line', arguments: { text: 'From an agent' } }

/** The application as its clients know it, which in tests listens on a port of its own. */
const atTestPort = (address: string) => address.replace(appUrl, url(''))
const throughAppUrl = (input: string | URL, init?: RequestInit) =>
  fetch(atTestPort(String(input)), init)

/** The server with its mount, and a person with a browser. */
async function prepare() {
  useTestFetcher()
  const server = await useConfig({ issuer: appUrl, dynamicRegistration: true })
  server.config.served.add(() => [MOUNT, VAULT])
  const user = await UserFactory.create()
  const session = new PageSession({ email: user.email, password: FACTORY_PASSWORD }, atTestPort)
  return { server, session }
}

test.group('MCP sign-in', (group) => {
  const site = new DocumentServer()

  group.setup(async () => {
    const stop = await site.start()
    site.serveClient(PATH, { redirect_uris: [CALLBACK] })
    return stop
  })
  group.each.setup(isolate)
  group.each.setup(() => diaries.clear())

  const IDENTITIES: Record<string, () => Promise<Identity>> = {
    'registered with a grace period': async () => ({
      registered: await registerClient({ redirectUris: [CALLBACK], gracePeriod: 60 }),
    }),
    'with a metadata document': async () => ({ documentUrl: site.url(PATH) }),
    'by dynamic registration': async () => 'dynamic',
  }
  const CASES = SDKS.flatMap((sdk) =>
    Object.keys(IDENTITIES).map((identity) => ({ ...sdk, identity }))
  )

  test(
    '{name} {identity} connects, lists, signs in on the pages when a tool needs it, reads and writes'
  )
    .with(CASES)
    .run(async ({ assert }, sdk) => {
      const { session } = await prepare()
      const provider = new TestAuthProvider(await IDENTITIES[sdk.identity]!(), appUrl)
      const transport = sdk.transport(MOUNT, { authProvider: provider, fetch: throughAppUrl })
      const client = sdk.client()
      await client.connect(transport)
      const { tools } = await client.listTools()
      assert.include(
        tools.map(({ name }) => name),
        'add_line'
      )

      await assert.rejects(() => client.callTool({ name: 'my_lines' }), /authoriz/i)
      assert.equal(provider.opened!.searchParams.get('resource'), MOUNT)
      const asked = provider.opened!.searchParams.get('scope')!.split(' ')
      assert.includeMembers(asked, ['mcp:use', 'posts:read', 'posts:write'])
      await finish(session, provider, transport)
      assert.equal(provider.held.scope, 'mcp:use posts:read posts:write')
      const before = await client.callTool({ name: 'my_lines' })
      assert.deepEqual(before.structuredContent, { lines: [] })
      await client.callTool(WRITE)
      const mine = await client.callTool({ name: 'my_lines' })
      assert.deepEqual(mine.structuredContent, { lines: ['From an agent'] })
      await client.close()
    })

  test('{name} asks again for a scope that the person had not allowed')
    .with(SDKS.filter(({ stepsUp }) => stepsUp))
    .run(async ({ assert }, sdk) => {
      const { session } = await prepare()
      const { client, provider, transport } = await connect(sdk)
      await assert.rejects(() => client.callTool({ name: 'my_lines' }))
      await finish(session, provider, transport, ['posts:write'])
      assert.equal(provider.held.scope, 'mcp:use posts:read')
      await client.callTool({ name: 'my_lines' })

      await assert.rejects(() => client.callTool(WRITE))
      const asked = provider.opened!.searchParams.get('scope')!.split(' ')
      assert.includeMembers(asked, ['mcp:use', 'posts:read', 'posts:write'])
      await finish(session, provider, transport)
      await client.callTool(WRITE)
      await client.close()
    })

  test('{name} {identity} stays signed in when its token expires and it calls three tools at once')
    .with(CASES)
    .run(async ({ assert }, sdk) => {
      const { session } = await prepare()
      const { client, provider, transport } = await connect(sdk, await IDENTITIES[sdk.identity]!())
      await assert.rejects(() => client.callTool({ name: 'my_lines' }))
      await finish(session, provider, transport)
      provider.opened = undefined
      for (let expiry = 0; expiry < 3; expiry++) {
        await expire(provider.held.access_token)
        const results = await Promise.all(
          Array.from({ length: 3 }, () => client.callTool({ name: 'my_lines' }))
        )
        assert.lengthOf(
          results.filter(({ isError }) => !isError),
          3
        )
      }
      assert.isUndefined(provider.opened)
      await client.close()
    })

  test('{name} reaches after a disconnect what it reached before')
    .with(SDKS)
    .run(async ({ assert }, sdk) => {
      const { server, session } = await prepare()
      const { client, provider, transport } = await connect(sdk)
      await assert.rejects(() => client.callTool({ name: 'my_lines' }))
      await finish(session, provider, transport)
      await client.callTool(WRITE)

      const grants = await db.from('oauth_grants').select('id')
      for (const { id } of grants) {
        await server.tokens.grants.revoke(id, Date.now())
      }
      await assert.rejects(() => client.callTool(WRITE))
      await finish(session, provider, transport)
      await client.callTool(WRITE)
      await client.close()
    })

  test('{name} reaches every tool of a closed mount with its first sign-in')
    .with(SDKS)
    .run(async ({ assert }, sdk) => {
      const { session } = await prepare()
      const provider = new TestAuthProvider({ documentUrl: site.url(PATH) }, appUrl)
      const options = { authProvider: provider, fetch: throughAppUrl }
      const first = sdk.transport(VAULT, options)
      await assert.rejects(() => sdk.client().connect(first))
      await finish(session, provider, first)

      const client = sdk.client()
      await client.connect(sdk.transport(VAULT, options))
      const opened = await client.callTool({ name: 'open' })
      assert.isNotTrue(opened.isError)
      const { messages } = await client.getPrompt({ name: 'riddle' })
      assert.lengthOf(messages, 1)
      await client.close()
    })

  async function connect(
    sdk: (typeof SDKS)[number],
    identity: Identity = { documentUrl: site.url(PATH) }
  ) {
    const provider = new TestAuthProvider(identity, appUrl)
    const transport = sdk.transport(MOUNT, { authProvider: provider, fetch: throughAppUrl })
    const client = sdk.client()
    await client.connect(transport)
    return { client, provider, transport }
  }

  test('{name} refreshes an expired token by itself, and signs in anew when its client was revoked')
    .with(SDKS)
    .run(async ({ assert }, sdk) => {
      const { server, session } = await prepare()
      const provider = new TestAuthProvider({ documentUrl: site.url(PATH) }, appUrl)
      const transport = sdk.transport(MOUNT, { authProvider: provider, fetch: throughAppUrl })
      const client = sdk.client()
      await client.connect(transport)
      await assert.rejects(() => client.callTool({ name: 'my_lines' }))
      const answer = (await session.allow(provider.opened!)).searchParams
      await transport.finishAuth(answer.get('code')!, answer.get('iss')!)

      const { access_token: first } = provider.held
      await expire(first)
      const result = await client.callTool({ name: 'my_lines' })
      assert.deepEqual(result.structuredContent, { lines: [] })
      assert.notEqual(provider.held.access_token, first)

      await server.clients.revoke(site.url(PATH))
      provider.opened = undefined
      await assert.rejects(() => client.callTool({ name: 'my_lines' }))
      await assert.rejects(() => session.allow(provider.opened!), /Unknown application/)
      await client.close()
    })

  test('a program without a user signs in by itself: {name}')
    .with(SDKS.filter(({ name }) => name.startsWith('SDK v2')))
    .run(async ({ assert }, sdk) => {
      await prepare()
      const { id, secret } = await registerClient({ grantTypes: ['client_credentials'] })
      const provider = new ClientCredentialsProvider({
        clientId: id,
        clientSecret: secret!,
        scope: 'mcp:use',
        expectedIssuer: appUrl,
      })
      const client = sdk.client()
      await client.connect(sdk.transport(VAULT, { authProvider: provider, fetch: throughAppUrl }))
      const result = await client.callTool({ name: 'look' })
      assert.deepEqual(result.content, [{ type: 'text', text: 'a door' }])
      assert.equal(decodeJwt(provider.tokens()!.access_token).aud, VAULT)
      await client.close()
    })
})

type Transport = ReturnType<(typeof SDKS)[number]['transport']>

/** The person allows what the client asks for, and the client goes on with the answer. */
async function finish(
  session: PageSession,
  provider: TestAuthProvider,
  transport: Transport,
  unticked: string[] = []
) {
  const answer = (await session.allow(provider.opened!, unticked)).searchParams
  await transport.finishAuth(answer.get('code')!, answer.get('iss')!)
}

/** Ends an access token, as if its lifetime were over. */
async function expire(accessToken: string) {
  const { jti } = decodeJwt(accessToken)
  await db.from('oauth_access_tokens').where('jti', jti!).update({ expires_at: 1 })
}
