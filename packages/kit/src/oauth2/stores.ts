import type { ApplicationService } from '@adonisjs/core/types'

import { createStore } from '#config/store_config'
import { importModel } from '#database/models'
import { type ClientRepository, InMemoryClientRepository } from '#oauth2/clients/client_repository'
import { OrmClientRepository } from '#oauth2/clients/orm_client_repository'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { DatabaseKeyStore } from '#oauth2/keys/database_key_store'
import { type KeyStore, MemoryKeyStore } from '#oauth2/keys/key_store'
import {
  type ClientSessionStore,
  MemoryClientSessionStore,
} from '#oauth2/openid/logout/client_session_store'
import { DatabaseClientSessionStore } from '#oauth2/openid/logout/database_client_session_store'
import { DatabaseTokenStore } from '#oauth2/tokens/database_token_store'
import { MemoryTokenStore } from '#oauth2/tokens/memory_token_store'
import type { TokenStore } from '#oauth2/tokens/token_store'

/** The stores that the configuration names. */
export async function createStores(
  { keys, tokens, clients, openid }: ResolvedOAuth2Config,
  app: ApplicationService
) {
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
    keyStore: await createKeyStore(keys, app),
  }
}

/** null when the setting `keys` is off. */
async function createKeyStore(
  { store, ...keys }: ResolvedOAuth2Config['keys'],
  app: ApplicationService
) {
  return store === 'none'
    ? null
    : createStore<KeyStore>(
        app,
        { ...keys, store },
        {
          memory: () => new MemoryKeyStore(),
          database: (client) => new DatabaseKeyStore(client),
        }
      )
}
