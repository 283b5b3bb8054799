import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { environment } from '#starter/helpers/execute'
import { freePort } from '#starter/helpers/server_process'

/** A server of a built application. Nothing may be wrong with its start, nor with its end. */
export interface BuiltServer {
  url: string
  stop(): Promise<void>
}

/** Starts the built application in production, with the `.env` beside its sources. */
export async function startBuilt(folder: string): Promise<BuiltServer> {
  const port = String(await freePort())
  const url = `http://localhost:${port}`
  const env = { NODE_ENV: 'production', ENV_PATH: folder, PORT: port, HOST: 'localhost' }
  const child = spawn(process.execPath, ['bin/server.js'], {
    cwd: join(folder, 'build'),
    env: environment({ ...env, APP_URL: url, TZ: 'UTC' }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const complaints = text(child.stderr)
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    assert.equal(await complaints, '')
  }
  for (let attempt = 0; attempt < 600 && child.exitCode === null; attempt++) {
    try {
      await fetch(url)
      return { url, stop }
    } catch {
      await sleep(50)
    }
  }
  await stop()
  throw new Error('The application does not answer')
}
