import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'

import app from '@adonisjs/core/services/app'
import pg from 'pg'

import env from '#start/env'
import { NODE_OPTIONS } from '#starter/helpers/execute'
import { linkModules } from '#starter/helpers/link_modules'
import { type Cleanup, freePort, TYPESCRIPT } from '#starter/helpers/server_process'

const LEFT_OUT = ['tmp', 'build', '.git', '.env']
/* In any folder; the second is what another suite makes and removes meanwhile. */
const LEFT_OUT_EVERYWHERE = ['node_modules', 'made_by_tests']

/** A terminal, and compiled code that copies share with this project. */
const ENVIRONMENT = {
  PATH: process.env.PATH,
  NO_COLOR: '1',
  NODE_OPTIONS,
  NODE_COMPILE_CACHE: app.makePath('tmp', 'compiled'),
}

/** A copy of this project, as a fresh clone without its history, installed unless told otherwise. */
export async function copyProject(cleanup: Cleanup, { installed = true } = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'copy-'))
  cleanup(() => rm(folder, { recursive: true, force: true }))
  await cp(app.makePath(), folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) =>
      !LEFT_OUT_EVERYWHERE.includes(basename(source)) &&
      !LEFT_OUT.map((name) => app.makePath(name)).includes(source),
  })
  if (installed) {
    /* Older than the installation, also after a change of the lockfile: "npm ci" would empty the folder behind the link. */
    await utimes(join(folder, 'package-lock.json'), 0, 0)
    await linkModules(app.makePath('node_modules'), folder)
  }
  return folder
}

/** Runs a program in a copy, without this test's own environment. */
export async function runIn(
  folder: string,
  [program, ...args]: [string, ...string[]],
  variables: Record<string, string> = {}
) {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...ENVIRONMENT, HOME: folder, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code: child.exitCode, stdout, stderr }
}

/** Runs an ace command in a copy. */
export function aceIn(folder: string, args: string[], variables: Record<string, string> = {}) {
  return runIn(folder, [process.execPath, TYPESCRIPT, 'ace.js', ...args], variables)
}

/** The development server of a copy, without a terminal. Resolves when it answers. */
export async function developIn(folder: string, variables: Record<string, string> = {}) {
  const port = String(await freePort())
  const child = spawn(process.execPath, ['bin/run.js', 'dev'], {
    cwd: folder,
    env: { ...ENVIRONMENT, HOME: folder, PORT: port, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      child.emit('output')
    })
  }
  const server = {
    url: `http://localhost:${port}`,
    output: () => output,
    async prints(line: string) {
      while (!output.includes(line)) {
        if (child.exitCode !== null) throw new Error(`The server has ended:\n${output}`)
        await Promise.race([once(child, 'output'), ended])
      }
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
  await server.prints('started HTTP server')
  return server
}

/** The variables that a copy needs beside those that have defaults. */
export const COPY_VARIABLES = {
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  PORT: '0',
  APP_URL: 'http://127.0.0.1:3333',
  APP_KEY: 'a-key-for-tests-only-a-key-for-tests-only',
  OAUTH_KEY: 'an-oauth-key-for-tests-only-an-oauth-key-for-tests-only',
  LOG_LEVEL: 'info',
}

/**
 * Variables that name a database of its own for a copy: SQLite's file is in the
 * copy, one of PostgreSQL is dropped in the end.
 */
export function copyDatabase(cleanup: Cleanup): Record<string, string> {
  if (env.get('DB_CONNECTION') !== 'pg') {
    return { DB_CONNECTION: 'sqlite', SQLITE_FILE: 'tmp/db.sqlite3' }
  }
  const database = `copy_${randomBytes(6).toString('hex')}`
  const access = {
    host: env.get('DB_HOST', '127.0.0.1'),
    port: env.get('DB_PORT', 5432),
    user: env.get('DB_USER', 'postgres'),
    password: env.get('DB_PASSWORD'),
  }
  cleanup(async () => {
    const maintenance = new pg.Client({ ...access, database: 'postgres' })
    await maintenance.connect()
    for (const name of [database, `${database}_test`]) {
      await maintenance.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    }
    await maintenance.end()
  })
  return {
    DB_CONNECTION: 'pg',
    DB_HOST: access.host,
    DB_PORT: String(access.port),
    DB_USER: access.user,
    DB_PASSWORD: access.password ?? '',
    DB_DATABASE: database,
  }
}

/**
 * Migrates the database of a build, and starts its server until the test or its group ends.
 *
 * @param database the file of its database
 */
export async function startBuild(folder: string, database: string, cleanup: Cleanup) {
  const port = String(await freePort())
  const variables = {
    ...COPY_VARIABLES,
    NODE_ENV: 'production',
    PORT: port,
    SESSION_SECURE: 'false',
    DB_CONNECTION: 'sqlite',
    SQLITE_FILE: database,
  }
  const migrated = await runIn(
    folder,
    [process.execPath, 'ace.js', 'migration:run', '--force'],
    variables
  )
  if (migrated.code !== 0) throw new Error(migrated.stdout + migrated.stderr)
  const server = spawn(process.execPath, ['bin/run.js', 'start'], {
    cwd: folder,
    env: { ...ENVIRONMENT, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'close')
  cleanup(async () => {
    server.kill('SIGTERM')
    await ended
  })
  let output = ''
  server.stdout.on('data', (chunk) => (output += chunk))
  while (!output.includes('started HTTP server')) {
    await Promise.race([once(server.stdout, 'data'), ended])
    if (server.exitCode !== null) throw new Error(output)
  }
  return `http://127.0.0.1:${port}`
}
