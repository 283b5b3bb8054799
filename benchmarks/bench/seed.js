/* Run in the production build: users with an API token each, a client and posts. Prints the users as JSON. */

import { createRequire } from 'node:module'
import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'

const root = pathToFileURL(`${process.cwd()}/`)
const resolve = createRequire(new URL('bin/server.js', root)).resolve
const load = (file) => import(new URL(file, root).href)
await import(pathToFileURL(resolve('reflect-metadata')).href)
const { Ignitor } = await import(pathToFileURL(resolve('@adonisjs/core')).href)
const { APP_ROOT, IMPORTER } = await load('bin/ignitor.js')

process.env.LOG_LEVEL = 'silent'
const app = new Ignitor(APP_ROOT, { importer: IMPORTER })
  .tap((application) => application.booting(() => load('start/env.js')))
  .createApp('console')
await app.init()
await app.boot()
await app.start(() => {})

const db = await app.container.make('lucid.db')
const manager = await app.container.make('auth_manager')
const users = manager.users('users')
const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
const password = await manager.hasher.make('bench-password')

const people = []
for (let index = 0; index < 21; index++) {
  const email = `bench${index}@bench.test`
  const times = { created_at: now, updated_at: now }
  await db.table('users').insert({ email, full_name: 'Bench', password, is_active: true, ...times })
  const { id } = await db.from('users').where('email', email).first()
  const options = { name: 'bench', abilities: ['posts:read'] }
  const token = await manager.feature('apiTokens').create(users, id, options)
  people.push({ email, apiToken: token.plainText })
}
// feature: posts
for (let batch = 0; batch < 20; batch++) {
  const posts = Array.from({ length: 50 }, (_, index) => ({
    user_id: (index % people.length) + 1,
    title: `Post ${batch * 50 + index}`,
    body: 'A text. '.repeat(50),
    created_at: now,
    updated_at: now,
    // feature: workspaces
    workspace_id: 0,
    // /feature
  }))
  await db.table('posts').multiInsert(posts)
}
// /feature
await db.table('oauth_clients').insert({
  id: 'bench',
  name: 'Bench',
  secret_hash: createHash('sha256').update('bench-secret').digest('hex'),
  redirect_uris: '["https://client.test/cb"]',
  grant_types: '[]',
  scopes: '[]',
  revoked: false,
  created_at: Date.now(),
})
process.stdout.write(`\n${JSON.stringify(people)}\n`)
await app.terminate()
process.exit(0)
