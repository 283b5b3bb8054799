import type { PasswordResetRecord, PasswordResetStore } from '#password_reset/types'
import { ExpiredRows } from '#database/expired_rows'
import { prepareRow } from '#database/models'
import { affectedRows, selectRows } from '#database/raw_query'
import PasswordResetToken from '#password_reset/models/password_reset_token'

const KEY = ['broker', 'email']

/** Raw SQL, because the query builders cannot put a condition on what a conflict updates. */
function replacement(columns: string[]) {
  const changed = columns.filter((column) => !KEY.includes(column))
  return `
    INSERT INTO password_reset_tokens (${columns.join(', ')})
    VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (${KEY.join(', ')}) DO UPDATE
    SET ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}
    WHERE password_reset_tokens.created_at <= ?
    RETURNING email`
}

/** Reset tokens in the table `password_reset_tokens`, through the Lucid model `PasswordResetToken` or one that extends it. */
export class DatabasePasswordResetStore implements PasswordResetStore {
  readonly #expired = new ExpiredRows({ table: 'password_reset_tokens', key: 'id' })
  readonly #broker: string
  readonly #connection: string | undefined
  readonly #model: typeof PasswordResetToken

  /**
   * @param broker name of the broker: the same e-mail may have a token with several brokers
   * @param connection database connection; the default connection when absent
   */
  constructor(
    broker: string,
    connection?: string,
    model: typeof PasswordResetToken = PasswordResetToken
  ) {
    this.#broker = broker
    this.#connection = connection
    this.#model = model
  }

  async replace(email: string, record: PasswordResetRecord, notAfter: number) {
    const { token, createdAt, expiresAt } = record
    const { row, inserted } = await prepareRow(this.#model, {
      broker: this.#broker,
      email,
      token,
      created_at: createdAt,
      expires_at: expiresAt,
    })
    const rows = await selectRows(
      this.#model.query(this.#options).client,
      replacement(Object.keys(row)),
      [...Object.values(row), notAfter]
    )
    if (rows.length) {
      await inserted()
    }
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
    return this.#expired.purge(this.#model.query(this.#options).client, now)
  }

  get #options() {
    return { connection: this.#connection }
  }

  #of(email: string) {
    return this.#model.query(this.#options).where({ broker: this.#broker, email })
  }
}
