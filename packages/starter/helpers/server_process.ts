import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { getActiveTest } from '@japa/runner'
import type { Group } from '@japa/runner/core'

import { NODE_OPTIONS } from '#starter/helpers/execute'

type Env = Record<string, string>

/* Not the booted application's: the fuzzer has none. */
const ROOT = new URL('../../../', import.meta.url)

/** Of Node.js, in the root of the project: it runs TypeScript, "ace.js" too, as the tests do. */
export const TYPESCRIPT = '--import=./packages/starter/helpers/typescript.js'

const GENERATED_TYPES = '--import=./packages/starter/helpers/generated_types.ts'

/** The scopes of tests, for scripts that do not import them. */
const SCOPES = '--import=./packages/starter/helpers/scopes.ts'

/** Is given what has to happen when the tests are over. */
export type Cleanup = (callback: () => Promise<unknown>) => void

interface ServerOptions {
  /** Is given what the process writes to stdout. */
  onOutput?: (text: string) => void
  /** Is given what the process writes to stderr. */
  onError?: (text: string) => void
  script?: string
  /** When the server ends; with the running test unless told otherwise. */
  cleanup?: Cleanup
}

/**
 * A port on which nothing listens. It is below those that systems give to outgoing connections: other suites open many
 * before whoever asks for it listens there.
 * @param range ports of its own, for a server that installs its packages first: until then another suite could take it
 */
export async function freePort(range: [number, number] = [20_000, 32_000]): Promise<number> {
  const port = randomInt(...range)
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return freePort(range)
  }
  probe.close()
  await once(probe, 'close')
  return port
}

function spawnScript(script: string, args: string[], env: Env, stdio: StdioOptions) {
  const file = fileURLToPath(new URL(script, ROOT))
  const imports = [TYPESCRIPT, GENERATED_TYPES, ...(script.startsWith('bin/') ? [SCOPES] : [])]
  return spawn(process.execPath, [...imports, file, ...args], {
    cwd: fileURLToPath(ROOT),
    env: { ...process.env, ...env },
    stdio,
  })
}

/** Runs a script of the application without a terminal, until it ends by itself. */
export async function runScript(script: string, args: string[] = [], env: Env = {}) {
  const variables = { NO_COLOR: '1', NODE_OPTIONS, ...env }
  const child = spawnScript(script, args, variables, ['ignore', 'pipe', 'pipe'])
  const [stdout, stderr] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'exit'),
  ])
  return { code: child.exitCode, stdout, stderr }
}

const children = new Map<string, ChildProcess>()

/** Asks a server to end and returns its exit code. */
export async function stopServer(url: string): Promise<number | null> {
  const child = children.get(url)!
  child.kill('SIGTERM')
  await once(child, 'close')
  return child.exitCode
}

/** Ends a server as a power cut does. */
export async function killServer(url: string): Promise<void> {
  const child = children.get(url)!
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** The id of a server's process; null when the process has ended. */
export function processId(url: string): number | null {
  const child = children.get(url)!
  return hasEnded(child) ? null : child.pid!
}

/** A process that a signal has ended has no exit code. */
function hasEnded({ exitCode, signalCode }: ChildProcess) {
  return exitCode !== null || signalCode !== null
}

/**
 * Starts another process of this application on the test database and returns
 * its URL once it is ready.
 *
 * @param env may depend on the URL
 */
export async function startServer(
  env: Env | ((url: string) => Env) = {},
  options: ServerOptions = {}
): Promise<string> {
  const { onOutput, onError, script = 'bin/server.ts', cleanup = activeTestCleanup } = options
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const variables = typeof env === 'function' ? env(url) : env
  const child = spawnScript(script, [], { HOST: '127.0.0.1', PORT: String(port), ...variables }, [
    'ignore',
    onOutput ? 'pipe' : 'inherit',
    onError ? 'pipe' : 'inherit',
    'ipc',
  ])
  child.stderr?.on('data', (chunk) => onError!(String(chunk)))
  child.stdout?.on('data', (chunk) => onOutput!(String(chunk)))
  cleanup(async () => {
    if (!hasEnded(child)) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })

  children.set(url, child)
  await isReady(child)
  return url
}

/** Later than the first answer: providers warn and start their timers once the server listens. */
function isReady(child: ChildProcess) {
  return new Promise<void>((resolve, reject) => {
    child.on('message', (message) => message === 'ready' && resolve())
    child.once('exit', (code, signal) =>
      reject(new Error(`The server process ended with ${code ?? signal}`))
    )
  })
}

function activeTestCleanup(callback: () => Promise<unknown>) {
  getActiveTest()!.cleanup(async () => void (await callback()))
}

/**
 * Starts the processes of all tests of a group when the group begins, at once:
 * starting one takes more time than most tests. Each test awaits its own.
 */
export function startTogether<Work extends Record<string, (cleanup: Cleanup) => Promise<unknown>>>(
  group: Group,
  work: Work
) {
  const started = {} as { [Name in keyof Work]: ReturnType<Work[Name]> }
  group.setup(() => {
    const callbacks: (() => Promise<unknown>)[] = []
    for (const name of Object.keys(work) as (keyof Work)[]) {
      const result = work[name]!((callback) => callbacks.push(callback))
      /* The test that awaits it hears of a failure. */
      result.catch(() => {})
      started[name] = result as ReturnType<Work[typeof name]>
    }
    return async () => {
      await Promise.allSettled(Object.values(started))
      await Promise.all(callbacks.map((callback) => callback()))
    }
  })
  return started
}
