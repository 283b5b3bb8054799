import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { ProofStore } from '#oauth2/dpop/proof_store'
import { selectRows } from '#database/raw_query'

const USE = `
  INSERT INTO oauth_dpop_proofs (proof_hash, expires_at) VALUES (?, ?)
  ON CONFLICT (proof_hash) DO NOTHING RETURNING 1 AS used`

/** Used proofs in the table `oauth_dpop_proofs`. */
export class DatabaseProofStore implements ProofStore {
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async use(proofHash: string, expiresAt: number) {
    const rows = await selectRows(this.#client(), USE, [proofHash, expiresAt])
    return rows.length > 0
  }
}
