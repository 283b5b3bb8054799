import { FeatureProvider } from '#auth/feature_provider'
import { AuthManager } from '#auth/manager'
import { assertRuntime } from '#config/checks'
import { ProtectedResources } from '#auth/protected_resources'
import { accessKinds, AskingClient, loginHint, tokenServer } from '#oauth2/features'
import { AuthorizationServer } from '#oauth2/authorization_server'
import type { Clients } from '#oauth2/clients/clients'
import { DocumentFetcher } from '#http/document_fetcher'
import {
  type OAuth2Config,
  type ResolvedOAuth2Config,
  defineConfig,
  withFallbacks,
} from '#oauth2/define_config'
import { oauth2Driver } from '#oauth2/guard'
import { purgeExpiredKeys } from '#oauth2/keys/key_changes'
import { createKeySet } from '#oauth2/keys/key_set'
import { oauth2Routes, openIdRoutes } from '#oauth2/routes'
import { importModel } from '#config/store_config'
import { InMemoryClientRepository, OrmClientRepository } from '#oauth2/clients/client_repository'
import { DatabaseKeyStore, MemoryKeyStore } from '#oauth2/keys/key_store'
import {
  DatabaseClientSessionStore,
  MemoryClientSessionStore,
} from '#oauth2/openid/logout/client_session_store'
import { DatabaseTokenStore } from '#oauth2/tokens/database_token_store'
import { MemoryTokenStore } from '#oauth2/tokens/memory_token_store'
import { hasSharedSubjects } from '#oauth2/openid/subjects'

declare module '#auth/manager' {
  interface AuthManager {
    /** The registered OAuth clients, and `register` for new ones. */
    clientRepository: Clients
  }
}

/** Seconds between two purges of unused clients, and of keys that nothing needs any more. */
const LONG_INTERVAL = 3600

/** Seconds between two looks for clients that have to be told of the end of a session. */
const TELLING_INTERVAL = 30

/** An OAuth 2.1 authorization server and resource server: the `oauth2` guard driver and the `/oauth/*` endpoints. */
export default class AuthOAuth2Provider extends FeatureProvider {
  #server?: AuthorizationServer
  #telling: NodeJS.Timeout | undefined

  override register() {
    super.register()
    this.app.container.singleton(AuthorizationServer, () => this.#createServer())
    this.app.container.singleton(DocumentFetcher, async (resolver) => {
      const { config } = await resolver.make(AuthorizationServer)
      return new DocumentFetcher({ maxBytes: config.clientDocuments.maxBytes })
    })
  }

  async boot() {
    const manager = await this.make('auth_manager')
    const server = await this.app.container.make(AuthorizationServer)
    this.#server = server

    manager.registerDriver(oauth2Driver(server))
    await this.purge('expired OAuth tokens and codes', () => server.purge())
    await this.purge('unused OAuth clients', () => server.clients.purge(Date.now()), LONG_INTERVAL)
    if (server.keys.stored) {
      const run = () => purgeExpiredKeys(server, Date.now())
      await this.purge('OAuth keys whose tokens have expired', run, LONG_INTERVAL)
    }
    const resources = new ProtectedResources(manager, tokenServer(server))
    manager.registerFeature('protectedResources', resources)
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
    const router = await this.make('router')
    oauth2Routes(router, server.config)
    if (server.openid) {
      const { backChannel } = server.openid
      openIdRoutes(router, server.config)
      backChannel.listen(await this.make('emitter'))
      manager.registerFeature('openid', { loginHint })
      this.#telling = setInterval(() => backChannel.deliverDue(), TELLING_INTERVAL * 1000).unref()
    }
  }

  /** Runs after every provider has booted, so that all guards are there. */
  async start() {
    const manager = await this.make('auth_manager')
    const server = await this.app.container.make(AuthorizationServer)
    const { authorizationGuard } = server.config
    assertRuntime(
      authorizationGuard === null || authorizationGuard in manager.config.guards,
      `OAuth2Config: "authorizationGuard" names the guard "${authorizationGuard}", which is not in config/auth.ts`
    )
    server.grants.assertEnabled()
    /* Commands run without keys, one of which makes them; "codegen" is a server that only warms up. */
    if (this.app.getEnvironment() === 'web' && this.app.getMode() === 'run') {
      await server.keys.ready()
      server.keys.assertCanSign()
      server.openid?.assertCanSign()
      if (hasSharedSubjects(server.config, Object.keys(manager.config.providers))) {
        await this.warn(
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
    const manager = await this.make('auth_manager')
    const logger = await this.make('logger')
    const emitter = await this.make('emitter')
    const given = this.config<OAuth2Config, ResolvedOAuth2Config>('oauth2', defineConfig)
    const config = withFallbacks(given, manager.config.deprecated)
    const { keys, tokens, clients, openid } = config
    const model = async () => ({
      default: {
        accessToken: await importModel(tokens.models?.accessToken),
        refreshToken: await importModel(tokens.models?.refreshToken),
        authCode: await importModel(tokens.models?.authCode),
      },
    })
    return new AuthorizationServer({
      tokens: await this.store({ ...tokens, model }, MemoryTokenStore, DatabaseTokenStore),
      repository: await this.store(clients, InMemoryClientRepository, OrmClientRepository),
      clientSessions: await this.store(
        openid.sessions,
        MemoryClientSessionStore,
        DatabaseClientSessionStore
      ),
      config,
      manager,
      keys: await createKeySet({
        config,
        store:
          keys.store === 'none'
            ? null
            : await this.store({ ...keys, store: keys.store }, MemoryKeyStore, DatabaseKeyStore),
        encryption: await this.make('encryption'),
        inProduction: this.app.inProduction,
        logger,
      }),
      fetcher: () => this.app.container.make(DocumentFetcher),
      announce: (name, event) => void emitter.emit(name, event as any),
      logger,
    })
  }
}
