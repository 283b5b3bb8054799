/*
|--------------------------------------------------------------------------
| A Node.js that is new enough
|--------------------------------------------------------------------------
|
| AdonisJS 7 needs Node.js 24. For machines with an older version, the optional
| dependency "node" contains a binary. Every entry point imports this file
| first: an older Node.js runs the same command again with that binary, and
| passes signals and the exit code on.
|
| This file is plain JavaScript without dependencies, because it must run
| before anything is installed or compiled.
|
*/

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const REQUIRED_MAJOR = 24
export const PROJECT_ROOT = fileURLToPath(new URL('../', import.meta.url))

const BUNDLED_NODE = fileURLToPath(
  new URL(
    process.platform === 'win32'
      ? '../node_modules/node/bin/node.exe'
      : '../node_modules/node/bin/node',
    import.meta.url
  )
)
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']

/** Whether the running Node.js is new enough. */
export function isSupported() {
  return Number(process.versions.node.split('.')[0]) >= REQUIRED_MAJOR
}

/** Ends the process with one sentence on stderr and exit code 1. */
export function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

/** The Node.js binary to run the application with. */
export function nodeBinary() {
  if (isSupported()) {
    return process.execPath
  }
  return existsSync(BUNDLED_NODE) ? BUNDLED_NODE : null
}

/**
 * Runs a script under the right Node.js, with the terminal passed through unless
 * told otherwise, and resolves with its exit code: 128 + signal number for a child
 * that a signal ended, as in a shell.
 */
export function runScript(args, { env = process.env, stdio = 'inherit' } = {}) {
  const binary = nodeBinary()
  if (!binary) {
    return fail(
      existsSync(new URL('../node_modules', import.meta.url))
        ? `This application needs Node.js ${REQUIRED_MAJOR} or newer and found ${process.version}: install it, or install the optional dependency "node" with "npm install".`
        : `The dependencies are not installed: run "npm ci" first.`
    )
  }

  const path = [dirname(binary), process.env.PATH].filter(Boolean).join(delimiter)
  const child = spawn(binary, args, { stdio, env: { ...env, PATH: path } })
  const forward = (signal) => child.kill(signal)
  FORWARDED_SIGNALS.forEach((signal) => process.on(signal, forward))

  return new Promise((resolve) => {
    child.once('error', (error) => fail(`Cannot start Node.js: ${error.message}`))
    child.once('exit', (code, signal) => {
      FORWARDED_SIGNALS.forEach((name) => process.off(name, forward))
      resolve(code ?? 128 + (constants.signals[signal] ?? 0))
    })
  })
}

/**
 * A build runs in production unless told otherwise. Its variables come from the
 * environment and a .env of its own folder, never from the project's: that one
 * is for development.
 */
if (existsSync(join(PROJECT_ROOT, 'bin', 'server.js'))) {
  process.env.NODE_ENV ??= 'production'
}

if (!isSupported() && process.argv[1] && !process.argv[1].endsWith('run.js')) {
  process.exit(await runScript([...process.execArgv, ...process.argv.slice(1)]))
}
