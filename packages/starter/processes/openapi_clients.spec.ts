import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { PostFactory } from '#database/factories/post_factory'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import Post from '#models/post'
import { execute } from '#starter/helpers/execute'
import { serverUrl } from '#starter/helpers/server_url'

const SOURCES = app.makePath('packages/starter/fixtures/openapi_clients')

/** Runs a tool of npm in a folder. */
const tool = (folder: string, name: string, ...args: string[]) =>
  execute(app.makePath('node_modules/.bin', name), args, { cwd: folder })

/** Makes both clients from the description, compiled; below this project, whose packages they find. */
async function makeClients(folder: string) {
  await cp(SOURCES, folder, { recursive: true })
  const description = await fetch(await serverUrl('/openapi.json'))
  await writeFile(join(folder, 'openapi.json'), await description.text())
  await Promise.all([
    tool(folder, 'openapi-typescript', 'openapi.json', '-o', 'api.ts'),
    tool(folder, 'openapi-ts', '-i', 'openapi.json', '-o', 'hey', '--no-log-file'),
  ])
  await tool(folder, 'tsc', '--project', folder)
}

test.group('Clients made from /openapi.json', (group) => {
  let folder: string

  group.setup(async () => {
    await mkdir(app.tmpPath(), { recursive: true })
    folder = await mkdtemp(app.tmpPath('openapi-clients-'))
    await makeClients(folder)
    return () => rm(folder, { recursive: true })
  })
  group.each.setup(async () => {
    await Post.query().delete()
  })

  for (const client of ['openapi_fetch', 'hey_api']) {
    test(`${client}: signs in, makes a token, writes a post and pages through all`, async ({
      assert,
    }) => {
      const user = await UserFactory.create()
      for (const title of ['A', 'B']) {
        await PostFactory.merge({ userId: user.id, title }).create()
      }
      const script = join(folder, 'made', 'flow.js')
      const args = [script, client, await serverUrl('/'), user.email, FACTORY_PASSWORD]
      const { output } = await execute('node', args, { cwd: folder })
      assert.deepEqual(JSON.parse(output), {
        wrong: 'invalid_session',
        email: user.email,
        title: 'Typed',
        pages: [['A', 'B'], ['Typed']],
        refused: '400',
      })
    })
  }
})
