import { once } from 'node:events'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { aceIn, copyProject, runIn } from '#starter/helpers/project_copy'
import { freePort, startTogether } from '#starter/helpers/server_process'

/** Runs `node bin/run.js …` there, as npm does. */
const run = (folder: string, args: string[], env: Record<string, string> = {}) =>
  runIn(folder, [process.execPath, 'bin/run.js', ...args], env)

const FAILING_MIGRATION = `import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    await this.db.rawQuery('SELEC nonsense')
  }
}
`

test.group('Set-up', (group) => {
  const started = startTogether(group, {
    /** Before anything is installed. */
    async bare(cleanup) {
      const folder = await copyProject(cleanup, { installed: false })
      const tmp = join(folder, 'tmp')
      await writeFile(tmp, 'a file where a folder belongs')
      const unwritable = await run(folder, ['dev'])
      await rm(tmp)
      const withoutNetwork = await run(folder, ['dev'], {
        npm_config_registry: 'http://127.0.0.1:9/',
        npm_config_fetch_retries: '0',
        npm_config_cache: join(folder, 'cache'),
      })
      return { unwritable, withoutNetwork }
    },

    async installed(cleanup) {
      const folder = await copyProject(cleanup)
      const env = join(folder, '.env')
      const occupant = createServer().listen(0, '127.0.0.1')
      await once(occupant, 'listening')
      cleanup(async () => void occupant.close())
      const { port: occupied } = occupant.address() as { port: number }
      const withoutPort = () => run(folder, ['dev'], { PORT: String(occupied), HOST: '127.0.0.1' })

      const beforeFirstStart = await aceIn(folder, ['feature:remove', 'mcp', '--yes'])
      const inProduction = await aceIn(folder, ['doctor'], { NODE_ENV: 'production' })
      await withoutPort()
      const { mode } = await stat(env)
      const first = await readFile(env, 'utf8')
      const second = { ...(await withoutPort()), port: occupied }
      const kept = await readFile(env, 'utf8')
      const PORT = String(await freePort())
      const shortKey = await run(folder, ['dev'], { APP_KEY: 'short', PORT })
      const withoutDatabase = await run(folder, ['dev'], {
        DB_CONNECTION: 'pg',
        DB_HOST: '127.0.0.1',
        DB_PORT: '9',
        PORT,
      })
      const withoutFile = await aceIn(folder, ['migration:run'], { SQLITE_FILE: folder })
      const withoutBuild = await run(folder, ['start'])
      const unknownCommand = await aceIn(folder, ['no:such:command'])

      await rm(env)
      await withoutPort()
      const other = await readFile(env, 'utf8')
      const example = await readFile(join(folder, '.env.example'), 'utf8')
      const migration = join(folder, 'database/migrations/2030_01_01_000000_fails.ts')
      await writeFile(migration, FAILING_MIGRATION)
      const badMigration = await aceIn(folder, ['db:prepare'])
      await writeFile(
        env,
        example.replace('LOG_LEVEL=info', 'LOG_LEVEL=loud').replace('PORT=3333', 'PORT=0')
      )
      const brokenEnv = await run(folder, ['dev'])
      return {
        beforeFirstStart,
        inProduction,
        withoutPort: second,
        env: { first, kept, other, mode },
        shortKey,
        withoutDatabase,
        withoutFile,
        withoutBuild,
        unknownCommand,
        brokenEnv,
        badMigration,
      }
    },
  })

  test('npm run dev without a network: one sentence and exit 1', async ({ assert }) => {
    const { code, stderr } = (await started.bare).withoutNetwork
    assert.equal(code, 1)
    assert.match(stderr, /^Cannot install the dependencies \(ECONNREFUSED\): [^\n]+\n$/)
  })

  test('npm run dev without a free port: one sentence and exit 1', async ({ assert }) => {
    const { code, stderr, port } = (await started.installed).withoutPort
    assert.equal(code, 1)
    assert.equal(
      stderr,
      `Cannot listen on 127.0.0.1:${port} (EADDRINUSE): set another HOST or PORT in .env.\n`
    )
  })

  test('npm run dev with an unwritable folder: one sentence and exit 1', async ({ assert }) => {
    const { code, stderr } = (await started.bare).unwritable
    assert.equal(code, 1)
    assert.match(stderr, /^Cannot write to the project folder \(\w+\): [^\n]+\n$/)
  })

  test('npm run dev with a broken .env: one sentence that names the variable, and exit 1', async ({
    assert,
  }) => {
    const { code, stderr } = (await started.installed).brokenEnv
    assert.equal(code, 1)
    assert.match(stderr, /^The environment is not complete or not valid: [^\n]+\n$/)
    assert.include(stderr, 'APP_KEY')
    assert.include(stderr, 'LOG_LEVEL')
  })

  test('a command before the first start: what to do, and exit 1', async ({ assert }) => {
    const { beforeFirstStart, inProduction } = await started.installed
    assert.equal(beforeFirstStart.code, 1)
    assert.match(beforeFirstStart.stderr, /^The environment is not complete [^\n]+\n$/)
    assert.include(beforeFirstStart.stderr, 'There is no .env yet: "npm run dev" writes it')
    assert.notInclude(inProduction.stderr, 'npm run dev')
  })

  test('npm run dev with a short APP_KEY: one sentence that names it, and exit 1', async ({
    assert,
  }) => {
    const { code, stderr } = (await started.installed).shortKey
    assert.equal(code, 1)
    assert.match(stderr, /^ *ERROR +APP_KEY is too short: [^\n]+\n$/)
  })

  test('npm run dev with a database that does not answer: one sentence and exit 1', async ({
    assert,
  }) => {
    const { code, stderr } = (await started.installed).withoutDatabase
    assert.equal(code, 1)
    assert.match(stderr, /Cannot prepare the database \([^\n]+\): check [^\n]+\n$/)
  })

  test('migration:run on a file that cannot be opened: one sentence, no stack, and exit 1', async ({
    assert,
  }) => {
    const { code, stdout, stderr } = (await started.installed).withoutFile
    assert.equal(code, 1)
    assert.match(stdout + stderr, /Cannot read or write a file: unable to open database file\./)
    assert.notMatch(stdout + stderr, /^ +at /m)
  })

  test('a migration that fails: the last line is what went wrong with it, and exit 1', async ({
    assert,
  }) => {
    const { code, stderr } = (await started.installed).badMigration
    assert.equal(code, 1)
    assert.match(
      stderr,
      /\n[^\n]*A migration failed \([^\n]*syntax error[^\n]*\): correct it and run this again\.\n$/
    )
  })

  test('npm run dev writes .env once, readable by its owner alone, every key fresh', async ({
    assert,
  }) => {
    const { first, kept, other, mode } = (await started.installed).env
    assert.match(first, /^APP_KEY=[\w-]{43}$/m)
    assert.equal(mode & 0o777, 0o600)
    assert.equal(kept, first)
    assert.notEqual(other, first)
  })

  test('npm start where nothing was built: one sentence and exit 1', async ({ assert }) => {
    const { code, stderr } = (await started.installed).withoutBuild
    assert.equal(code, 1)
    assert.match(stderr, /^There is no build here: [^\n]+\n$/)
  })

  test('node ace passes exit codes on', async ({ assert }) => {
    assert.equal((await started.installed).unknownCommand.code, 1)
  })
})
