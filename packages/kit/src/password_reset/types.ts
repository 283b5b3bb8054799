import type PasswordResetToken from '#password_reset/models/password_reset_token'
import type { MaybePromise } from '#process/maybe_promise'
import type { ModelImport } from '#database/models'
import type { StoreConfig } from '#config/store_config'

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

/**
 * Where the reset tokens of one broker are stored: at most one for each e-mail.
 * Methods may be sync or async.
 */
export interface PasswordResetStore {
  /**
   * Replaces the e-mail's token atomically, unless the current one was made after
   * `notAfter`. Of several concurrent calls at most one succeeds.
   *
   * @returns whether the record was written
   */
  replace(email: string, record: PasswordResetRecord, notAfter: number): MaybePromise<boolean>

  /** The e-mail's token, expired or not. */
  find(email: string): MaybePromise<PasswordResetRecord | null>

  /**
   * Deletes this token of the e-mail. Of several concurrent calls one returns true.
   *
   * @returns whether it existed
   */
  consume(email: string, token: string): MaybePromise<boolean>

  /**
   * Deletes expired tokens: `expiresAt` at or before `now`. It may stop early and
   * leave some to the next run.
   *
   * @returns how many there were
   */
  purge(now: number): MaybePromise<number>
}
