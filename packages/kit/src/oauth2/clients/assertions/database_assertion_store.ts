import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { AssertionStore } from '#oauth2/clients/assertions/assertion_store'
import { selectRows } from '#database/raw_query'

const USE = `
  INSERT INTO oauth_used_assertions (digest, expires_at) VALUES (?, ?)
  ON CONFLICT DO NOTHING RETURNING digest`

/** Used assertions in the table `oauth_used_assertions`. Its primary key decides between processes. */
export class DatabaseAssertionStore implements AssertionStore {
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async use(digest: string, expiresAt: number): Promise<boolean> {
    const inserted = await selectRows(this.#client(), USE, [digest, expiresAt])
    return inserted.length > 0
  }
}
