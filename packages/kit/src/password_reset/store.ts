import { purging } from '#database/expired_rows'
import { isExpired } from '#database/records'
import { type Row, affectedRows, insertion, prepareRow, selectRows } from '#database/raw_query'
import { isStorable } from '#database/storable_text'
import type { ModelImport, StoreConfig } from '#config/store_config'
import PasswordResetToken from '#password_reset/models/password_reset_token'
import type { MaybePromise } from '#process/maybe_promise'

declare module '#auth/define_config' {
  interface PasswordBrokerSpec extends StoreConfig<PasswordResetStore> {
    /**
     * Imports the model of the `database` store, which extends the kit's. Its hooks run for every new token; expired
     * tokens are deleted by plain statement. Default: the kit's.
     */
    model?: ModelImport<typeof PasswordResetToken>
  }
}

/** A reset token, as it is stored. Instants are epoch milliseconds. */
export interface PasswordResetRecord {
  /** SHA-256 of the token, 64 hexadecimal digits. */
  token: string
  createdAt: number
  expiresAt: number
}

/** Where the reset tokens of one broker are stored, one for each e-mail. Methods may be sync or async. */
export interface PasswordResetStore {
  /**
   * Replaces the e-mail's token atomically, unless the current one was made after `notAfter`.
   * @returns whether the record was written; of several concurrent calls at most one is
   */
  replace(email: string, record: PasswordResetRecord, notAfter: number): MaybePromise<boolean>
  /** The e-mail's token, expired or not. */
  find(email: string): MaybePromise<PasswordResetRecord | null>
  /** Deletes this token; of several concurrent calls one returns true. */
  consume(email: string, token: string): MaybePromise<boolean>
  /** Deletes tokens that expire at or before `now`, and returns how many. It may stop early. */
  purge(now: number): MaybePromise<number>
}

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
    const expired = [...this.#records].filter(([, { expiresAt }]) => isExpired(expiresAt, now))
    expired.forEach(([email]) => this.#records.delete(email))
    return expired.length
  }
}

const KEY = ['broker', 'email']

/** Raw SQL, because the query builders cannot put a condition on what a conflict updates. */
function replacement(row: Row) {
  const changed = Object.keys(row).filter((column) => !KEY.includes(column))
  const conflict = `
    ON CONFLICT (${KEY.join(', ')}) DO UPDATE
    SET ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}
    WHERE password_reset_tokens.created_at <= ?`
  return insertion('password_reset_tokens', row, { conflict })
}

/** Reset tokens in the table `password_reset_tokens`, through the Lucid model `PasswordResetToken` or one that extends it. */
export class DatabasePasswordResetStore implements PasswordResetStore {
  readonly purge = purging(() => this.#query().client, {
    table: 'password_reset_tokens',
    key: 'id',
  })

  /** @param broker its name: the same e-mail may have a token with several brokers */
  constructor(
    protected broker: string,
    protected connection?: string,
    protected model: typeof PasswordResetToken = PasswordResetToken
  ) {}

  async replace(email: string, record: PasswordResetRecord, notAfter: number) {
    const { row, inserted } = await prepareRow(this.model, {
      broker: this.broker,
      email,
      token: record.token,
      created_at: record.createdAt,
      expires_at: record.expiresAt,
    })
    const { sql, bindings } = replacement(row)
    const rows = await selectRows(this.#query().client, sql, [...bindings, notAfter])
    if (rows.length) {
      await inserted()
    }
    return rows.length > 0
  }

  async find(email: string): Promise<PasswordResetRecord | null> {
    const row = isStorable(email) ? await this.#of(email).first() : null
    return row && { token: row.token, createdAt: row.createdAt, expiresAt: row.expiresAt }
  }

  async consume(email: string, token: string) {
    return affectedRows(await this.#of(email).where('token', token).delete()) > 0
  }

  #query() {
    return this.model.query({ connection: this.connection })
  }

  #of(email: string) {
    return this.#query().where({ broker: this.broker, email })
  }
}
