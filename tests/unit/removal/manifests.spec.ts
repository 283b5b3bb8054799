import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { readManifests } from '#removal/manifests'

const manifests = await readManifests(app.makePath())
const features = [...manifests.values()]

/** The features that a file or folder goes with. */
const ownersOf = (path: string) =>
  features.filter(({ files }) => files.some((one) => one === path || path.startsWith(`${one}/`)))

/** What stays whichever features go; whoever adds to these folders names an owner, or the file here. */
const SHARED = [
  { pattern: 'modules/*', shared: [] as string[] },
  {
    pattern: 'providers/*',
    shared: ['auth_provider.ts', 'http_provider.ts', 'words_provider.ts'],
  },
  {
    pattern: 'config/*',
    shared: [
      ...['app.ts', 'auth.ts', 'bodyparser.ts', 'cors.ts', 'database.ts', 'encryption.ts'],
      ...['hash.ts', 'i18n.ts', 'logger.ts', 'mail.ts', 'redis.ts', 'scopes.ts', 'shield.ts'],
      'static.ts',
    ],
  },
  {
    pattern: 'start/*',
    shared: [
      'env.ts',
      'events.ts',
      'health.ts',
      'kernel.ts',
      'production.ts',
      'routes.ts',
      'view.ts',
    ],
  },
  {
    pattern: 'commands/*',
    shared: [
      ...['auth_purge.ts', 'auth_tokens.ts', 'auth_user.ts', 'db_prepare.ts', 'doctor.ts'],
      ...['feature_remove.ts', 'provider_publish.ts'],
    ],
  },
  {
    pattern: 'stubs/{make,publish}/*',
    shared: [
      'controller',
      'factory',
      'listener',
      'migration',
      'policy',
      'preload',
      'test',
      'validator',
      'view',
    ],
  },
  {
    pattern: 'tests/functional/*',
    shared: ['auth', 'commands', 'errors', 'http', 'pages', 'reference_routes'],
  },
  { pattern: 'tests/unit/*/', shared: ['auth', 'doctor', 'http', 'start', 'support'] },
]

const read = (path: string) => readFile(app.makePath(path), 'utf8')

test.group('Manifests', () => {
  test('every module has one that names its folder', ({ assert }) => {
    for (const folder of globSync('modules/*', { cwd: app.makePath() })) {
      assert.include(manifests.get(`${folder}/manifest.json`)?.files ?? [], folder)
    }
  })

  test('no two features have the same name', ({ assert }) => {
    assert.lengthOf(new Set(features.map(({ name }) => name)), features.length)
  })

  test('{name}: everything that it names exists')
    .with(features)
    .run(async ({ assert }, { files, needs = [], env = [], tables = [], guard }) => {
      for (const path of files) assert.isTrue(existsSync(app.makePath(path)), path)
      const names = features.map(({ name }) => name)
      for (const name of needs) assert.include(names, name)

      const variables = await read('start/env.ts')
      for (const name of env) assert.match(variables, new RegExp(`^ {2}${name}: `, 'm'))
      const migrations = await Promise.all(
        files.filter((path) => path.startsWith('database/migrations/')).map(read)
      )
      for (const table of tables) assert.include(migrations.join('\n'), `'${table}'`)
      if (guard) assert.include(await read('config/auth.ts'), `${guard}(`)
    })

  test('every migration of a table of a feature is its own', async ({ assert }) => {
    const owned = features.flatMap(({ files }) => files)
    const tables = features.flatMap((feature) => feature.tables ?? [])
    const migrations = globSync('database/migrations/*.ts', { cwd: app.makePath() })
    for (const path of migrations.filter((one) => !owned.includes(one))) {
      const code = await read(path)
      for (const table of tables) assert.notInclude(code, `'${table}'`, path)
    }
  })

  test('a migration belongs to one feature, unless it is of users', ({ assert }) => {
    const migrations = globSync('database/migrations/*.ts', { cwd: app.makePath() })
    for (const path of migrations.filter((one) => !one.includes('create_users_table'))) {
      assert.lengthOf(ownersOf(path), path.includes('_drop_') ? 0 : 1, path)
    }
  })

  test('what no feature owns is of all of them: {pattern}')
    .with(SHARED)
    .run(({ assert }, { pattern, shared }) => {
      for (const path of globSync(pattern, { cwd: app.makePath() })) {
        if (!shared.includes(basename(path))) assert.isNotEmpty(ownersOf(path), path)
      }
    })

  test('{name}: its folders in tests/ and its files in config/ and providers/ are its own')
    .with(features.filter(({ core }) => !core))
    .run(({ assert }, { name, files }) => {
      const patterns = [
        `tests/*/${name}`,
        `config/${name}.ts`,
        `providers/{,auth_}${name}_provider.ts`,
        `start/${name}.ts`,
      ]
      for (const path of globSync(patterns, { cwd: app.makePath() })) {
        assert.include(files, path)
      }
    })
})
