import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { ExpiredRows } from '#database/expired_rows'
import { deleteExpired, isExpired } from '#database/expiry'
import { affectedRows, selectRows } from '#database/raw_query'
import type { MaybePromise } from '#process/maybe_promise'

/** A code that was sent. Instants are epoch milliseconds. */
export interface MailCodeRecord {
  /** Known to the browser that asked for the code, and to no other. */
  id: string
  /** A keyed hash of the code: whoever reads the row cannot try the million codes. */
  hash: string
  tries: number
  expiresAt: number
}

/** Where codes are stored. Methods may be sync or async. */
export interface MailCodeStore {
  insert(code: MailCodeRecord): MaybePromise<void>
  /**
   * Uses a try of a code up, of several concurrent calls one each, before the answer is compared.
   * @returns the hash of the code; null when it is unknown or expired, or has no try left
   */
  try(id: string, now: number): MaybePromise<string | null>
  /** Deletes a code; of several concurrent calls one returns true. */
  consume(id: string): MaybePromise<boolean>
  /** Deletes expired codes, and returns how many. It may stop early and leave some to the next run. */
  purge(now: number): MaybePromise<number>
}

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
    return deleteExpired(this.#codes, now)
  }
}

/** One statement, so that guesses at the same moment use up a try each. */
const TRY = `
  UPDATE mail_codes SET tries = tries - 1
  WHERE id = ? AND tries > 0 AND expires_at > ?
  RETURNING hash`

/** Codes in the table `mail_codes`. */
export class DatabaseMailCodeStore implements MailCodeStore {
  readonly #expired = new ExpiredRows({ table: 'mail_codes', key: 'id' })

  constructor(protected client: () => QueryClientContract) {}

  async insert({ id, hash, tries, expiresAt }: MailCodeRecord) {
    const row = { id, hash, tries, expires_at: expiresAt }
    await this.client().table('mail_codes').insert(row)
  }

  async try(id: string, now: number) {
    const [row] = await selectRows(this.client(), TRY, [id, now])
    return row ? String(row.hash) : null
  }

  async consume(id: string) {
    return affectedRows(await this.client().from('mail_codes').where({ id }).delete()) > 0
  }

  async purge(now: number) {
    return this.#expired.purge(this.client(), now)
  }
}
