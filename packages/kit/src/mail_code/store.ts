import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { DatabaseKeptRecords, isExpired, MemoryKeptRecords } from '#database/records'
import { selectRows } from '#database/raw_query'
import { MailCodeSchema } from '#database/schema'
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
export class MemoryMailCodeStore
  extends MemoryKeptRecords<MailCodeRecord>
  implements MailCodeStore
{
  constructor() {
    super(({ id }) => id)
  }

  try(id: string, now: number) {
    const code = this.find(id)
    if (!code || code.tries === 0 || isExpired(code.expiresAt, now)) {
      return null
    }
    this.insert({ ...code, tries: code.tries - 1 })
    return code.hash
  }

  consume(id: string) {
    return this.take(id)
  }
}

class MailCode extends MailCodeSchema {
  static override table = 'mail_codes'
}

/** One statement, so that guesses at the same moment use up a try each. */
const TRY = `
  UPDATE mail_codes SET tries = tries - 1
  WHERE id = ? AND tries > 0 AND expires_at > ?
  RETURNING hash`

/** Codes in the table `mail_codes`. */
export class DatabaseMailCodeStore
  extends DatabaseKeptRecords<MailCodeRecord>
  implements MailCodeStore
{
  constructor(client: () => QueryClientContract) {
    super(client, MailCode)
  }

  async try(id: string, now: number) {
    const [row] = await selectRows(this.client(), TRY, [id, now])
    return row ? String(row.hash) : null
  }

  consume(id: string) {
    return this.take(id)
  }
}
