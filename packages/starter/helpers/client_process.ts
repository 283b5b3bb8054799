import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** A client that is a program of its own, and what it prints. */
export class ClientProcess {
  output = ''
  readonly #child: ChildProcess

  /** @param args of Node.js: a script and its arguments */
  constructor(args: string[], env: Record<string, string> = {}) {
    this.#child = spawn(process.execPath, args, {
      /* A "browser" that does nothing: the test opens what the client prints. */
      env: { ...process.env, NO_COLOR: '1', BROWSER: 'true', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on('data', (chunk) => (this.output += chunk))
    }
  }

  /** Waits until it has printed an address of this path, and returns it. */
  opened(path: string): Promise<URL> {
    return printedUrl(
      () => this.output,
      path,
      () => this.#child.exitCode !== null
    )
  }

  /** Waits for its end, and returns its exit code. */
  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null) {
      await once(this.#child, 'close')
    }
    return this.#child.exitCode
  }

  async stop() {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGKILL')
      await once(this.#child, 'exit')
    }
  }
}

/** Waits for an address of this path in what a program prints. */
export async function printedUrl(
  output: () => string,
  path: string,
  hasEnded: () => boolean = () => false
): Promise<URL> {
  const pattern = new RegExp(`https?://\\S+${path}\\?\\S+`)
  for (let attempt = 0; attempt < 2400 && !hasEnded(); attempt++) {
    const [address] = pattern.exec(output()) ?? []
    if (address) {
      return new URL(address)
    }
    await sleep(50)
  }
  throw new Error(`The client opens nothing: ${output()}`)
}
