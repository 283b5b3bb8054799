import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { ExpiredRows } from '#database/expired_rows'
import { affectedRows, selectRows } from '#database/raw_query'
import MailCode from '#mail_code/models/mail_code'
import type { MailCodeRecord, MailCodeStore } from '#mail_code/types'

/** One statement, so that guesses at the same moment use up a try each. */
const TRY = `
  UPDATE mail_codes SET tries = tries - 1
  WHERE id = ? AND tries > 0 AND expires_at > ?
  RETURNING hash`

/** Codes in the table `mail_codes`, through the Lucid model `MailCode`. */
export class DatabaseMailCodeStore implements MailCodeStore {
  readonly #expired = new ExpiredRows({ table: 'mail_codes', key: 'id' })
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async insert({ id, hash, tries, expiresAt }: MailCodeRecord) {
    const row = { id, hash, tries, expires_at: expiresAt }
    await this.#client().table('mail_codes').insert(row)
  }

  async try(id: string, now: number) {
    const [row] = await selectRows(this.#client(), TRY, [id, now])
    return row ? String(row.hash) : null
  }

  async consume(id: string) {
    const query = MailCode.query({ client: this.#client() }).where({ id })
    return affectedRows(await query.delete()) > 0
  }

  async purge(now: number) {
    return this.#expired.purge(this.#client(), now)
  }
}
