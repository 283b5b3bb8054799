import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { copyProject, runIn, startBuild } from '#starter/helpers/project_copy'
import { startTogether } from '#starter/helpers/server_process'

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false
  )

test.group('npm run build', (group) => {
  const started = startTogether(group, {
    /** The build of a copy without a history, whose .env is a development one. */
    async built(cleanup) {
      const project = await copyProject(cleanup)
      const built = await runIn(project, [process.execPath, 'bin/run.js', 'build'])
      const folder = join(project, 'build')
      const files = await readdir(folder)

      const url = await startBuild(folder, join(project, 'tmp/production.sqlite3'), cleanup)
      const { status } = await fetch(`${url}/health/ready`)
      return { project, folder, built, files, status }
    },
  })

  test('leaves out what tests, measures and develops the application', async ({ assert }) => {
    const { built, folder, files } = await started.built
    assert.equal(built.code, 0, built.stdout + built.stderr)
    assert.includeMembers(files, ['ace.js', 'app', 'bin', 'packages', 'package.json', 'resources'])
    for (const name of ['tests', 'benchmarks', '.agents', 'docs']) {
      assert.notInclude(files, name)
    }
    assert.isFalse(await exists(join(folder, 'database/factories')))
    assert.isFalse(await exists(join(folder, 'database/seeders')))
  }).timeout(600_000)

  test('never takes the .env of the project', async ({ assert }) => {
    const { project, files } = await started.built
    assert.isTrue(await exists(join(project, '.env')))
    assert.deepEqual(
      files.filter((name) => name.startsWith('.env')),
      ['.env.example']
    )
  }).timeout(600_000)

  test('makes an application that migrates and serves', async ({ assert }) => {
    const { status } = await started.built
    assert.equal(status, 200)
  }).timeout(600_000)
})
