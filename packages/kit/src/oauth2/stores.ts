import type { ApplicationService } from '@adonisjs/core/types'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { createStore } from '#config/store_config'
import { importModel } from '#database/models'
import { type ClientRepository, InMemoryClientRepository } from '#oauth2/clients/client_repository'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { type KeyStore, MemoryKeyStore } from '#oauth2/keys/key_store'
import {
  type ClientSessionStore,
  MemoryClientSessionStore,
} from '#oauth2/openid/logout/client_session_store'
import { MemoryTokenStore } from '#oauth2/tokens/memory_token_store'
import type { TokenStore } from '#oauth2/tokens/token_store'

/** The stores that the configuration names. An application without Lucid never loads those of the database. */
export async function createStores(
  { keys, tokens, clients, openid: { sessions } }: ResolvedOAuth2Config,
  app: ApplicationService
) {
  const connection = async (name: string | undefined) => {
    const db = await app.container.make('lucid.db')
    return () => db.connection(name)
  }
  return {
    tokens: await createStore<TokenStore>(tokens, {
      memory: () => new MemoryTokenStore(),
      database: async () => {
        const { DatabaseTokenStore } = await import('#oauth2/tokens/database_token_store')
        return new DatabaseTokenStore(await connection(tokens.connection), {
          accessToken: await importModel(tokens.models?.accessToken),
          refreshToken: await importModel(tokens.models?.refreshToken),
          authCode: await importModel(tokens.models?.authCode),
        })
      },
    }),
    repository: await createStore<ClientRepository>(clients, {
      memory: () => new InMemoryClientRepository(),
      database: async () => {
        const { OrmClientRepository } = await import('#oauth2/clients/orm_client_repository')
        const client = await connection(clients.connection)
        return new OrmClientRepository(client, await importModel(clients.model))
      },
    }),
    clientSessions: await createStore<ClientSessionStore>(sessions, {
      memory: () => new MemoryClientSessionStore(),
      database: async () => {
        const { DatabaseClientSessionStore } =
          await import('#oauth2/openid/logout/database_client_session_store')
        return new DatabaseClientSessionStore(await connection(sessions.connection))
      },
    }),
    keyStore: await createKeyStore(keys, connection),
  }
}

/** null when the setting `keys` is off. */
function createKeyStore(
  { store, ...keys }: ResolvedOAuth2Config['keys'],
  connection: (name: string | undefined) => Promise<() => QueryClientContract>
) {
  if (store === 'none') {
    return null
  }
  return createStore<KeyStore>(
    { ...keys, store },
    {
      memory: () => new MemoryKeyStore(),
      database: async () => {
        const { DatabaseKeyStore } = await import('#oauth2/keys/database_key_store')
        return new DatabaseKeyStore(await connection(keys.connection))
      },
    }
  )
}
