import type { MaybePromise } from '#process/maybe_promise'

/** Which assertions have been used. Methods may be sync or async, and are atomic. */
export interface AssertionStore {
  /**
   * Marks an assertion as used.
   *
   * @param digest SHA-256 of its issuer and its `jti`
   * @param expiresAt until when it has to be remembered, in epoch milliseconds
   * @returns false when it was used before, by whatever process
   */
  use(digest: string, expiresAt: number): MaybePromise<boolean>
}
