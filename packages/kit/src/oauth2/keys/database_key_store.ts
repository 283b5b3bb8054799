import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { KeyRecord, KeyStore } from '#oauth2/keys/key_store'
import OAuthKey from '#oauth2/models/oauth_key'
import { modelOptions } from '#database/model_client'
import { affectedRows } from '#database/raw_query'

/** Keys in the table `oauth_keys`, which all processes read. */
export class DatabaseKeyStore implements KeyStore {
  constructor(protected client: () => QueryClientContract) {}

  async list(): Promise<KeyRecord[]> {
    const rows = await OAuthKey.query({ client: this.client() }).orderBy('signsAt')
    return rows.map((row) => row.$attributes as KeyRecord)
  }

  async insert(record: KeyRecord) {
    await OAuthKey.create(record, modelOptions(this.client()))
  }

  async delete(kid: string) {
    const query = OAuthKey.query({ client: this.client() }).where({ kid })
    return affectedRows(await query.delete()) > 0
  }
}
