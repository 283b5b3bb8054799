import type { ProofStore } from '#oauth2/dpop/proof_store'

/** Used proofs of one process. */
export class MemoryProofStore implements ProofStore {
  readonly #used = new Map<string, number>()

  get size(): number {
    return this.#used.size
  }

  use(proofHash: string, expiresAt: number): boolean {
    if (this.#used.has(proofHash)) {
      return false
    }
    this.#used.set(proofHash, expiresAt)
    return true
  }

  purge(now: number): void {
    for (const [proofHash, expiresAt] of this.#used) {
      if (expiresAt <= now) {
        this.#used.delete(proofHash)
      }
    }
  }
}
