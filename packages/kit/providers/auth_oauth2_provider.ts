import { RuntimeException } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { AuthManager } from '#auth/manager'
import { accessKinds } from '#oauth2/access_kinds'
import { AskingClient } from '#oauth2/authorize/asking_client'
import { AuthorizationServer } from '#oauth2/authorization_server'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import type { Clients } from '#oauth2/clients/clients'
import { DocumentFetcher } from '#oauth2/clients/documents/document_fetcher'
import {
  type OAuth2Config,
  type ResolvedOAuth2Config,
  defineConfig,
  withFallbacks,
} from '#oauth2/define_config'
import { announcer } from '#oauth2/events'
import { oauth2Driver } from '#oauth2/guard'
import { createKeySet } from '#oauth2/keys/create_key_set'
import type { KeyStore } from '#oauth2/keys/key_store'
import { createClientSessionStore } from '#oauth2/openid/logout/create_client_session_store'
import { loginHint } from '#oauth2/openid/login_hint'
import type { OpenId } from '#oauth2/openid/openid'
import { openIdRoutes } from '#oauth2/openid/routes'
import { ProtectedResources } from '#oauth2/protected_resources'
import { oauth2Routes } from '#oauth2/routes'
import { resolveConfig } from '#config/file'
import { Purges } from '#database/purges'
import { importModel } from '#database/models'
import { createStore } from '#config/store_config'
import { hasSharedSubjects } from '#oauth2/tokens/subject'
import type { TokenStore } from '#oauth2/tokens/token_store'

declare module '#auth/manager' {
  interface AuthManager {
    /** The registered OAuth clients, and `register` for new ones. */
    clientRepository: Clients
  }
}

/** Seconds between two purges of expired tokens and codes. */
const PURGE_INTERVAL = 300

/** Seconds between two purges of unused clients. */
const CLIENT_PURGE_INTERVAL = 3600

/** Seconds between two looks for keys that nothing needs any more. */
const KEY_PURGE_INTERVAL = 3600

/** Seconds between two looks for clients that have to be told of the end of a session. */
const TELLING_INTERVAL = 30

/**
 * Turns the application into an OAuth 2.1 authorization server and resource
 * server: the `oauth2` guard driver, the `/oauth/*` endpoints and the command
 * `auth:oauth2:client`.
 */
export default class AuthOAuth2Provider {
  #server?: AuthorizationServer
  #telling: NodeJS.Timeout | undefined

  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'AuthOAuth2Provider')
    this.app.container.singleton(AuthorizationServer, () => this.#createServer())
    this.app.container.singleton(DocumentFetcher, async (resolver) => {
      const { config } = await resolver.make(AuthorizationServer)
      return new DocumentFetcher({ maxBytes: config.clientDocuments.maxBytes })
    })
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const purges = await this.app.container.make(Purges)
    const server = await this.app.container.make(AuthorizationServer)
    this.#server = server

    manager.registerDriver(oauth2Driver(server))
    purges.add({
      name: 'expired OAuth tokens and codes',
      interval: PURGE_INTERVAL,
      run: () => server.purge(),
    })
    purges.add({
      name: 'unused OAuth clients',
      interval: CLIENT_PURGE_INTERVAL,
      run: () => server.clients.purge(Date.now()),
    })
    if (server.keys.stored) {
      purges.add({
        name: 'OAuth keys whose tokens have expired',
        interval: KEY_PURGE_INTERVAL,
        run: () => server.expiredKeys.purge(Date.now()),
      })
    }
    manager.registerFeature('protectedResources', new ProtectedResources(manager, server))
    manager.registerFeature('tokenScheme', server.dpop)
    manager.registerFeature('connectedApps', server.connectedApps)
    manager.registerFeature('askingClient', new AskingClient(server.clients))
    accessKinds(server).forEach((kind) => manager.accountAccess.add(kind))
    manager.credentialHolders.push({
      async endWhere(...args) {
        await server.tokens.grants.endWhere(...args)
        await server.tokens.endPersonalWhere(...args)
      },
    })
    AuthManager.getter('clientRepository', () => server.clients)
    oauth2Routes(await this.app.container.make('router'), server.config)
    if (server.openid) {
      await this.#addOpenId(server.openid, server.config)
    }
  }

  /** The endpoints of OpenID Connect, and what tells clients of the end of sessions. */
  async #addOpenId({ backChannel }: OpenId, config: ResolvedOAuth2Config) {
    openIdRoutes(await this.app.container.make('router'), config)
    const emitter = await this.app.container.make('emitter')
    backChannel.listen(emitter)
    const manager = await this.app.container.make('auth_manager')
    manager.registerFeature('openid', { loginHint })
    this.#telling = setInterval(() => backChannel.deliverDue(), TELLING_INTERVAL * 1000).unref()
  }

  /** Runs after every provider has booted, so that all guards are there. */
  async start() {
    const manager = await this.app.container.make('auth_manager')
    const server = await this.app.container.make(AuthorizationServer)
    const { authorizationGuard } = server.config
    if (authorizationGuard !== null && !(authorizationGuard in manager.config.guards)) {
      throw new RuntimeException(
        `OAuth2Config: "authorizationGuard" names the guard "${authorizationGuard}", which is not in config/auth.ts`
      )
    }
    server.grants.assertEnabled()
    /* Commands run without keys, one of which makes them. */
    if (this.app.getEnvironment() === 'web') {
      await server.keys.ready()
      server.keys.assertCanSign()
      server.openid?.assertCanSign()
      if (hasSharedSubjects(server.config, Object.keys(manager.config.providers))) {
        const logger = await this.app.container.make('logger')
        logger.warn(
          'Two people of two user providers may have the same "sub": set "uniqueSubjects" in config/oauth2.ts'
        )
      }
    }
  }

  /** What is being written in the background is written before the database goes. */
  async shutdown() {
    clearInterval(this.#telling)
    await this.#server?.openid?.backChannel.settled()
    await this.#server?.usedGrants.settled()
  }

  async #createServer(): Promise<AuthorizationServer> {
    const manager = await this.app.container.make('auth_manager')
    const logger = await this.app.container.make('logger')
    const emitter = await this.app.container.make('emitter')
    const config = withFallbacks(
      resolveConfig(this.app.config.get('oauth2'), (settings: OAuth2Config) =>
        defineConfig(settings)
      ),
      manager.config.deprecated
    )

    return new AuthorizationServer({
      config,
      manager,
      keys: await createKeySet({
        config,
        store: await this.#keyStore(config),
        sealer: await this.app.container.make('encryption'),
        inProduction: this.app.inProduction,
        logger,
      }),
      tokens: await this.#tokenStore(config),
      clientSessions: await createClientSessionStore(config.openid.sessions, () =>
        this.app.container.make('lucid.db')
      ),
      repository: await this.#clientRepository(config),
      fetcher: () => this.app.container.make(DocumentFetcher),
      announce: announcer(emitter),
      logger,
    })
  }

  #keyStore({ keys: { store, ...keys } }: ResolvedOAuth2Config) {
    if (store === 'none') {
      return null
    }
    return createStore<KeyStore>(
      { ...keys, store },
      {
        memory: async () => {
          const { MemoryKeyStore } = await import('#oauth2/keys/memory_key_store')
          return new MemoryKeyStore()
        },
        database: async () => {
          const { DatabaseKeyStore } = await import('#oauth2/keys/database_key_store')
          const db = await this.app.container.make('lucid.db')
          return new DatabaseKeyStore(() => db.connection(keys.connection))
        },
      }
    )
  }

  #tokenStore({ tokens }: ResolvedOAuth2Config) {
    return createStore<TokenStore>(tokens, {
      memory: async () => {
        const { MemoryTokenStore } = await import('#oauth2/tokens/memory_token_store')
        return new MemoryTokenStore()
      },
      database: async () => {
        const { DatabaseTokenStore } = await import('#oauth2/tokens/database_token_store')
        const db = await this.app.container.make('lucid.db')
        return new DatabaseTokenStore(() => db.connection(tokens.connection), {
          accessToken: await importModel(tokens.models?.accessToken),
          refreshToken: await importModel(tokens.models?.refreshToken),
          authCode: await importModel(tokens.models?.authCode),
        })
      },
    })
  }

  #clientRepository({ clients }: ResolvedOAuth2Config) {
    return createStore<ClientRepository>(clients, {
      memory: async () => {
        const { InMemoryClientRepository } =
          await import('#oauth2/clients/in_memory_client_repository')
        return new InMemoryClientRepository()
      },
      database: async () => {
        const { OrmClientRepository } = await import('#oauth2/clients/orm_client_repository')
        const db = await this.app.container.make('lucid.db')
        return new OrmClientRepository(
          () => db.connection(clients.connection),
          await importModel(clients.model)
        )
      },
    })
  }
}
