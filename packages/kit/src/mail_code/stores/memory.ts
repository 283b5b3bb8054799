import { isExpired } from '#database/expiry'
import type { MailCodeRecord, MailCodeStore } from '#mail_code/types'

/** Codes in the memory of the process, for tests and demos. */
export class MemoryMailCodeStore implements MailCodeStore {
  readonly #codes = new Map<string, MailCodeRecord>()

  insert(code: MailCodeRecord) {
    this.#codes.set(code.id, { ...code })
  }

  try(id: string, now: number) {
    const code = this.#codes.get(id)
    if (!code || code.tries === 0 || isExpired(code.expiresAt, now)) {
      return null
    }
    code.tries--
    return code.hash
  }

  consume(id: string) {
    return this.#codes.delete(id)
  }

  purge(now: number) {
    const expired = [...this.#codes.values()].filter(({ expiresAt }) => isExpired(expiresAt, now))
    expired.forEach(({ id }) => this.#codes.delete(id))
    return expired.length
  }
}
