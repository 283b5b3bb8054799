import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { appUrl } from '#config/app'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { SDKS, TestAuthProvider, CALLBACK } from '#starter/helpers/mcp_client'
import { url } from '#starter/helpers/mcp_wire'
import { type TestClient, isolate, registerClient, useConfig } from '#starter/helpers/oauth'
import { PageSession } from '#starter/helpers/page_session'
import { keyOf, postIn, team, useWorkspaces, workspacesOf } from '#starter/helpers/workspaces'

const MOUNT = `${appUrl}/mcp`
type Sdk = (typeof SDKS)[number]

/** The application as its clients know it, which in tests listens on a port of its own. */
const atTestPort = (address: string) => address.replace(appUrl, url(''))
const throughAppUrl = (input: string | URL, init?: RequestInit) =>
  fetch(atTestPort(String(input)), init)

/** A person with a post in the workspace of each of two teams, their browser, and a client. */
async function prepare() {
  const server = await useConfig({ issuer: appUrl })
  server.config.served.add(() => [MOUNT])
  const user = await UserFactory.create()
  const [one, two] = [await team(user, {}, 'One'), await team(user, {}, 'Two')]
  await postIn(one.id, user, 'of one')
  await postIn(two.id, user, 'of two')
  const session = new PageSession({ email: user.email, password: FACTORY_PASSWORD }, atTestPort)
  const registered = await registerClient({ redirectUris: [CALLBACK] })
  return { user, one, two, session, registered }
}

/** A connection of a client, as its settings have one for each entry. */
async function connect(sdk: Sdk, registered: TestClient) {
  const provider = new TestAuthProvider({ registered }, appUrl)
  const transport = sdk.transport(MOUNT, { authProvider: provider, fetch: throughAppUrl })
  const client = sdk.client()
  await client.connect(transport)
  return { client, provider, transport }
}

type Connection = Awaited<ReturnType<typeof connect>>

/** The person allows what the client asks for, in a workspace, and the client goes on with the answer. */
async function signIn(
  { provider, transport }: Connection,
  session: PageSession,
  options: { picked?: number; unticked?: string[] } = {}
) {
  const picked = options.picked === undefined ? undefined : String(options.picked)
  const answer = await session.allow(provider.opened!, options.unticked, picked)
  const { searchParams } = answer
  await transport.finishAuth(searchParams.get('code')!, searchParams.get('iss')!)
}

async function titles({ client }: Connection): Promise<string[]> {
  const { structuredContent } = await client.callTool({ name: 'my_posts' })
  return (structuredContent as any).posts.map(({ title }: any) => title)
}

test.group('Workspaces of MCP clients', (group) => {
  group.each.setup(isolate)
  group.each.setup(() => useWorkspaces({ common: false }))

  test('{name} works in the workspace that the person picks, in two at the same time')
    .with(SDKS)
    .run(async ({ assert }, sdk) => {
      const { session, registered, one, two, user } = await prepare()
      const first = await connect(sdk, registered)
      await assert.rejects(() => titles(first), /authoriz/i)
      await signIn(first, session, { picked: one.id })
      const second = await connect(sdk, registered)
      await assert.rejects(() => titles(second), /authoriz/i)
      await signIn(second, session, { picked: two.id })

      assert.deepEqual(await titles(first), ['of one'])
      assert.deepEqual(await titles(second), ['of two'])
      const written = { title: 'new', body: 'Words.' }
      await second.client.callTool({ name: 'create_post', arguments: written })
      assert.deepEqual(await titles(first), ['of one'])
      assert.sameMembers(await titles(second), ['of two', 'new'])

      const workspaces = await workspacesOf()
      const heir = await keyOf(await UserFactory.create())
      await workspaces.join(db.connection(), one.id, heir, 'owner')
      await workspaces.remove(one.id, await keyOf(user))
      await assert.rejects(() => titles(first))
      assert.sameMembers(await titles(second), ['of two', 'new'])
      await first.client.close()
      await second.client.close()
    })

  test('{name} stays in its workspace when it asks for a wider scope')
    .with(SDKS.filter(({ stepsUp }) => stepsUp))
    .run(async ({ assert }, sdk) => {
      const { session, registered, two } = await prepare()
      const connection = await connect(sdk, registered)
      await assert.rejects(() => titles(connection), /authoriz/i)
      await signIn(connection, session, { picked: two.id, unticked: ['posts:write'] })
      const write = () =>
        connection.client.callTool({
          name: 'create_post',
          arguments: { title: 'new', body: 'Words.' },
        })
      await assert.rejects(write)
      await signIn(connection, session)
      await write()
      assert.sameMembers(await titles(connection), ['of two', 'new'])
      await connection.client.close()
    })
})
