import type { Database } from '@adonisjs/lucid/database'

import type { ClientSessionStore } from '#oauth2/openid/logout/client_session_store'
import { type ResolvedStoreConfig, createStore } from '#config/store_config'

/** The store that the setting `openid.sessions` names. */
export function createClientSessionStore(
  config: ResolvedStoreConfig<ClientSessionStore>,
  database: () => Promise<Database>
): Promise<ClientSessionStore> {
  return createStore<ClientSessionStore>(config, {
    memory: async () => {
      const { MemoryClientSessionStore } =
        await import('#oauth2/openid/logout/memory_client_session_store')
      return new MemoryClientSessionStore()
    },
    database: async () => {
      const { DatabaseClientSessionStore } =
        await import('#oauth2/openid/logout/database_client_session_store')
      const db = await database()
      return new DatabaseClientSessionStore(() => db.connection(config.connection))
    },
  })
}
