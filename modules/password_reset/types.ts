import type { MaybePromise } from '#support/maybe_promise'
import type { StoreConfig } from '#support/store_config'

declare module '#auth/define_config' {
  interface PasswordBrokerSpec extends StoreConfig<PasswordResetStore> {}
}

/** A reset token, as the stores keep it. Instants are epoch milliseconds. */
export interface PasswordResetRecord {
  /** SHA-256 of the token, 64 hexadecimal digits. */
  token: string
  createdAt: number
  expiresAt: number
}

/**
 * Where the reset tokens of one broker live: at most one for each e-mail.
 * Methods may be sync or async.
 */
export interface PasswordResetStore {
  /**
   * Replaces the e-mail's token, in one step, unless the one that is there was
   * made after `notAfter`. Of several calls at once no more than one wins.
   *
   * @returns whether the record was written
   */
  replace(email: string, record: PasswordResetRecord, notAfter: number): MaybePromise<boolean>

  /** The e-mail's token, expired or not. */
  find(email: string): MaybePromise<PasswordResetRecord | null>

  /**
   * Deletes this very token of the e-mail. Of several calls at once one returns true.
   *
   * @returns whether it was there
   */
  consume(email: string, token: string): MaybePromise<boolean>

  /**
   * Deletes what has expired: `expiresAt` at or before `now`.
   *
   * @returns how many there were
   */
  purge(now: number): MaybePromise<number>
}
