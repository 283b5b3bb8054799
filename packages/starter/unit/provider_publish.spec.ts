import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

import { Kernel } from '@adonisjs/core/ace'
import { AppFactory } from '@adonisjs/core/factories/app'
import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

import ProviderPublish from 'adonis-auth-kit/commands/provider_publish'

const STUBS = app.makePath('packages/kit/stubs/publish')

async function filesIn(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

/** What each key writes. */
const PUBLISHED: Record<string, string[]> = {}
for (const key of await readdir(STUBS)) {
  const stubs = await filesIn(join(STUBS, key))
  PUBLISHED[key] = stubs.map((stub) => stub.replace(/\.stub$/, ''))
}

/** What belongs to a provider, and so to a key. */
const OF_PROVIDERS =
  /^config\/(session|api_token|cors|scopes|oauth2|security_log|email_verification|two_factor|passkeys|mail_code|social|mcp|workspaces)\.ts$|^app\/services\/(openid_claims|social_accounts)\.ts$|^app\/models\/(session|personal_api_token|oauth_\w+)\.ts$|^database\/migrations\/.*(sessions|personal_api_tokens|oauth|security_events|email_verification|two_factor|passkey|mail_code|social|organisation_providers|mcp_tasks|mcp_signals|used_once|create_workspace)/

/** An empty application in a folder of its own, which goes with the test. */
async function createProject() {
  const root = await mkdtemp(join(tmpdir(), 'publish-'))
  getActiveTest()!.cleanup(() => rm(root, { recursive: true }))

  const project = new AppFactory().create(pathToFileURL(`${root}/`))
  await project.init()

  return {
    at: (path: string) => join(root, path),
    files: () => filesIn(root),
    async publish(...argv: string[]) {
      const kernel = new Kernel(project as any)
      kernel.ui.switchMode('raw')
      const command = await kernel.create(ProviderPublish, argv)
      await command.exec()
      const logs = kernel.ui.logger.getLogs().map(({ message }) => message)
      return { exitCode: command.exitCode, output: logs.join('\n') }
    },
  }
}

test.group('provider:publish', () => {
  test('-p {$self} writes exactly what is checked in')
    .with(Object.keys(PUBLISHED))
    .run(async ({ assert }, key) => {
      const project = await createProject()
      const { exitCode, output } = await project.publish('-p', key)

      assert.equal(exitCode, 0)
      assert.deepEqual(await project.files(), PUBLISHED[key])
      for (const file of PUBLISHED[key]!) {
        assert.equal(
          await readFile(project.at(file), 'utf8'),
          await readFile(app.makePath(file), 'utf8'),
          file
        )
        assert.include(output, `create ${file}`)
      }
    })

  test('every config file and migration of a provider can be published', async ({ assert }) => {
    const configs = await filesIn(app.configPath())
    const migrations = await filesIn(app.migrationsPath())
    const models = await filesIn(app.makePath('app/models'))
    const checkedIn = [
      ...configs.map((file) => `config/${file}`),
      ...migrations.map((file) => `database/migrations/${file}`),
      /* Which config files import. */
      ...models.map((file) => `app/models/${file}`),
      'app/services/openid_claims.ts',
      'app/services/social_accounts.ts',
    ]
    assert.sameMembers(
      [...new Set(Object.values(PUBLISHED).flat())],
      checkedIn.filter((file) => OF_PROVIDERS.test(file))
    )
    assert.includeMembers(PUBLISHED['auth-api-token']!, ['config/api_token.ts', 'config/cors.ts'])
  })

  test('a file that exists is skipped and named, and the others are written', async ({
    assert,
  }) => {
    const project = await createProject()
    await project.publish('-p', 'auth-session')
    const [, config, migration] = PUBLISHED['auth-session'] as [string, string, string]
    await writeFile(project.at(config), 'mine')
    await rm(project.at(migration))

    const { exitCode, output } = await project.publish('-p', 'auth-session')
    assert.equal(exitCode, 0)
    assert.match(output, /SKIPPED.*create config\/session\.ts.*exists/)
    assert.match(output, /DONE.*create database\/migrations/)
    assert.equal(await readFile(project.at(config), 'utf8'), 'mine')
    assert.deepEqual(await project.files(), PUBLISHED['auth-session'])
  })

  test('--force overwrites', async ({ assert }) => {
    const project = await createProject()
    await project.publish('-p', 'auth-session')
    await writeFile(project.at('config/session.ts'), 'mine')

    const { output } = await project.publish('-p', 'auth-session', '--force')
    assert.match(output, /DONE.*create config\/session\.ts/)
    assert.notEqual(await readFile(project.at('config/session.ts'), 'utf8'), 'mine')
  })

  test('{$self} fails and lists the known keys')
    .with([['-p', 'auth'], ['-p', '../publish'], ['--provider=auth-sessions'], []])
    .run(async ({ assert }, argv) => {
      const project = await createProject()
      const { exitCode, output } = await project.publish(...argv)
      assert.equal(exitCode, 1)
      for (const key of Object.keys(PUBLISHED)) {
        assert.include(output, key)
      }
      assert.deepEqual(await project.files(), [])
    })
})
