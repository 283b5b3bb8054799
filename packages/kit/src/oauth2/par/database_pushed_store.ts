import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import OAuthPushedRequest from '#oauth2/models/oauth_pushed_request'
import type { PushedRecord, PushedStore } from '#oauth2/par/pushed_store'
import { modelOptions } from '#database/model_client'
import { affectedRows } from '#database/raw_query'

/** Pushed requests in the table `oauth_pushed_requests`. */
export class DatabasePushedStore implements PushedStore {
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async insert(record: PushedRecord) {
    await OAuthPushedRequest.create(record, modelOptions(this.#client()))
  }

  async find(uriHash: string): Promise<PushedRecord | null> {
    const [row] = await OAuthPushedRequest.query({ client: this.#client() }).where({ uriHash })
    return row ? (row.$attributes as PushedRecord) : null
  }

  async extend(uriHash: string, expiresAt: number) {
    await OAuthPushedRequest.query({ client: this.#client() })
      .where({ uriHash })
      .update({ expiresAt })
  }

  async take(uriHash: string) {
    const deleted = await OAuthPushedRequest.query({ client: this.#client() })
      .where({ uriHash })
      .delete()
    return affectedRows(deleted) > 0
  }
}
