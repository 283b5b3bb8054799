import { setTimeout as sleep } from 'node:timers/promises'

import { type Visitor } from '#starter/helpers/visitor'

import type { FuzzClient } from '#starter/fuzz/caller'

/** Requests that are sent at once. */
const AT_ONCE = 4

interface Entry {
  what: string
  /** Whether the server keeps its word; null while it does not answer. */
  isKept: (url: string) => Promise<boolean | null>
}

/**
 * What the server has promised: everything that it answered with success. Each
 * promise is tried after the next failure that the server has recovered from.
 */
export class Ledger {
  #entries: Entry[] = []
  readonly failures: string[] = []
  readonly counts = new Map<string, number>()

  constructor(readonly client: FuzzClient) {}

  fail(what: string): void {
    this.failures.push(what)
    process.stdout.write(`FAILED: ${what}\n`)
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  addToken(what: string, token: string): void {
    this.#entries.push({ what, isKept: (url) => this.introspect(url, token) })
  }

  addRevoked(what: string, token: string): void {
    this.#entries.push({
      what,
      isKept: async (url) => {
        const isActive = await this.introspect(url, token)
        return isActive === null ? null : !isActive
      },
    })
  }

  addBearer(what: string, token: string): void {
    this.#entries.push({
      what,
      isKept: (url) => accepts(url, { authorization: `Bearer ${token}` }),
    })
  }

  addSession(what: string, visitor: Visitor): void {
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    this.#entries.push({ what, isKept: (url) => accepts(url, { cookie }) })
  }

  /** Whether a token of the client is active; null when the server does not say. */
  async introspect(url: string, token: string): Promise<boolean | null> {
    const response = await fetch(`${url}/oauth/introspect`, {
      method: 'POST',
      body: new URLSearchParams({
        token,
        client_id: this.client.id,
        client_secret: this.client.secret,
      }),
    }).catch(() => null)
    const answer: any = await response?.json().catch(() => null)
    return response?.status === 200 ? Boolean(answer?.active) : null
  }

  /** Tries everything that was promised since the last time, and returns how much that was. */
  async check(url: string): Promise<number> {
    const entries = this.#entries
    this.#entries = []
    const rest = entries.values()
    const checkRest = async () => {
      for (const { what, isKept } of rest) {
        if (!(await insist(() => isKept(url)))) {
          this.count('lost')
          this.fail(`${what} was promised and is lost`)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, checkRest))
    return entries.length
  }
}

async function accepts(url: string, headers: Record<string, string>): Promise<boolean | null> {
  const response = await fetch(`${url}/api/me`, { headers }).catch(() => null)
  await response?.text().catch(() => null)
  return !response || response.status >= 500 ? null : response.status === 200
}

/** Asks until there is an answer. */
async function insist(ask: () => Promise<boolean | null>): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await ask()
    if (answer !== null) {
      return answer
    }
    await sleep(100)
  }
  throw new Error('The server does not answer')
}
