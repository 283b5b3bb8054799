import { once } from 'node:events'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { aceIn, copyProject, runIn } from '#starter/helpers/project_copy'
import { freePort, startTogether } from '#starter/helpers/server_process'

/** Runs `node bin/run.js …` there, as npm does. */
const run = (folder: string, args: string[], env: Record<string, string> = {}) =>
  runIn(folder, [process.execPath, 'bin/run.js', ...args], env)

test.group('Set-up', (group) => {
  const started = startTogether(group, {
    async withoutNetwork(cleanup) {
      const folder = await copyProject(cleanup, { installed: false })
      return run(folder, ['dev'], {
        npm_config_registry: 'http://127.0.0.1:9/',
        npm_config_fetch_retries: '0',
        npm_config_cache: join(folder, 'cache'),
      })
    },

    async withoutPort(cleanup) {
      const occupant = createServer().listen(0, '127.0.0.1')
      await once(occupant, 'listening')
      cleanup(async () => void occupant.close())
      const { port } = occupant.address() as { port: number }
      const folder = await copyProject(cleanup)
      return { port, ...(await run(folder, ['dev'], { PORT: String(port), HOST: '127.0.0.1' })) }
    },

    async unwritable(cleanup) {
      const folder = await copyProject(cleanup)
      await writeFile(join(folder, 'tmp'), 'a file where a folder belongs')
      return run(folder, ['dev'])
    },

    async brokenEnv(cleanup) {
      const folder = await copyProject(cleanup)
      const example = await readFile(join(folder, '.env.example'), 'utf8')
      await writeFile(
        join(folder, '.env'),
        example.replace('LOG_LEVEL=info', 'LOG_LEVEL=loud').replace('PORT=3333', 'PORT=0')
      )
      return run(folder, ['dev'])
    },

    async shortKey(cleanup) {
      const port = String(await freePort())
      return run(await copyProject(cleanup), ['dev'], { APP_KEY: 'short', PORT: port })
    },

    async withoutDatabase(cleanup) {
      return run(await copyProject(cleanup), ['dev'], {
        DB_CONNECTION: 'pg',
        DB_HOST: '127.0.0.1',
        DB_PORT: '9',
        PORT: String(await freePort()),
      })
    },

    async env(cleanup) {
      const folder = await copyProject(cleanup)
      const other = await copyProject(cleanup)
      const occupied = { PORT: '1', HOST: '192.0.2.1' }
      const read = (from: string) => readFile(join(from, '.env'), 'utf8')
      await run(folder, ['dev'], occupied)
      const first = await read(folder)
      await run(folder, ['dev'], occupied)
      await run(other, ['dev'], occupied)
      const { mode } = await stat(join(folder, '.env'))
      return { first, second: await read(folder), other: await read(other), mode }
    },

    startWithoutBuild: async (cleanup) => run(await copyProject(cleanup), ['start']),

    async unknownCommand(cleanup) {
      const folder = await copyProject(cleanup)
      await mkdir(join(folder, 'tmp'))
      const { code } = await aceIn(folder, ['no:such:command'])
      return code
    },
  })

  test('npm run dev without a network: one sentence and exit 1', async ({ assert }) => {
    const { code, stderr } = await started.withoutNetwork
    assert.equal(code, 1)
    assert.match(stderr, /^Cannot install the dependencies \(ECONNREFUSED\): [^\n]+\n$/)
  })

  test('npm run dev without a free port: one sentence and exit 1', async ({ assert }) => {
    const { code, stderr, port } = await started.withoutPort
    assert.equal(code, 1)
    assert.equal(
      stderr,
      `Cannot listen on 127.0.0.1:${port} (EADDRINUSE): set another HOST or PORT in .env.\n`
    )
  })

  test('npm run dev with an unwritable folder: one sentence and exit 1', async ({ assert }) => {
    const { code, stderr } = await started.unwritable
    assert.equal(code, 1)
    assert.match(stderr, /^Cannot write to the project folder \(\w+\): [^\n]+\n$/)
  })

  test('npm run dev with a broken .env: one sentence that names the variable, and exit 1', async ({
    assert,
  }) => {
    const { code, stderr } = await started.brokenEnv
    assert.equal(code, 1)
    assert.match(stderr, /^The environment is not complete or not valid: [^\n]+\n$/)
    assert.include(stderr, 'APP_KEY')
    assert.include(stderr, 'LOG_LEVEL')
  })

  test('npm run dev with a short APP_KEY: one sentence that names it, and exit 1', async ({
    assert,
  }) => {
    const { code, stderr } = await started.shortKey
    assert.equal(code, 1)
    assert.match(stderr, /^ *ERROR +APP_KEY is too short: [^\n]+\n$/)
  })

  test('npm run dev with a database that does not answer: one sentence and exit 1', async ({
    assert,
  }) => {
    const { code, stderr } = await started.withoutDatabase
    assert.equal(code, 1)
    assert.match(stderr, /Cannot prepare the database \([^\n]+\): check [^\n]+\n$/)
  })

  test('npm run dev writes .env once, readable by its owner alone, every key fresh', async ({
    assert,
  }) => {
    const { first, second, other, mode } = await started.env
    assert.match(first, /^APP_KEY=[\w-]{43}$/m)
    assert.equal(mode & 0o777, 0o600)
    assert.equal(second, first)
    assert.notEqual(other, first)
  })

  test('npm start where nothing was built: one sentence and exit 1', async ({ assert }) => {
    const { code, stderr } = await started.startWithoutBuild
    assert.equal(code, 1)
    assert.match(stderr, /^There is no build here: [^\n]+\n$/)
  })

  test('node ace passes exit codes on', async ({ assert }) => {
    assert.equal(await started.unknownCommand, 1)
  })
})
