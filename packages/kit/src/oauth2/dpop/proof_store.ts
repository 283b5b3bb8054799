import type { MaybePromise } from '#process/maybe_promise'

/** Which proofs have been used. Methods may be sync or async, and are atomic over all processes. */
export interface ProofStore {
  /**
   * Records that a proof is used; false when it has been used before.
   *
   * @param proofHash SHA-256 of the proof's key and `jti`
   * @param expiresAt from when on the proof is refused for its age, in epoch milliseconds
   */
  use(proofHash: string, expiresAt: number): MaybePromise<boolean>
}
