import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

import { runScript, startServer, stopServer } from '#starter/helpers/server_process'

async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'production-'))
  getActiveTest()!.cleanup(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Stands for the compiled server: it says what the environment of the build is. */
const SERVER = `
  await import(new URL('./runtime.js', import.meta.url).href)
  const { Env } = await import('@adonisjs/core/env')
  const env = await Env.create(new URL('../', import.meta.url), {
    NODE_ENV: Env.schema.string(),
    MAIL_MAILER: Env.schema.string.optional(),
  })
  process.stdout.write(env.get('NODE_ENV') + ' ' + env.get('MAIL_MAILER'))
`

/** A project with a development .env, and a build in it. */
async function createBuild() {
  const project = await temporaryFolder()
  const build = join(project, 'build')
  await mkdir(join(build, 'bin'), { recursive: true })
  await symlink(app.makePath('node_modules'), join(project, 'node_modules'))
  for (const file of ['runtime.js', 'run.js']) {
    await cp(app.makePath('bin', file), join(build, 'bin', file))
  }
  await writeFile(join(build, 'bin', 'server.js'), SERVER)
  await writeFile(join(build, 'package.json'), '{ "type": "module" }')
  await writeFile(join(project, '.env'), 'NODE_ENV=development\nMAIL_MAILER=log\n')
  return build
}

async function start(build: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['bin/run.js', 'start'], {
    cwd: build,
    env: { PATH: process.env.PATH, ...env },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  await once(child, 'close')
  return output
}

test.group('A production build', () => {
  test("never takes the project's .env", async ({ assert }) => {
    const build = await createBuild()
    assert.equal(await start(build), 'production undefined')
  })

  test('takes the .env of its own folder, and its environment before that', async ({ assert }) => {
    const build = await createBuild()
    await writeFile(join(build, '.env'), 'MAIL_MAILER=smtp\n')
    assert.equal(await start(build), 'production smtp')
    assert.equal(await start(build, { MAIL_MAILER: 'log' }), 'production log')
  })
})

test.group('A production start', () => {
  /** What the server logs at level "warn" until it answers and has ended. */
  async function warningsOf(env: Record<string, string>) {
    let output = ''
    const folder = await temporaryFolder()
    const url = await startServer(
      {
        NODE_ENV: 'production',
        ENV_PATH: folder,
        LOG_LEVEL: 'warn',
        DB_CONNECTION: 'sqlite',
        SQLITE_FILE: join(folder, 'db.sqlite3'),
        ...env,
      },
      { onOutput: (text) => (output += text) }
    )
    await stopServer(url)
    return output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 40)
      .map(({ msg }) => msg as string)
  }

  test('warns in one line each about what is for development, and starts', async ({ assert }) => {
    const warnings = await warningsOf({
      APP_URL: 'http://app.example.com',
      SESSION_SECURE: 'false',
      MAIL_MAILER: 'log',
      LIMITER_STORE: 'memory',
      OAUTH_ISSUER: '',
    })
    for (const subject of ['APP_URL', 'MAIL_MAILER', 'LIMITER_STORE', 'OAUTH_ISSUER']) {
      assert.lengthOf(
        warnings.filter((warning) => warning.startsWith(`${subject} is `)),
        1
      )
    }
    assert.lengthOf(
      warnings.filter((warning) => warning.includes('SESSION_SECURE=true')),
      1
    )
  })

  test('warns where nothing names a mail server', async ({ assert }) => {
    const warnings = await warningsOf({
      APP_URL: 'https://app.example.com',
      MAIL_MAILER: '',
      SMTP_HOST: '',
    })
    assert.lengthOf(
      warnings.filter((warning) => warning.startsWith('MAIL_MAILER and SMTP_HOST are not set')),
      1
    )
  })

  test('with PostgreSQL makes no folder for SQLite, because the disk may be read-only', async ({
    assert,
  }) => {
    const folder = await temporaryFolder()
    const { code, stderr } = await runScript('bin/console.ts', ['list:routes', '--json'], {
      DB_CONNECTION: 'pg',
      SQLITE_FILE: join(folder, 'made/db.sqlite3'),
    })
    assert.equal(code, 0, stderr)
    assert.deepEqual(await readdir(folder), [])
  })

  test('a folder for the file of SQLite that cannot be made ends a command with one sentence', async ({
    assert,
  }) => {
    const { code, stderr } = await runScript('bin/console.ts', ['list:routes'], {
      DB_CONNECTION: 'sqlite',
      SQLITE_FILE: 'package.json/db.sqlite3',
    })
    assert.equal(code, 1)
    assert.match(stderr, /Cannot read or write a file: \w+: .+, mkdir '.+package\.json'\./)
    assert.notInclude(stderr, '    at ')
  })

  test('a number of proxies is refused, which would be an address that none has', async ({
    assert,
  }) => {
    const { code, stderr } = await runScript('bin/console.ts', ['list:routes'], {
      TRUST_PROXY: '10.0.0.0/8, 1',
    })
    assert.equal(code, 1)
    assert.include(stderr, '"TRUST_PROXY": invalid IP address: 1.')
  })

  test('gives the memory back that only the start needed', async () => {
    const trace = "import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--trace-gc')"
    const collected = Promise.withResolvers<void>()
    let output = ''
    await startServer(
      { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(trace)}` },
      {
        onOutput: (text) => {
          output += text
          /* What V8 prints of a collection that was asked for and reduces the memory. */
          if (/Mark-Compact \(reduce\).*testing; GC/.test(output)) {
            collected.resolve()
          }
        },
      }
    )
    await collected.promise
  })

  test('says nothing when everything is right', async ({ assert }) => {
    const warnings = await warningsOf({
      APP_URL: 'https://app.example.com',
      SESSION_SECURE: 'true',
      MAIL_MAILER: 'smtp',
      LIMITER_STORE: 'database',
      OAUTH_ISSUER: 'https://app.example.com',
    })
    assert.deepEqual(warnings, [])
  })
})
