import { access, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { Kernel } from '@adonisjs/core/ace'
import { AppFactory } from '@adonisjs/core/factories/app'
import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import FeatureRemove from '#commands/feature_remove'

const MIGRATION = 'database/migrations/2026_01_01_000001_create_keys_table'
const QUESTION = 'Take this out?'

/** A small application: doors open with keys, and rings hold keys. */
const FILES: Record<string, string> = {
  'package.json': JSON.stringify({
    imports: { '#keys/*': './modules/keys/*.js', '#database/*': './database/*.js' },
    scripts: {},
    dependencies: { locksmith: '1.0.0', luxon: '3.7.2' },
    devDependencies: {},
  }),
  'modules/auth/manifest.json': JSON.stringify({
    name: 'auth',
    title: 'Users',
    core: true,
    files: ['modules/auth'],
  }),
  'modules/keys/manifest.json': JSON.stringify({
    name: 'keys',
    title: 'Keys',
    files: ['modules/keys', `${MIGRATION}.ts`],
    tables: ['keys'],
    env: ['KEY_LENGTH'],
  }),
  'modules/keys/key.ts': `import { cut } from 'locksmith'\n\nexport const key = cut\n`,
  'modules/rings/manifest.json': JSON.stringify({
    name: 'rings',
    title: 'Rings',
    needs: ['keys'],
    files: ['modules/rings'],
  }),
  'modules/rings/ring.ts': `export const ring = []\n`,
  'app/door.ts': `import { key } from '#keys/key'\n\nexport const waysIn = [key, 'bell']\n`,
  'config/auth.ts': `export default defineConfig({ guards: { web: sessionGuard({}) } })\n`,
  '.env.example': `# Millimetres\nKEY_LENGTH=60\nHOST=localhost\n`,
  'docs/doors.md': `# Doors\n\nKeys open them.\n\n\`\`\`ts\nimport { key } from '#keys/key'\n\`\`\`\n`,
  [`${MIGRATION}.ts`]: `import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('keys', (table) => table.increments('id'))
  }

  async down() {
    this.schema.dropTable('keys')
  }
}
`,
}

/** The application in a folder, which goes with the test. Below this project, so that its migrations find Lucid. */
async function createProject() {
  await mkdir(app.tmpPath(), { recursive: true })
  const root = await mkdtemp(join(app.tmpPath(), 'feature-remove-'))
  getActiveTest()!.cleanup(() => rm(root, { recursive: true }))
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const project = new AppFactory().create(pathToFileURL(`${root}/`))
  await project.init()

  return {
    at: (path: string) => join(root, path),
    read: (path: string) => readFile(join(root, path), 'utf8'),
    exists: (path: string) =>
      access(join(root, path)).then(
        () => true,
        () => false
      ),
    async remove(argv: string[], answer?: boolean) {
      const kernel = new Kernel(project as any)
      kernel.ui.switchMode('raw')
      const command = await kernel.create(FeatureRemove, argv)
      const prompt = command.prompt.trap(QUESTION)
      answer ? prompt.accept() : prompt.reject()
      await command.exec()
      const logs = kernel.ui.logger.getLogs().map(({ message }) => message)
      return { exitCode: command.exitCode, output: logs.join('\n') }
    },
  }
}

test.group('node ace feature:remove', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('shows what it would do and asks; after a no nothing has changed', async ({ assert }) => {
    const project = await createProject()
    const { output } = await project.remove(['keys'], false)
    for (const line of [
      'keys (Keys)',
      'delete modules/keys/key.ts',
      'change app/door.ts',
      'uninstall locksmith',
      'Nothing has changed.',
    ]) {
      assert.include(output, line)
    }
    for (const [path, text] of Object.entries(FILES)) assert.equal(await project.read(path), text)
  })

  test('after a yes everything of the feature is gone, and the rest still works', async ({
    assert,
  }) => {
    const project = await createProject()
    const { exitCode } = await project.remove(['keys'], true)
    assert.equal(exitCode, 0)
    assert.isFalse(await project.exists('modules/keys'))
    assert.isFalse(await project.exists('database'))
    assert.equal(await project.read('app/door.ts'), `export const waysIn = ['bell']\n`)
    assert.equal(await project.read('.env.example'), 'HOST=localhost\n')
    const { imports, dependencies } = JSON.parse(await project.read('package.json'))
    assert.deepEqual(imports, { '#database/*': './database/*.js' })
    assert.deepEqual(dependencies, { luxon: '3.7.2' })
  })

  test('--yes asks nothing', async ({ assert }) => {
    const project = await createProject()
    await project.remove(['rings', '--yes'], false)
    assert.isFalse(await project.exists('modules/rings'))
    assert.isTrue(await project.exists('modules/keys'))
  })

  test('what needs the feature goes too, and it says so', async ({ assert }) => {
    const project = await createProject()
    const { output } = await project.remove(['keys', '--yes'])
    assert.include(output, 'rings goes too: it needs keys')
    assert.isFalse(await project.exists('modules/rings'))
  })

  test('{name} is refused, and nothing is changed')
    .with([
      {
        name: 'an unknown name',
        argv: ['kyes'],
        says: /There is no feature "kyes"\. .* keys, rings/,
      },
      {
        name: 'the core',
        argv: ['keys', 'auth'],
        says: /"auth" cannot be taken out by this command/,
      },
    ])
    .run(async ({ assert }, { argv, says }) => {
      const project = await createProject()
      const { exitCode, output } = await project.remove([...argv, '--yes'])
      assert.equal(exitCode, 1)
      assert.match(output, says)
      assert.isTrue(await project.exists('modules/keys'))
    })

  test('it says what is left for a person', async ({ assert }) => {
    const project = await createProject()
    const { output } = await project.remove(['keys', '--yes'])
    assert.include(output, 'docs/doors.md has examples with what was taken out: choose others.')
    assert.include(output, '"Keys" is still in docs/doors.md: read these again.')
    assert.include(output, 'Run "npm install": some packages are no longer needed.')
    assert.include(await project.read('docs/doors.md'), '```typescript')
  })

  test('a migration that the database has stays, and a new one drops its tables and makes them again', async ({
    assert,
  }) => {
    const project = await createProject()
    await db.table('adonis_schema').insert({ name: MIGRATION, batch: 1 })
    const { output } = await project.remove(['keys', '--yes'])
    assert.isTrue(await project.exists(`${MIGRATION}.ts`))
    const files = await readdir(project.at('database/migrations'))
    const dropping = files.find((name) => name.includes('_drop_'))!
    assert.include(output, `Run "node ace migration:run": database/migrations/${dropping}`)

    const { default: Create } = await import(project.at(`${MIGRATION}.ts`))
    const { default: Drop } = await import(project.at(`database/migrations/${dropping}`))
    const client = await db.transaction()
    try {
      await new Create(client, MIGRATION).execUp()
      await new Drop(client, dropping).execUp()
      assert.isFalse(await client.schema.hasTable('keys'))
      await new Drop(client, dropping).execDown()
      assert.isTrue(await client.schema.hasTable('keys'))
    } finally {
      await client.rollback()
    }
  })
})
