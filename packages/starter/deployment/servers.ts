import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

import { environment } from '#starter/helpers/execute'
import { freePort } from '#starter/helpers/server_process'

import type { Image } from './dockerfile.js'

/** So often an address is asked, every 50 milliseconds: an installation on a busy machine takes minutes. */
const ATTEMPTS = 6000

/** One process of an application. */
export class ServerProcess {
  log = ''
  #child!: ChildProcess

  private constructor(
    readonly image: Image,
    readonly env: Record<string, string>,
    readonly port: number
  ) {}

  static async start(image: Image, env: Record<string, string>): Promise<ServerProcess> {
    const server = new ServerProcess(image, env, await freePort())
    await server.start()
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The environment of the image, then that of the container. */
  get environment(): Record<string, string> {
    return environment({ ...this.image.env, ...this.env, PORT: String(this.port) })
  }

  async start(): Promise<void> {
    const [program, ...args] = this.image.command
    this.#child = spawn(program!, args, {
      cwd: this.image.folder,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on('data', (chunk) => (this.log += chunk))
    }
    await answersIn(`${this.url}/health/ready`, () =>
      this.#child.exitCode === null ? null : `The server has ended: ${this.log}`
    )
  }

  /** Asks it to end as a process manager does. @returns its exit code */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGTERM')
      await once(this.#child, 'exit')
    }
    return this.#child.exitCode
  }
}

/**
 * Waits until an address answers with success.
 *
 * @param findEnd why it never will, or null
 */
export async function answersIn(url: string, findEnd: () => string | null): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const end = findEnd()
    if (end) {
      throw new Error(end)
    }
    const response = await fetch(url).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) {
      return
    }
    await sleep(50)
  }
  throw new Error(`${url} does not answer: ${findEnd() ?? 'no success'}`)
}
