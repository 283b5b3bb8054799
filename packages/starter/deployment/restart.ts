import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Visitor } from '#starter/helpers/visitor'

import { mcpRequest } from './checks.js'
import type { ServerProcess } from './servers.js'
import { WAITING } from './waiting_tool.js'

/** Callers at once. */
const CALLERS = 6

/** Each server in turn ends and starts again under load, and no request fails. */
export async function restartsUnnoticed(
  origin: string,
  visitor: Visitor,
  servers: ServerProcess[]
): Promise<string> {
  const load = new Load(origin, visitor)
  const callers = Array.from({ length: CALLERS }, (_, index) => load.run(index))
  try {
    for (const server of servers) {
      await load.wait()
      assert.equal(await server.stop(), 0, `${server.url} has ended with an error`)
      await load.wait()
      await server.start()
    }
    await load.wait()
  } finally {
    load.stop()
    await Promise.all(callers)
  }
  assert.deepEqual(load.failures, [])
  return `${load.answered} requests`
}

class Load {
  answered = 0
  readonly failures: string[] = []
  #isOver = false

  constructor(
    readonly origin: string,
    readonly visitor: Visitor
  ) {}

  /** Sends requests until the load ends: of people, of programs, and such as must not be sent twice. */
  async run(index: number): Promise<void> {
    const cookie = [...this.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const requests: [string, RequestInit][] = [
      ['/api/me', { headers: { cookie } }],
      [WAITING, mcpRequest('tools/list', {})],
      ['/login', { headers: { accept: 'text/html' } }],
    ]
    for (let turn = index; !this.#isOver && !this.failures.length; turn++) {
      const [path, request] = requests[turn % requests.length]!
      await this.#send(path, request)
    }
  }

  stop() {
    this.#isOver = true
  }

  /** Waits until so many requests more have been answered that both servers have had some. */
  async wait(): Promise<void> {
    const enough = this.answered + CALLERS * 10
    while (this.answered < enough && !this.failures.length) {
      await sleep(20)
    }
  }

  async #send(path: string, request: RequestInit) {
    try {
      const response = await fetch(this.origin + path, request)
      const text = await response.text()
      if (response.status !== 200) {
        this.failures.push(`${path}: ${response.status} ${text.slice(0, 40)}`)
      }
    } catch (error) {
      this.failures.push(`${path}: ${(error as Error).message} ${(error as Error).cause}`)
    }
    this.answered++
  }
}
