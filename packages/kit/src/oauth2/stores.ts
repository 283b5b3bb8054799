import type { ApplicationService } from '@adonisjs/core/types'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { createStore } from '#config/store_config'
import { importModel } from '#database/models'
import { type ClientRepository, InMemoryClientRepository } from '#oauth2/clients/client_repository'
import { OrmClientRepository } from '#oauth2/clients/orm_client_repository'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { DatabaseKeyStore, type KeyStore, MemoryKeyStore } from '#oauth2/keys/key_store'
import {
  type ClientSessionStore,
  DatabaseClientSessionStore,
  MemoryClientSessionStore,
} from '#oauth2/openid/logout/client_session_store'
import { DatabaseTokenStore } from '#oauth2/tokens/database_token_store'
import { MemoryTokenStore } from '#oauth2/tokens/memory_token_store'
import type { TokenStore } from '#oauth2/tokens/token_store'

/** The stores that the configuration names; that of keys is null when the setting `keys` is off. */
export async function createStores(
  { keys: { store, ...keys }, tokens, clients, openid }: ResolvedOAuth2Config,
  app: ApplicationService
) {
  const keyStores = {
    memory: () => new MemoryKeyStore(),
    database: (client: () => QueryClientContract) => new DatabaseKeyStore(client),
  }
  return {
    tokens: await createStore<TokenStore>(app, tokens, {
      memory: () => new MemoryTokenStore(),
      database: async (client) =>
        new DatabaseTokenStore(client, {
          accessToken: await importModel(tokens.models?.accessToken),
          refreshToken: await importModel(tokens.models?.refreshToken),
          authCode: await importModel(tokens.models?.authCode),
        }),
    }),
    repository: await createStore<ClientRepository>(app, clients, {
      memory: () => new InMemoryClientRepository(),
      database: async (client) => new OrmClientRepository(client, await importModel(clients.model)),
    }),
    clientSessions: await createStore<ClientSessionStore>(app, openid.sessions, {
      memory: () => new MemoryClientSessionStore(),
      database: (client) => new DatabaseClientSessionStore(client),
    }),
    keyStore:
      store === 'none' ? null : await createStore<KeyStore>(app, { ...keys, store }, keyStores),
  }
}
