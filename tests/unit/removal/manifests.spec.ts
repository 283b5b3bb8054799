import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { readManifests } from '#removal/manifests'

const manifests = await readManifests(app.makePath())
const features = [...manifests.values()]

/** The features that a file goes with. */
const ownersOf = (path: string) => features.filter(({ files }) => files.includes(path))

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

  test('a migration belongs to one feature at most', ({ assert }) => {
    for (const path of globSync('database/migrations/*.ts', { cwd: app.makePath() })) {
      assert.isAtMost(ownersOf(path).length, 1, path)
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
