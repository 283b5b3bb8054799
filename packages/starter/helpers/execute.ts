import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, delimiter } from 'node:path'
import { text } from 'node:stream/consumers'

/** Of this process: a program finds Node.js, npm's settings and compiled code, and nothing else that was set here. */
const KEPT =
  /^(HOME|LANG|NODE_COMPILE_CACHE|NODE_EXTRA_CA_CERTS|TMPDIR|npm_config_.*|https?_proxy|no_proxy)$/i

/** Node.js 26 warns of calls that AdonisJS makes: tests look at what a program says itself. */
export const NODE_OPTIONS = '--disable-warning=DEP0205 --disable-warning=Warning'

/** The environment of a program: what it needs of this one, and what it is given. */
export function environment(env: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name))
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  return { ...(Object.fromEntries(kept) as Record<string, string>), NODE_OPTIONS, PATH, ...env }
}

interface ExecuteOptions {
  cwd: string
  env?: Record<string, string>
  /** Exit codes that are no failure. */
  codes?: number[]
}

/**
 * Runs a program until it ends, and returns what it printed.
 *
 * @throws {Error} with what it printed, for another exit code than 0
 */
export async function execute(
  program: string,
  args: string[],
  { cwd, env, codes = [0] }: ExecuteOptions
): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  const code = child.exitCode ?? -1
  if (!codes.includes(code)) {
    throw new Error(`"${program} ${args.join(' ')}" ended with ${code}:\n${stdout}${stderr}`)
  }
  return { code, output: stdout + stderr }
}
