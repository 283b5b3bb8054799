import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import OAuthPendingAuthorization from '#oauth2/models/oauth_pending_authorization'
import type { PendingRecord, PendingStore } from '#oauth2/pending/pending_store'
import { modelOptions } from '#database/model_client'
import { affectedRows } from '#database/raw_query'

/** Authorization requests in the table `oauth_pending_authorizations`. */
export class DatabasePendingStore implements PendingStore {
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async insert(record: PendingRecord) {
    await OAuthPendingAuthorization.create(record, modelOptions(this.#client()))
  }

  async find(handleHash: string): Promise<PendingRecord | null> {
    const [row] = await OAuthPendingAuthorization.query({ client: this.#client() }).where({
      handleHash,
    })
    return row ? (row.$attributes as PendingRecord) : null
  }

  async take(handleHash: string) {
    const deleted = await OAuthPendingAuthorization.query({ client: this.#client() })
      .where({ handleHash })
      .delete()
    return affectedRows(deleted) > 0
  }
}
