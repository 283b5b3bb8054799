import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { Kernel } from '@adonisjs/core/ace'
import { AppFactory } from '@adonisjs/core/factories/app'
import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

import { tables } from 'adonis-auth-kit/tables'
import KitUpgrade from 'adonis-auth-kit/commands/kit_upgrade'
import ProviderPublish from 'adonis-auth-kit/commands/provider_publish'

const MIGRATIONS = 'database/migrations'

/** An application that lists providers, in a folder of its own. */
async function createProject(providers: string) {
  const root = await mkdtemp(join(tmpdir(), 'upgrade-'))
  getActiveTest()!.cleanup(() => rm(root, { recursive: true }))
  const project = new AppFactory().create(pathToFileURL(`${root}/`))
  await project.init()
  await writeFile(join(root, 'adonisrc.ts'), providers)

  const run = async (Command: typeof KitUpgrade | typeof ProviderPublish, ...argv: string[]) => {
    const kernel = new Kernel(project as any)
    kernel.ui.switchMode('raw')
    const command = await kernel.create(Command as typeof KitUpgrade, argv)
    await command.exec()
    return kernel.ui.logger.getLogs().map(({ message }) => message)
  }
  return {
    at: (path: string) => join(root, path),
    files: async () => (await readdir(root, { recursive: true })).sort(),
    migrations: () => readdir(join(root, MIGRATIONS)).catch(() => []),
    publish: (key: string) => run(ProviderPublish, '-p', key),
    upgrade: async () => (await run(KitUpgrade)).join('\n'),
    async write(path: string, text: string) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    },
  }
}

const provider = (name: string) => `() => import('#providers/${name}_provider'),\n`
const stubOf = (path: string) => readFile(app.makePath('packages/kit/stubs', path), 'utf8')

test.group('kit:upgrade', () => {
  test('publishes the migrations that are missing, of the features that are on', async ({
    assert,
  }) => {
    const project = await createProject(provider('auth_session') + provider('mcp'))
    await project.publish('auth-session')
    const [first, ...others] = await project.migrations()
    await rm(project.at(`${MIGRATIONS}/${first}`))

    const output = await project.upgrade()
    assert.sameMembers(await project.migrations(), [
      first!,
      ...others,
      '2026_11_21_000040_create_mcp_tasks_table.ts',
      '2026_11_23_000130_create_mcp_signals_table.ts',
    ])
    assert.include(output, 'node ace migration:run')
  })

  test('in a build, where adonisrc.ts is compiled, one sentence says where to run it', async ({
    assert,
  }) => {
    const project = await createProject('')
    await rm(project.at('adonisrc.ts'))
    const message = 'There is no adonisrc.ts here: run this where the sources are, not in a build'
    assert.equal(await project.upgrade(), `[ red(error) ] ${message}`)
    assert.deepEqual(await project.files(), [])
  })

  test('publishes nothing of a feature whose provider is {$self}')
    .with(['not listed', 'commented out'])
    .run(async ({ assert }, how) => {
      const line = how === 'commented out' ? `  // ${provider('auth_passkeys')}` : ''
      const project = await createProject(line)
      assert.include(await project.upgrade(), 'There are no new migrations')
      assert.deepEqual(await project.files(), ['adonisrc.ts'])
    })

  /* The tables that every application has from its beginning are as the documents have them. */
  test('every table of a feature is made by a migration that upgrades publish', async ({
    assert,
  }) => {
    const keys = await readdir(app.makePath('packages/kit/stubs/publish'))
    const names = keys.map((key) => key.replaceAll('-', '_'))
    const project = await createProject(names.map(provider).join(''))
    await project.upgrade()
    const migrations = await project.migrations()
    const isMade = (table: string) =>
      migrations.some((name) => name.endsWith(`_create_${table}_table.ts`))
    assert.deepEqual(
      tables.filter((table) => !isMade(table)),
      ['password_reset_tokens', 'rate_limits']
    )
  })

  test('a provider of the package counts as one of the application', async ({ assert }) => {
    const project = await createProject(`() => import("adonis-auth-kit/providers/mcp_provider")`)
    await project.upgrade()
    assert.lengthOf(await project.migrations(), 2)
  })

  test('tells which settings a config file lacks, and changes neither it nor a migration', async ({
    assert,
  }) => {
    const project = await createProject(provider('mcp'))
    await project.publish('mcp')
    const stub = await stubOf('publish/mcp/config/mcp.ts.stub')
    const own = stub.replace(/^.*taskTtl.*\n/m, '').replace('pageSize: 50', 'pageSize: 20')
    await project.write('config/mcp.ts', own)
    const [migration] = await project.migrations()
    await project.write(`${MIGRATIONS}/${migration}`, 'mine')

    const output = await project.upgrade()
    assert.match(
      output,
      /config\/mcp\.ts differs from the kit's \(\+2 −1 lines\), and has no taskTtl/
    )
    assert.equal(await readFile(project.at('config/mcp.ts'), 'utf8'), own)
    assert.equal(await readFile(project.at(`${MIGRATIONS}/${migration}`), 'utf8'), 'mine')
  })

  test('says nothing of a config file that is as published, and of one that was deleted', async ({
    assert,
  }) => {
    const project = await createProject(provider('mcp') + provider('auth_session'))
    await project.publish('mcp')
    assert.notInclude(await project.upgrade(), 'differs')
    assert.notInclude(await project.files(), 'config/session.ts')
  })

  test('names pages of the kit that the application has copied and changed', async ({ assert }) => {
    const project = await createProject('')
    const copies = ['pages/oauth/consent', 'mails/message'].map((name) => `views/${name}.edge`)
    const [consent, mail] = await Promise.all(
      copies.map((path) => readFile(app.makePath('packages/kit/resources', path), 'utf8'))
    )
    await project.write(`resources/${copies[0]}`, `${consent}<p>Mine</p>\n`)
    await project.write(`resources/${copies[1]}`, mail!)
    await project.write('resources/views/pages/mine.edge', 'mine')

    const output = await project.upgrade()
    assert.match(
      output,
      /pages\/oauth\/consent\.edge differs from the kit's \(\+0 −1 lines\)\. Comp/
    )
    assert.lengthOf(output.match(/differs/g)!, 1)
  })

  test('the frame that the starter gives the pages of OAuth is no copy', async ({ assert }) => {
    const project = await createProject('')
    const frame = 'resources/views/components/oauth/page.edge'
    await project.write(frame, await readFile(app.makePath(frame), 'utf8'))
    assert.equal(await project.upgrade(), '[ blue(info) ] There are no new migrations.')
  })

  test('lines that end in "\\r\\n" are no difference', async ({ assert }) => {
    const project = await createProject(provider('mcp'))
    const stub = await stubOf('publish/mcp/config/mcp.ts.stub')
    await project.write('config/mcp.ts', stub.replaceAll('\n', '\r\n'))
    assert.notInclude(await project.upgrade(), 'differs')
    await project.write('config/mcp.ts', `${stub}// mine\n`.replaceAll('\n', '\r\n'))
    assert.include(await project.upgrade(), '(+0 −1 lines)')
  })

  test('in an application on @adonisjs/auth, compares with what configure has written', async ({
    assert,
  }) => {
    const project = await createProject(provider('host') + provider('mcp'))
    await project.write('config/mcp.ts', await stubOf('configure/mcp/config/mcp.ts.stub'))
    await project.write('config/oauth2.ts', 'mine')
    const output = await project.upgrade()
    assert.notInclude(output, 'config/mcp.ts')
    assert.include(output, 'config/oauth2.ts differs')
  })
})
