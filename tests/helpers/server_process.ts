import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import app from '@adonisjs/core/services/app'
import { getActiveTest } from '@japa/runner'

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

const children = new Map<string, ChildProcess>()

/** Asks a process to end and returns its exit code. */
export async function stopServer(url: string): Promise<number | null> {
  const child = children.get(url)!
  child.kill('SIGTERM')
  await once(child, 'close')
  return child.exitCode
}

/**
 * Starts another process of this application on the test database and returns
 * its URL once it answers. It ends with the test.
 *
 * @param onOutput is given what the process writes to stdout
 */
export async function startServer(
  env: Record<string, string> = {},
  onOutput?: (text: string) => void,
  script = 'bin/server.ts'
): Promise<string> {
  const port = await freePort()
  const child = spawn(process.execPath, ['--import=@poppinss/ts-exec', app.makePath(script)], {
    cwd: app.makePath(),
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', onOutput ? 'pipe' : 'inherit', 'inherit'],
  })
  child.stdout?.on('data', (chunk) => onOutput!(String(chunk)))
  getActiveTest()!.cleanup(async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })

  const url = `http://127.0.0.1:${port}`
  children.set(url, child)
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) {
      throw new Error(`The server process ended with code ${child.exitCode}`)
    }
    try {
      await fetch(`${url}/health`)
      return url
    } catch {
      await sleep(100)
    }
  }
  throw new Error('The server process does not answer')
}
