import { isExpired } from '#database/expiry'
import type { PasswordResetRecord, PasswordResetStore } from '#password_reset/types'

/** Reset tokens in the memory of the process, for tests and demos. */
export class MemoryPasswordResetStore implements PasswordResetStore {
  readonly #records = new Map<string, PasswordResetRecord>()

  replace(email: string, record: PasswordResetRecord, notAfter: number) {
    const current = this.#records.get(email)
    if (current && current.createdAt > notAfter) {
      return false
    }
    this.#records.set(email, { ...record })
    return true
  }

  find(email: string) {
    const record = this.#records.get(email)
    return record ? { ...record } : null
  }

  consume(email: string, token: string) {
    return this.#records.get(email)?.token === token && this.#records.delete(email)
  }

  purge(now: number) {
    let deleted = 0
    for (const [email, record] of this.#records) {
      if (isExpired(record.expiresAt, now)) {
        this.#records.delete(email)
        deleted++
      }
    }
    return deleted
  }
}
