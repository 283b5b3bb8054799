import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { COPY_VARIABLES, aceIn, copyProject, runIn } from '#starter/helpers/project_copy'
import { freePort, startTogether } from '#starter/helpers/server_process'

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

      const port = String(await freePort())
      const env = {
        ...COPY_VARIABLES,
        NODE_ENV: 'production',
        PORT: port,
        DB_CONNECTION: 'sqlite',
        SQLITE_FILE: join(project, 'tmp/production.sqlite3'),
      }
      const migrated = await aceIn(folder, ['migration:run', '--force'], env)
      const server = spawn(process.execPath, ['bin/run.js', 'start'], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(server, 'close')
      cleanup(async () => {
        server.kill('SIGTERM')
        await ended
      })
      let output = ''
      server.stdout.on('data', (chunk) => (output += chunk))
      while (!output.includes('started HTTP server')) await once(server.stdout, 'data')
      const { status } = await fetch(`http://127.0.0.1:${port}/health/ready`)
      return { project, folder, built, files, migrated, status }
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
    const { migrated, status } = await started.built
    assert.equal(migrated.code, 0, migrated.stdout + migrated.stderr)
    assert.equal(status, 200)
  }).timeout(600_000)
})
