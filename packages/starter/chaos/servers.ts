import { spawnSync } from 'node:child_process'

import { killServer, processId, startServer, stopServer } from '#starter/helpers/server_process'

const COUNT = 2

/** Two processes of the application on one database. */
export class Servers {
  #urls: string[] = []
  /** What they have logged. */
  log = ''

  constructor(readonly env: Record<string, string>) {}

  /** Those that should answer. */
  get urls(): string[] {
    return this.#urls
  }

  async start(): Promise<void> {
    this.#urls = await Promise.all(Array.from({ length: COUNT }, () => this.#start()))
  }

  async stop(): Promise<void> {
    const urls = this.#urls.filter((url) => processId(url) !== null)
    await Promise.all(urls.map((url) => stopServer(url)))
  }

  /** `kill -9` of one; the other goes on. */
  async kill(): Promise<void> {
    const [first, ...others] = this.#urls
    await killServer(first!)
    this.#urls = others
  }

  /** Starts what is missing. */
  async restart(): Promise<void> {
    this.#urls = [...this.#urls, await this.#start()]
  }

  /** One sentence for every process that has ended by itself. */
  findDead(): string[] {
    return this.#urls
      .filter((url) => processId(url) === null)
      .map((url) => `the server at ${url} has ended`)
  }

  /** Limits how long a file of these processes may grow, in bytes; false where that cannot be done. */
  limitFiles(bytes: number | 'unlimited'): boolean {
    return this.#urls.every((url) => {
      const args = ['--pid', String(processId(url)), `--fsize=${bytes}:`]
      return spawnSync('prlimit', args).status === 0
    })
  }

  #start(): Promise<string> {
    const onOutput = (text: string) => void (this.log += text)
    return startServer(this.env, { onOutput, onError: onOutput, cleanup: () => {} })
  }
}
