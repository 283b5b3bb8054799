import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

const LEFT_OUT = ['node_modules', 'tmp', 'build', '.git', '.env']

/** A fresh clone of this project, its dependencies installed unless told otherwise. */
async function clone({ installed = true } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'clone-'))
  getActiveTest()!.cleanup(() => rm(folder, { recursive: true, force: true }))
  await cp(app.makePath(), folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => !LEFT_OUT.map((name) => app.makePath(name)).includes(source),
  })
  if (installed) {
    await symlink(app.makePath('node_modules'), join(folder, 'node_modules'))
  }
  return folder
}

/** Runs `node bin/run.js …` there, as npm does, without this test's own environment. */
async function run(folder: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['bin/run.js', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

test.group('npm run dev', () => {
  test('without a network: one sentence and exit 1', async ({ assert }) => {
    const folder = await clone({ installed: false })
    const { code, stderr } = await run(folder, ['dev'], {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
      npm_config_cache: join(folder, 'cache'),
    })
    assert.equal(code, 1)
    assert.match(stderr, /^Cannot install the dependencies \(ECONNREFUSED\): [^\n]+\n$/)
  })

  test('without a free port: one sentence and exit 1', async ({ assert, cleanup }) => {
    const folder = await clone()
    const occupant = createServer().listen(0, '127.0.0.1')
    await once(occupant, 'listening')
    cleanup(() => void occupant.close())
    const { port } = occupant.address() as { port: number }
    const { code, stderr } = await run(folder, ['dev'], { PORT: String(port), HOST: '127.0.0.1' })
    assert.equal(code, 1)
    assert.equal(
      stderr,
      `Cannot listen on 127.0.0.1:${port} (EADDRINUSE): set another HOST or PORT in .env.\n`
    )
  })

  test('with an unwritable folder: one sentence and exit 1', async ({ assert }) => {
    const folder = await clone()
    await writeFile(join(folder, 'tmp'), 'a file where a folder belongs')
    const { code, stderr } = await run(folder, ['dev'])
    assert.equal(code, 1)
    assert.match(stderr, /^Cannot write to the project folder \(\w+\): [^\n]+\n$/)
  })

  test('with a broken .env: one sentence that names the variable, and exit 1', async ({
    assert,
  }) => {
    const folder = await clone()
    const example = await readFile(join(folder, '.env.example'), 'utf8')
    await writeFile(
      join(folder, '.env'),
      example.replace('LOG_LEVEL=info', 'LOG_LEVEL=loud').replace('PORT=3333', 'PORT=0')
    )
    const { code, stderr } = await run(folder, ['dev'])
    assert.equal(code, 1)
    assert.match(stderr, /^The environment is not complete or not valid: [^\n]+\n$/)
    assert.include(stderr, 'APP_KEY')
    assert.include(stderr, 'LOG_LEVEL')
  })

  test('with a database that does not answer: one sentence and exit 1', async ({ assert }) => {
    const folder = await clone()
    const { code, stderr } = await run(folder, ['dev'], {
      DB_CONNECTION: 'pg',
      DB_HOST: '127.0.0.1',
      DB_PORT: '9',
      PORT: '0',
    })
    assert.equal(code, 1)
    assert.match(stderr, /Cannot prepare the database \([^\n]+\): check [^\n]+\n$/)
  })

  test('writes .env once, readable by its owner alone, every key fresh', async ({ assert }) => {
    const folder = await clone()
    const occupied = { PORT: '1', HOST: '192.0.2.1' }
    await run(folder, ['dev'], occupied)
    const first = await readFile(join(folder, '.env'), 'utf8')
    assert.match(first, /^APP_KEY=[\w-]{43}$/m)
    const { mode } = await stat(join(folder, '.env'))
    assert.equal(mode & 0o777, 0o600)

    await run(folder, ['dev'], occupied)
    assert.equal(await readFile(join(folder, '.env'), 'utf8'), first)

    const other = await clone()
    await run(other, ['dev'], occupied)
    assert.notEqual(await readFile(join(other, '.env'), 'utf8'), first)
  })
})

test.group('npm start', () => {
  test('where nothing was built: one sentence and exit 1', async ({ assert }) => {
    const { code, stderr } = await run(await clone(), ['start'])
    assert.equal(code, 1)
    assert.match(stderr, /^There is no build here: [^\n]+\n$/)
  })
})

test.group('node ace', () => {
  test('passes exit codes on', async ({ assert }) => {
    const folder = await clone()
    await mkdir(join(folder, 'tmp'))
    const child = spawn(process.execPath, ['ace.js', 'no:such:command'], { cwd: folder })
    const [code] = await once(child, 'close')
    assert.equal(code, 1)
  })
})
