/*
|--------------------------------------------------------------------------
| npm run dev, npm test, npm run build, npm start
|--------------------------------------------------------------------------
|
| Each command does its own set-up from a bare clone: dependencies, an .env
| file with fresh keys, a migrated database. What exists is kept, so a second
| run is quick and changes nothing. If something is missing or broken, the
| command prints one sentence and exits with code 1.
|
| Plain JavaScript without dependencies: it runs before "npm ci".
|
*/

import { spawnSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { PROJECT_ROOT, fail, runScript } from './runtime.js'

/** What `npm test` runs, a process each, the longest first. The rehearsals copy, build and break the project: `npm test -- rehearsals`. */
const SUITES = ['functional', 'browser', 'processes', 'races', 'unit']

const at = (...path) => join(PROJECT_ROOT, ...path)

function assertWritable() {
  try {
    accessSync(PROJECT_ROOT, constants.W_OK)
    mkdirSync(at('tmp'), { recursive: true })
    accessSync(at('tmp'), constants.W_OK)
  } catch (error) {
    fail(`Cannot write to the project folder (${error.code}): make it writable and run again.`)
  }
}

/**
 * npm keeps a copy of the lockfile in node_modules. If it is older than
 * package-lock.json, the dependencies have changed since the last installation.
 */
function isInstalled() {
  const installed = at('node_modules', '.package-lock.json')
  return (
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(at('package-lock.json')).mtimeMs
  )
}

function install() {
  if (isInstalled()) {
    return
  }
  process.stdout.write('Installing dependencies…\n')
  const npm = spawnSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
    cwd: PROJECT_ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
    env: { ...process.env, NODE_ENV: 'development' },
  })
  if (npm.status !== 0) {
    const cause = /\bE[A-Z]{3,}\b/.exec(npm.stderr ?? '')?.[0] ?? npm.error?.code ?? 'npm ci failed'
    fail(
      `Cannot install the dependencies (${cause}): check the network connection and free disk space, or see what "npm ci" says.`
    )
  }
}

/** Writes .env from .env.example, with a fresh secret for every empty *_KEY. */
function writeEnv() {
  if (existsSync(at('.env'))) {
    return
  }
  const contents = readFileSync(at('.env.example'), 'utf8').replace(
    /^([A-Z_]*_KEY)=$/gm,
    (_, name) => `${name}=${randomBytes(32).toString('base64url')}`
  )
  try {
    writeFileSync(at('.env'), contents, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    fail(`Cannot write .env (${error.code}): make the project folder writable and run again.`)
  }
  process.stdout.write('Wrote .env with fresh keys.\n')
}

function envValue(name, fallback) {
  const line = new RegExp(`^\\s*${name}\\s*=\\s*["']?([^"'\\s#]*)`, 'm')
  const file = existsSync(at('.env')) ? readFileSync(at('.env'), 'utf8') : ''
  return process.env[name] || line.exec(file)?.[1] || fallback
}

/** Resolves with the error code of listening there, or null. */
function listenError(port, host) {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve(error.code ?? 'ERR'))
    probe.once('listening', () => probe.close(() => resolve(null)))
    try {
      probe.listen(port, host)
    } catch (error) {
      resolve(error.code)
    }
  })
}

/** One below those that systems give to outgoing connections, which other tests open before the server listens. */
async function freePort() {
  const port = randomInt(20_000, 32_000)
  return (await listenError(port)) ? freePort() : port
}

/** Fails on a port in use: the development server would silently take another one. */
async function assertPortIsFree() {
  const port = Number(envValue('PORT', '3333'))
  const host = envValue('HOST', 'localhost')
  const code = (await listenError(port, host)) ?? (await listenError(port))
  if (code) {
    fail(`Cannot listen on ${host}:${port} (${code}): set another HOST or PORT in .env.`)
  }
}

async function runOrExit(args, options) {
  const code = await runScript(args, options)
  if (code !== 0) {
    process.exit(code)
  }
}

const [command, ...rest] = process.argv.slice(2)

/* Upstream's tests bring what is quicker. */
const QUICKER = at('packages', 'starter', 'helpers', 'typescript.js')
const TYPESCRIPT = `--import=${existsSync(QUICKER) ? pathToFileURL(QUICKER).href : '@poppinss/ts-exec'}`

/** Runs suites on an empty database and a free port, and resolves with the exit code. */
async function runSuites(suites, { env = process.env, stdio } = {}) {
  const options = { env: { ...env, PORT: String(await freePort()) }, stdio }
  const unprepared = await runScript([TYPESCRIPT, at('ace.js'), 'db:prepare', '--fresh'], options)
  const test = [TYPESCRIPT, '--enable-source-maps', at('bin', 'test.ts'), ...suites]
  return unprepared || runScript(test, options)
}

/** Runs a suite beside others: on an SQLite file of its own, its output printed when it is over. */
async function runBeside(suite) {
  const log = at('tmp', `${suite}.log`)
  const output = openSync(log, 'w')
  const code = await runSuites([suite], {
    env: { ...process.env, SQLITE_FILE: `tmp/${suite}.sqlite3` },
    stdio: ['ignore', output, output],
  })
  process.stdout.write(readFileSync(log))
  return code
}

const hasTests = (suite) =>
  [at('tests', suite), at('packages', 'starter', suite)].some((folder) => existsSync(folder))

/**
 * Runs all suites, whatever fails, and resolves with the exit code of a failure; 0 for
 * none. One more at once than there are cores: now and then a suite waits, for a browser or a process that starts.
 */
async function runAllSuites() {
  const [first, ...others] = SUITES
  const isSqlite = envValue('DB_CONNECTION', 'sqlite') === 'sqlite'
  const runOther = isSqlite ? runBeside : (suite) => runSuites([suite])
  const queue = [first, ...others.filter(hasTests)]
  const failed = []
  let exitCode = 0
  async function work() {
    for (let suite = queue.shift(); suite; suite = queue.shift()) {
      const code = await (suite === first ? runSuites([suite]) : runOther(suite))
      exitCode ||= code
      code && failed.push(suite)
    }
  }
  await Promise.all(Array.from({ length: isSqlite ? availableParallelism() + 1 : 1 }, work))
  failed.length && process.stderr.write(`These suites failed: ${failed.join(', ')}.\n`)
  return exitCode
}

switch (command) {
  case 'dev':
    assertWritable()
    install()
    writeEnv()
    await assertPortIsFree()
    await runOrExit([at('ace.js'), 'db:prepare'])
    /* What was written above, e.g. that .env is new, stays on the screen. */
    process.exit(await runScript([at('ace.js'), 'serve', '--hmr', '--no-clear', ...rest]))
    break

  case 'test':
    assertWritable()
    install()
    process.env.NODE_ENV = 'test'
    /* The suites and the servers that they start share compiled code. */
    process.env.NODE_COMPILE_CACHE = at('tmp', 'compiled')
    await runOrExit([TYPESCRIPT, at('ace.js'), 'codegen'])
    process.exit(await (rest.length ? runSuites(rest) : runAllSuites()))
    break

  case 'build':
    assertWritable()
    install()
    writeEnv()
    process.exit(await runScript([at('ace.js'), 'build', ...rest]))
    break

  case 'start':
    if (!existsSync(at('bin', 'server.js'))) {
      fail('There is no build here: run "npm run build", then "npm start" inside the build folder.')
    }
    process.exit(await runScript([at('bin', 'server.js'), ...rest]))
    break

  default:
    fail('There is no such command. Use "node bin/run.js" with dev, test, build or start.')
}
