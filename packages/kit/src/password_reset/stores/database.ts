import type { PasswordResetRecord, PasswordResetStore } from '#password_reset/types'
import { ExpiredRows } from '#support/expired_rows'
import { affectedRows, selectRows } from '#support/raw_query'
import PasswordResetToken from '#password_reset/models/password_reset_token'

/** Raw SQL, because the query builders cannot put a condition on what a conflict updates. */
const REPLACE = `
  INSERT INTO password_reset_tokens (broker, email, token, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (broker, email) DO UPDATE
  SET token = excluded.token, created_at = excluded.created_at, expires_at = excluded.expires_at
  WHERE password_reset_tokens.created_at <= ?
  RETURNING email`

/** Reset tokens in the table `password_reset_tokens`, through the Lucid model `PasswordResetToken`. */
export class DatabasePasswordResetStore implements PasswordResetStore {
  readonly #expired = new ExpiredRows({ table: 'password_reset_tokens', key: 'id' })
  readonly #broker: string
  readonly #connection: string | undefined

  /**
   * @param broker name of the broker: the same e-mail may have a token with several brokers
   * @param connection database connection; the default connection when absent
   */
  constructor(broker: string, connection?: string) {
    this.#broker = broker
    this.#connection = connection
  }

  async replace(email: string, record: PasswordResetRecord, notAfter: number) {
    const { token, createdAt, expiresAt } = record
    const rows = await selectRows(PasswordResetToken.query(this.#options).client, REPLACE, [
      this.#broker,
      email,
      token,
      createdAt,
      expiresAt,
      notAfter,
    ])
    return rows.length > 0
  }

  async find(email: string): Promise<PasswordResetRecord | null> {
    const row = await this.#of(email).first()
    return row && { token: row.token, createdAt: row.createdAt, expiresAt: row.expiresAt }
  }

  async consume(email: string, token: string) {
    return affectedRows(await this.#of(email).where('token', token).delete()) > 0
  }

  async purge(now: number) {
    return this.#expired.purge(PasswordResetToken.query(this.#options).client, now)
  }

  get #options() {
    return { connection: this.#connection }
  }

  #of(email: string) {
    return PasswordResetToken.query(this.#options).where({ broker: this.#broker, email })
  }
}
