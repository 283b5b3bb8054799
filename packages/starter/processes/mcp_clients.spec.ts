import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { getActiveTest, test } from '@japa/runner'
import { SignJWT } from 'jose'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { generateIdentifier } from '#kit/security/secrets'
import { ClientProcess, printedUrl } from '#starter/helpers/client_process'
import { DocumentServer } from '#starter/helpers/document_server'
import { authorizationServer, registerClient } from '#starter/helpers/oauth'
import { accessToken } from '#starter/helpers/oauth_records'
import { PageSession } from '#starter/helpers/page_session'
import { freePort, startServer, startTogether } from '#starter/helpers/server_process'

const bin = (name: string) => app.makePath('node_modules/.bin', name)
const SERVER = 'packages/starter/helpers/fixtures/server_for_clients.ts'

/** A folder for what a client keeps, until the test ends. */
async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'client-'))
  getActiveTest()!.cleanup(() => rm(path, { recursive: true }))
  return path
}

function start(args: string[], env: Record<string, string> = {}) {
  const client = new ClientProcess(args, env)
  getActiveTest()!.cleanup(() => client.stop())
  return client
}

test.group('MCP clients that are programs of their own', (group) => {
  const started = startTogether(group, {
    server: (cleanup) =>
      startServer(
        (url) => ({ APP_URL: url, OAUTH_ISSUER: url, OAUTH_DYNAMIC_REGISTRATION: 'true' }),
        { cleanup, script: SERVER }
      ),
  })
  const site = new DocumentServer()
  let person: PageSession
  group.setup(async () => {
    const stop = await site.start()
    const { email } = await UserFactory.create()
    person = new PageSession({ email, password: FACTORY_PASSWORD })
    return stop
  })

  /**
   * Signs the person in on the pages, and goes where the browser is sent: to the
   * waiting client. Later clients wait for the consent alone, and find the connection
   * still open on which they have asked for metadata.
   */
  async function signIn(opened: URL) {
    await fetch(await person.allow(opened))
  }

  test('mcp-remote needs nothing but the URL', async ({ assert, cleanup }) => {
    const url = await started.server
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [bin('mcp-remote'), `${url}/mcp/vault`],
      env: { ...(process.env as any), MCP_REMOTE_CONFIG_DIR: await folder(), BROWSER: 'true' },
      stderr: 'pipe',
    })
    let printed = ''
    transport.stderr!.on('data', (chunk) => (printed += chunk))
    const client = new Client({ name: 'test', version: '1.0.0' })
    cleanup(() => client.close())

    const connected = client.connect(transport)
    /* What the program said before it ended is all that tells why. */
    await signIn(await printedUrl(() => printed, '/oauth/authorize')).catch((cause) => {
      throw new Error(printed, { cause })
    })
    await connected
    const { tools } = await client.listTools()
    assert.includeMembers(
      tools.map(({ name }) => name),
      ['look', 'secret']
    )
    const result = await client.callTool({ name: 'look' })
    assert.deepEqual(result.content, [{ type: 'text', text: 'a door' }])
    const written = await client.callTool({ name: 'open' })
    assert.isNotTrue(written.isError)

    /* One call at a time: mcp-remote writes its own files without a lock. */
    for (let expiry = 0; expiry < 3; expiry++) {
      await expireTokens(`${url}/mcp/vault`)
      const again = await client.callTool({ name: 'open' })
      assert.isNotTrue(again.isError)
    }
    assert.lengthOf(printed.match(/Please authorize/g) ?? [], 1)
  })

  test('the Inspector signs in from the command line, by {$self}')
    .with(['dynamic registration', 'a metadata document'])
    .run(async ({ assert }, how) => {
      const url = await started.server
      const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`
      const args = ['--cli', `${url}/mcp/vault`, '--transport', 'http', '--callback-url', callback]
      const method = ['--method', 'tools/call', '--tool-name', 'look', '--format', 'json']
      if (how === 'a metadata document') {
        const document = site.serveClient('/inspector.json', { redirect_uris: [callback] })
        args.push('--client-metadata-url', document)
      }
      const home = await folder()
      const env = { HOME: home, MCP_AUTO_OPEN_ENABLED: 'true' }
      const client = start([bin('mcp-inspector'), ...args, ...method], env)
      await signIn(await client.opened('/oauth/authorize'))
      assert.equal(await client.ended(), 0, client.output)
      assert.include(client.output, 'a door')
    })

  test('conformance authorization passes without a warning', async ({ assert }) => {
    const url = await started.server
    const { id } = await registerClient({
      redirectUris: ['http://127.0.0.1/callback'],
      confidential: false,
    })
    const port = String(await freePort())
    const args = ['authorization', '--url', url, '--client-id', id, '--port', port]
    const client = start([bin('conformance'), ...args, '--resource', `${url}/mcp/vault`])
    await signIn(await client.opened('/oauth/authorize'))
    assert.equal(await client.ended(), 0, client.output)
    assert.match(client.output, /authorization-server-metadata-endpoint: 2 passed, 0 failed/)
    assert.match(client.output, /authorization-code-grant: 1 passed, 0 failed/)
    assert.notMatch(client.output, /warning|skipped/i)
  })

  test('a mount refuses the token of another issuer, although everything else about it is right', async ({
    assert,
  }) => {
    const url = await started.server
    const resource = `${url}/mcp/vault`
    const { id } = await UserFactory.create()
    const open = async (issuer: string) => {
      const response = await fetch(resource, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'authorization': `Bearer ${await signToken({ issuer, resource, userId: String(id) })}`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      return response.status
    }
    assert.equal(await open(url), 200)
    assert.equal(await open('https://other.example.com'), 401)
    assert.equal(await open(`${url}/`), 401)
  })
})

/** Ends the access tokens of a mount, as if their lifetime were over. */
async function expireTokens(resource: string) {
  await db.from('oauth_access_tokens').where({ resource }).update({ expires_at: 1 })
}

/** An access token with the key of the server, and its row. */
async function signToken(token: { issuer: string; resource: string; userId: string }) {
  const { issuer, resource, userId } = token
  const server = await authorizationServer()
  const now = Math.floor(Date.now() / 1000)
  const jti = generateIdentifier()
  const instants = { createdAt: now * 1000, expiresAt: (now + 600) * 1000 }
  const access = accessToken({
    jti,
    userId,
    clientId: null,
    scopes: ['mcp:use'],
    resource,
    ...instants,
  })
  await server.tokens.insertTokens({ access, refresh: null })
  return new SignJWT({ scope: 'mcp:use', client_id: null, jti })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .setIssuer(issuer)
    .setAudience(resource)
    .setSubject(userId)
    .setIssuedAt(now)
    .setExpirationTime(now + 600)
    .sign(new TextEncoder().encode(server.config.key!.release()))
}
