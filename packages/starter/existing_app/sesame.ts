/*
|--------------------------------------------------------------------------
| .ci/rehearse_existing_app
|--------------------------------------------------------------------------
|
|   node --import=@poppinss/ts-exec packages/starter/existing_app/sesame.ts FOLDER TARBALL
|
| FOLDER is an application on @adonisjs/auth, TARBALL the packed kit. Sésame becomes the
| OAuth server of the application, whose access tokens then open an MCP mount of the kit.
|
*/

import assert from 'node:assert/strict'
import { appendFile, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { execute } from '#starter/helpers/execute'
import { installPacked } from '#starter/helpers/packed_kit'
import { step } from '#starter/helpers/steps'

import { CALLBACK, WebClient, callTool } from './clients.js'
import { Person, csrfField } from './person.js'
import { startBuilt } from './server.js'

const [folder = '', tarball = ''] = process.argv.slice(2)
const at = (path: string) => join(folder, path)
const ace = (...args: string[]) => execute(process.execPath, ['ace.js', ...args], { cwd: folder })

/** What Sésame leaves to the application: its routes, and the page where people approve. */
const ROUTES = `
import sesame from '@julr/sesame/services/main'

router.group(() => sesame.registerRoutes()).prefix('oauth')
sesame.registerDiscoveryRoutes()
router.get('oauth/consent', ({ request, view }) => view.render('pages/consent', request.qs()))
`

const CONSENT = `<form method="post" action="/oauth/consent">
  {{ csrfField() }}
  <input name="auth_token" value="{{ auth_token }}" />
  <button name="accept" value="1">Allow</button>
</form>
`

/** Tables in the order in which they refer to each other. */
const TABLES = [
  ...['clients', 'authorization_codes', 'access_tokens', 'refresh_tokens', 'consents'],
  'pending_authorization_requests',
]

/** Writes what "node ace configure @julr/sesame" stands for: that of 0.6.0 fails on the first line of its stubs. */
async function configureSesame() {
  const stubs = at('node_modules/@julr/sesame/build/stubs')
  const write = async (stub: string, to: string, imported: string) => {
    const text = await readFile(join(stubs, stub), 'utf8')
    await writeFile(at(to), text.replace(/^\{\{\{[^]*?\}\}\}/, imported))
  }
  await write(
    'config/sesame.stub',
    'config/sesame.ts',
    `import { defineConfig } from '@julr/sesame'`
  )
  for (const [index, table] of TABLES.entries()) {
    const name = `create_oauth_${table}_table`
    const to = `database/migrations/176000000000${index}_${name}.ts`
    await write(
      `migrations/${name}.stub`,
      to,
      `import { BaseSchema } from '@adonisjs/lucid/schema'`
    )
  }
}

async function replace(path: string, from: string, to: string) {
  const text = await readFile(at(path), 'utf8')
  assert.ok(text.includes(from))
  await writeFile(at(path), text.replace(from, to))
}

async function takeSesame() {
  await configureSesame()
  const listed = `() => import('@adonisjs/auth/auth_provider'),`
  const sesame = `() => import('@julr/sesame/sesame_provider'),`
  await replace('adonisrc.ts', listed, `${listed}\n${sesame}`)
  for (const allowed of ['allowDynamicRegistration', 'allowPublicRegistration']) {
    await replace('config/sesame.ts', `${allowed}: false`, `${allowed}: true`)
  }
  const excepted = ['token', 'revoke', 'register'].map((name) => `'/oauth/${name}'`)
  await replace('config/shield.ts', 'exceptRoutes: []', `exceptRoutes: [${excepted.join()}]`)
  await appendFile(at('start/routes.ts'), ROUTES)
  await writeFile(at('resources/views/pages/consent.edge'), CONSENT)
}

/** Registers a client as one does that nobody has registered (RFC 7591). */
async function registerClient(app: string): Promise<string> {
  const response = await fetch(`${app}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Notes',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'none',
      scope: 'mcp:use',
    }),
  })
  const { client_id: id } = (await response.json()) as { client_id: string }
  return id
}

/** An access token with a scope that the person has approved on Sésame's page. */
async function obtainToken(client: WebClient, person: Person, scope: string): Promise<string> {
  const { address, html } = await person.open(await client.authorizationUrl({ scope }))
  const pending = new URL(address).searchParams.get('auth_token')!
  const { headers } = await person.browser.post(`${person.app}/oauth/consent`, {
    form: { _csrf: csrfField(html), auth_token: pending, accept: '1' },
  })
  return (await client.redeem(new URL(headers.get('location')!))).access_token
}

/** The status and the challenge of a call of the mount. */
async function call(mount: string, token?: string) {
  const { status, headers } = await fetch(mount, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  return [status, headers.get('www-authenticate')]
}

async function rehearse(app: string) {
  const mount = `${app}/mcp`
  const metadata = `${app}/.well-known/oauth-protected-resource/mcp`
  const asked = `scope="mcp:use", resource_metadata="${metadata}"`
  assert.deepEqual(await call(mount), [401, `Bearer ${asked}`])
  const { resource, authorization_servers: servers } = (await (
    await fetch(metadata)
  ).json()) as Record<string, unknown>
  assert.deepEqual([resource, servers], [mount, [app]])

  const person = new Person(app)
  await person.signIn((await person.open(`${app}/login`)).html)
  const id = await registerClient(app)
  const client = await WebClient.discover(app, id)
  const token = await obtainToken(client, person, 'mcp:use')
  assert.deepEqual(await callTool(mount, token, 'who_am_i'), {
    email: 'ann@example.com',
    scopes: ['mcp:use'],
  })

  const weak = await obtainToken(await WebClient.discover(app, id), person, 'offline_access')
  const [status, challenge] = await call(mount, weak)
  assert.equal(status, 403)
  assert.match(
    String(challenge),
    /^Bearer error="insufficient_scope", scope="offline_access mcp:use"/
  )

  await client.revoke(token)
  const invalid = [401, `Bearer error="invalid_token", ${asked}`]
  assert.deepEqual(await call(mount, token), invalid)
  await assert.rejects(callTool(mount, token, 'who_am_i'))
}

await step('Sésame: install both', async () => {
  await replace('package.json', '"dependencies": {', '"dependencies": { "@julr/sesame": "0.6.0",')
  await installPacked(folder, tarball, resolve('node_modules'))
  await takeSesame()
})
await step('Configure', () =>
  ace('configure', 'adonis-auth-kit', '--auth=sesame', '--features=mcp').then(() => undefined)
)
await step('Tables and a user', async () => {
  await ace('migration:run')
  await ace('db:seed')
})
await step('Build, with types', async () => {
  await ace('build')
  await symlink(at('tmp'), at('build/tmp'))
})
const server = await startBuilt(folder)
try {
  await step('A token of Sésame opens the mount', () => rehearse(server.url))
} finally {
  await server.stop()
}
