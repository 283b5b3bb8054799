import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { ApiTokenService } from '#api_token/api_token_service'
import { type ResolvedApiTokenConfig, defineConfig } from '#api_token/define_config'
import { checkSpaMode, tokenDriver } from '#api_token/driver'
import { resolveConfig } from '#config/file'
import { Purges } from '#database/purges'
import { importModel } from '#database/models'
import { createStore } from '#config/store_config'
import type { ApiTokenRepository } from '#api_token/types'

/** Opaque API tokens: the `token` guard driver and SPA mode. */
export default class AuthApiTokenProvider {
  #service?: ApiTokenService

  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'AuthApiTokenProvider')
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const emitter = await this.app.container.make('emitter')
    const logger = await this.app.container.make('logger')
    const purges = await this.app.container.make(Purges)
    const config = this.#config
    const service = new ApiTokenService(config, await this.#repository(config), emitter, logger)
    this.#service = service

    manager.registerDriver(tokenDriver(service, manager))
    manager.registerFeature('apiTokens', service)
    manager.accountAccess.add(service.access)
    service.contexts = () => manager.feature('credentialContexts')
    manager.credentialHolders.push({
      endWhere: async (...args) => service.repository.endWhere?.(...args),
    })
    purges.add({
      name: 'expired API tokens',
      interval: config.purgeInterval,
      run: () => service.purge(),
    })
    if (config.statefulOrigins.length) {
      manager.registerFeature('spa', { origins: config.statefulOrigins })
    }
  }

  async start() {
    checkSpaMode(this.#config, await this.app.container.make('auth_manager'))
  }

  async shutdown() {
    await this.#service?.settled()
  }

  get #config() {
    return resolveConfig(this.app.config.get('api_token'), defineConfig)
  }

  #repository(config: ResolvedApiTokenConfig) {
    return createStore<ApiTokenRepository>(config, {
      memory: async () => {
        const { MemoryApiTokenRepository } = await import('#api_token/stores/memory')
        return new MemoryApiTokenRepository()
      },
      database: async () => {
        const { DatabaseApiTokenRepository } = await import('#api_token/stores/database')
        const db = await this.app.container.make('lucid.db')
        return new DatabaseApiTokenRepository(
          () => db.connection(config.connection),
          await importModel(config.model)
        )
      },
    })
  }
}
