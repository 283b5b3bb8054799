/*
|--------------------------------------------------------------------------
| .ci/rehearse_existing_app
|--------------------------------------------------------------------------
|
|   node --import=@poppinss/ts-exec packages/starter/existing_app/run.ts FOLDER TARBALL
|
| FOLDER is an application on @adonisjs/auth, TARBALL the packed kit. It is installed
| and configured, the application is migrated and built, and one of its users
| approves a client, which calls a tool and a route with the token.
|
*/

import assert from 'node:assert/strict'
import { appendFile, readFile, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { execute } from '#starter/helpers/execute'
import { brokenExports, installPacked } from '#starter/helpers/packed_kit'
import { Authenticator } from '#starter/helpers/software_authenticator'
import { step } from '#starter/helpers/steps'

import { CALLBACK, WebClient, callTool } from './clients.js'
import { Person, csrfField } from './person.js'
import { startBuilt } from './server.js'

const [folder = '', tarball = ''] = process.argv.slice(2)
const ace = (...args: string[]) => execute(process.execPath, ['ace.js', ...args], { cwd: folder })

/** A route as docs/existing-app.md protects it. */
const ROUTE = `
router
  .get('api/me', ({ authenticator }) => ({ email: authenticator.getUserOrFail().email }))
  .use([middleware.authenticated({ guards: ['oauth'] }), middleware.scopes(['mcp:use'])])
`

async function install() {
  await installPacked(folder, tarball, resolve('node_modules'))
  assert.deepEqual(await brokenExports(join(folder, 'node_modules/adonis-auth-kit')), [])
}

const FEATURES = '--features=oauth2,mcp,json_api,passkeys'

/** JSON:API routes of the model that is there: one to read, and one to write for whom each route protects. */
const RESOURCE = `
const { default: User } = await import('#models/user')
const { default: UserResource } = await import('#resources/user_resource')
router
  .get('api/users/:id', async ({ params }) => new UserResource(await User.findOrFail(params.id)))
  .use(middleware.jsonApi())

const { csrfExempt } = await import('adonis-auth-kit/http')
const { defineWrites, validated, writing } = await import('adonis-auth-kit/json_api')
const { default: vine } = await import('@vinejs/vine')
const userWrites = defineWrites<InstanceType<typeof User>>({
  resource: () => UserResource,
  find: (id, { trx }) => User.findOrFail(id, { client: trx }),
  update: validated(
    vine.create({ data: vine.object({ attributes: vine.object({ fullName: vine.string() }) }) }),
    ({ attributes, model }) => model.merge(attributes).save()
  ),
})
for (const [path, protection] of [
  ['api/users/:id', middleware.authenticated({ guards: ['oauth'] })],
  ['account/users/:id', middleware.auth()],
] as const) {
  router
    .patch(path, (ctx) =>
      writing(ctx, userWrites, async (users, body) => {
        return new UserResource(await users.update(ctx.params.id, body))
      })
    )
    .use(csrfExempt)
    .use(middleware.jsonApi({ resource: () => UserResource }))
    .use(protection)
}
`

/** Twice: what is there already stays as it is. */
async function configure() {
  const edited = ['adonisrc.ts', 'start/kernel.ts', 'start/env.ts', '.env', 'package.json']
  const texts = () => Promise.all(edited.map((path) => readFile(join(folder, path), 'utf8')))
  await ace('configure', 'adonis-auth-kit', FEATURES)
  const before = await texts()
  assert.match(await readFile(join(folder, 'config/auth_server.ts'), 'utf8'), /[^\n]\n$/)
  const { output } = await ace('configure', 'adonis-auth-kit', FEATURES)
  assert.match(output, /SKIPPED.*config\/auth_server\.ts/)
  assert.deepEqual(await texts(), before)
  await appendFile(join(folder, 'start/routes.ts'), ROUTE + RESOURCE)
}

async function registerClient(): Promise<string> {
  const { output } = await ace(
    ...['auth:oauth2:client', '--name=Notes', `--redirect-uri=${CALLBACK}`, '--public']
  )
  return /Client ID: (\S+)/.exec(output)![1]!
}

async function approvals(app: string, id: string) {
  const person = new Person(app)
  const resource = `${app}/mcp`
  const client = await WebClient.discover(app, id)
  const url = await client.authorizationUrl({ scope: 'mcp:use', resource })

  const login = await person.open(url)
  assert.equal(new URL(login.address).pathname, '/login')
  const consent = await person.signIn(login.html)
  assert.equal(consent.address, url.href)
  assert.match(consent.html, /Allow Notes to use your account\?/)
  assert.match(consent.html, /ann@example\.com/)

  const forged = await person.decide(consent.html, 'approve', 'forged')
  assert.equal(forged.origin, app, 'an approval without the CSRF token is refused')
  const denied = await person.decide((await person.open(url)).html, 'deny')
  assert.equal(denied.searchParams.get('error'), 'access_denied')

  const answer = await person.decide((await person.open(url)).html, 'approve')
  return { client, person, tokens: await client.redeem(answer, resource), resource }
}

/** A person is told of an error by a page, without a challenge, for which the browser would ask for a password. */
async function problems(app: string) {
  const { browser, csrf } = await signedIn(app)
  const headers = { accept: 'text/html', referer: `${app}/oauth/authorize?x=y` }
  const used = `${app}/oauth/authorizations/used/approve`
  for (const response of [
    await browser.get(`${app}/oauth/authorize?client_id=nobody`, { headers }),
    await browser.post(used, { headers, form: { _csrf: csrf } }),
  ]) {
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    assert.equal(response.headers.get('www-authenticate'), null)
    assert.equal(response.headers.get('cache-control'), 'no-store')
  }
  const form = { _csrf: 'of a session that has ended' }
  const stale = await browser.post(used, { headers, form })
  assert.equal(stale.headers.get('location'), headers.referer)
  assert.equal((await browser.post(used, { form })).status, 403)
}

async function signedIn(app: string) {
  const person = new Person(app)
  await person.signIn((await person.open(`${app}/login`)).html)
  const { html } = await person.open(`${app}/login`)
  return { browser: person.browser, csrf: csrfField(html) }
}

async function rehearse(app: string) {
  const id = await registerClient()
  const { client, person, tokens, resource } = await approvals(app, id)
  const said = await callTool(resource, tokens.access_token, 'who_am_i')
  assert.deepEqual(said, { email: 'ann@example.com', scopes: ['mcp:use'] })

  const me = (token: string) =>
    fetch(`${app}/api/me`, { headers: { authorization: `Bearer ${token}` } })
  const other = await WebClient.discover(app, id)
  const page = await person.open(await other.authorizationUrl({ scope: 'mcp:use' }))
  const answer = page.html ? await person.decide(page.html, 'approve') : new URL(page.address)
  const { access_token: token, refresh_token: refresh } = await other.redeem(answer)
  assert.deepEqual(await (await me(token)).json(), { email: 'ann@example.com' })
  assert.equal((await me(tokens.access_token)).status, 401, 'a token for /mcp is for /mcp alone')

  await writes(`${app}/api/users/1`, { authorization: `Bearer ${token}` })
  const cookies = [...person.browser.cookies].map(([name, value]) => `${name}=${value}`)
  await writes(`${app}/account/users/1`, { cookie: cookies.join('; ') })

  assert.equal((await other.refresh(refresh!)).status, 200)
  assert.equal((await other.refresh(refresh!)).status, 400, 'a refresh token is used once')
  await client.revoke(tokens.access_token)
  await assert.rejects(callTool(resource, tokens.access_token, 'who_am_i'))
}

/** A client writes a resource with its token, and a person with a session of @adonisjs/auth. */
async function writes(url: string, credentials: Record<string, string>) {
  const attributes = { fullName: 'Ann Other' }
  const response = await fetch(url, {
    method: 'PATCH',
    headers: { ...credentials, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type: 'users', id: '1', attributes } }),
  })
  const { data }: any = await response.json()
  assert.deepEqual([response.status, data?.attributes.fullName], [200, attributes.fullName])
}

/** Documents and errors are those of JSON:API. */
async function resources(app: string) {
  const read = async (id: number) => {
    const response = await fetch(`${app}/api/users/${id}`)
    assert.equal(response.headers.get('content-type'), 'application/vnd.api+json')
    return (await response.json()) as { data?: Record<string, unknown>; errors?: object[] }
  }
  const { data } = await read(1)
  assert.deepEqual([data?.type, data?.id], ['users', '1'])
  assert.doesNotMatch(JSON.stringify(data), /password|ann@example/)
  assert.equal((await read(404)).errors?.length, 1)
}

/** A person who is signed in makes a passkey, and signs in with it in another browser. */
async function passkeys(app: string) {
  const device = new Authenticator(app, 'localhost')
  const arrive = async () => {
    const person = new Person(app)
    const { html } = await person.open(`${app}/login`)
    const headers = { 'accept': 'application/json', 'x-csrf-token': csrfField(html) }
    const send = async (path: string, json: object = {}) => {
      const response = await person.browser.post(`${app}${path}`, { json, headers })
      const body: any = await response.json().catch(() => null)
      return { status: response.status, body }
    }
    return { person, html, send }
  }
  const ann = await arrive()
  await ann.person.signIn(ann.html)
  assert.equal((await ann.send('/account/passkeys/options', { password: 'a guess' })).status, 403)
  const creation = await ann.send('/account/passkeys/options', { password: 'a secret of mine' })
  const made = { name: 'Phone', response: device.create(creation.body) }
  assert.equal((await ann.send('/account/passkeys', made)).status, 201)

  const other = await arrive()
  const asked = await other.send('/login/passkey/options')
  const answer = { response: device.get(asked.body) }
  assert.equal((await other.send('/login/passkey', answer)).status, 204)
  const page = await other.person.open(`${app}/account/passkeys`)
  assert.match(page.html, /"name":"Phone"/)
  assert.equal((await other.send('/login/passkey', answer)).status, 422, 'an answer counts once')
}

await step('Install the tarball', install)
await step('Configure', configure)
await step('Tables and a user', async () => {
  await ace('migration:run')
  await ace('db:seed')
})
await step('Build, with types', async () => {
  await ace('build')
  /* The database stays where the commands have made it. */
  await symlink(join(folder, 'tmp'), join(folder, 'build/tmp'))
})
const server = await startBuilt(folder)
try {
  await step('A user approves, a client calls', () => rehearse(server.url))
  await step('A person is told by pages', () => problems(server.url))
  await step('A resource of JSON:API', () => resources(server.url))
  await step('A passkey', () => passkeys(server.url))
} finally {
  await server.stop()
}
