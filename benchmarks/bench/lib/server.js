/* The servers of the contestants: one Node process each, on a port that the system chooses. */

import { spawn, spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { send } from './http.js'

const running = new Set()

export const NODE = process.execPath

/** With two cores, one is the servers' and the other the load's. */
export function pinned(core, command, args) {
  const canPin = spawnSync('taskset', ['--version']).status === 0
  return canPin ? ['taskset', ['-c', String(core), command, ...args]] : [command, args]
}

/** Runs a command to its end and returns what it printed. */
export function run(args, { cwd, env }) {
  const result = spawnSync(NODE, args, { cwd, env: { ...baseEnv(), ...env }, encoding: 'utf8' })
  if (result.status !== 0) {
    throw new Error(`${args.join(' ')}: ${result.stderr || result.stdout}`)
  }
  return result.stdout
}

/**
 * Starts a server and waits until it answers.
 *
 * @param core the processor that it may use; null for all
 */
export async function start({ args, cwd, env, ready, core = 0 }, { port, log }) {
  const output = openSync(log, 'a')
  const [command, rest] = core === null ? [NODE, args] : pinned(core, NODE, args)
  const child = spawn(command, rest, {
    cwd,
    env: { ...baseEnv(), ...env, PORT: String(port) },
    stdio: ['ignore', output, output],
  })
  running.add(child)
  child.on('exit', () => running.delete(child))
  const base = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await send(base, { path: ready }).catch(() => null)
    if (response && response.status < 500) {
      return { base, port, pid: child.pid }
    }
    await sleep(100)
  }
  throw new Error(`The server did not answer; see ${log}`)
}

export function stopAll() {
  running.forEach((child) => child.kill('SIGTERM'))
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function baseEnv() {
  const { PATH, HOME } = process.env
  return { PATH, HOME, TZ: 'UTC', NODE_ENV: 'production', HOST: '127.0.0.1', LOG_LEVEL: 'warn' }
}
