import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { test } from '@japa/runner'

import { appUrl } from '#config/app'
import Post from '#models/post'
import { url } from '#tests/helpers/mcp_wire'
import {
  isolate,
  REDIRECT_URI,
  registerClient,
  signedIn,
  type TestClient,
  useConfig,
} from '#tests/helpers/oauth'
import type { Visitor } from '#tests/helpers/visitor'

const info = { name: 'test', version: '1.0.0' }
const MOUNT = `${appUrl}/mcp`

/** What a client keeps between its steps; the browser it opens is the test. */
class Provider {
  readonly redirectUrl = REDIRECT_URI
  readonly clientMetadata = { redirect_uris: [REDIRECT_URI], client_name: 'Test client' }
  readonly #registered: TestClient
  #tokens?: any
  #verifier = ''
  opened?: URL

  constructor(registered: TestClient) {
    this.#registered = registered
  }

  clientInformation() {
    return { client_id: this.#registered.id, client_secret: this.#registered.secret! }
  }

  tokens() {
    return this.#tokens
  }

  saveTokens(tokens: unknown) {
    this.#tokens = tokens
  }

  redirectToAuthorization(to: URL) {
    this.opened = to
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }

  codeVerifier() {
    return this.#verifier
  }
}

/** The application as its clients know it, which in tests listens on a port of its own. */
function throughAppUrl(input: string | URL, init?: RequestInit) {
  return fetch(String(input).replace(appUrl, url('')), init)
}

/** Signs in and allows what the opened URL asks for. */
async function approve(visitor: Visitor, opened: URL) {
  const fields = Object.fromEntries(opened.searchParams)
  const response = await visitor.post(opened.pathname, {
    json: { ...fields, approved: true },
    csrf: true,
  })
  const { redirect_to: location } = (await response.json()) as { redirect_to: string }
  return new URL(location).searchParams
}

const SDKS = [
  {
    name: 'SDK v1',
    /* It refreshes its token instead of asking for the scopes of the challenge. */
    stepsUp: false,
    client: () => new ClientV1(info) as unknown as ClientV2,
    transport: (options: object) => new TransportV1(new URL(MOUNT), options) as any,
  },
  {
    name: 'SDK v2, legacy',
    stepsUp: true,
    client: () => new ClientV2(info, { versionNegotiation: { mode: 'legacy' } }),
    transport: (options: object) => new TransportV2(new URL(MOUNT), options),
  },
  {
    name: 'SDK v2, auto',
    stepsUp: true,
    client: () => new ClientV2(info, { versionNegotiation: { mode: 'auto' } }),
    transport: (options: object) => new TransportV2(new URL(MOUNT), options),
  },
]

test.group('MCP sign-in', (group) => {
  group.each.setup(isolate)

  test('{name} connects, signs in when a tool needs it, and steps up')
    .with(SDKS)
    .run(async ({ assert }, sdk) => {
      const { config } = await useConfig({ issuer: appUrl })
      config.served.add(() => [MOUNT])
      const { visitor, user } = await signedIn()
      const provider = new Provider(await registerClient())

      const client = sdk.client()
      const transport = sdk.transport({ authProvider: provider, fetch: throughAppUrl })
      await client.connect(transport)
      const { tools } = await client.listTools()
      assert.include(
        tools.map(({ name }) => name),
        'create_post'
      )

      const write = { name: 'create_post', arguments: { title: 'From an agent', body: 'Hello' } }
      await assert.rejects(() => client.callTool(write), /authoriz/i)
      assert.equal(provider.opened!.searchParams.get('resource'), MOUNT)
      assert.equal(provider.opened!.searchParams.get('scope'), 'mcp:use posts:write')
      await finish()
      const written = await client.callTool(write)
      const { id } = written.structuredContent as { id: number }
      const post = await Post.findOrFail(id)
      assert.equal(post.userId, user.id)

      await assert.rejects(() => client.callTool({ name: 'my_posts' }))
      if (sdk.stepsUp) {
        assert.equal(provider.opened!.searchParams.get('scope'), 'mcp:use posts:write posts:read')
        await finish()
        const mine = await client.callTool({ name: 'my_posts' })
        assert.deepEqual(mine.structuredContent, { posts: [{ id, title: 'From an agent' }] })
      }
      await client.close()

      async function finish() {
        const answer = await approve(visitor, provider.opened!)
        await transport.finishAuth(answer.get('code')!, answer.get('iss')!)
      }
    })
})
