import { FeatureProvider } from '#auth/feature_provider'
import { ApiTokenService } from '#api_token/api_token_service'
import { defineConfig } from '#api_token/define_config'
import { checkSpaMode, tokenDriver } from '#api_token/guard'
import { DatabaseApiTokenRepository, MemoryApiTokenRepository } from '#api_token/store'

/** Opaque API tokens: the `token` guard driver and SPA mode. */
export default class AuthApiTokenProvider extends FeatureProvider {
  #service?: ApiTokenService

  async boot() {
    const manager = await this.make('auth_manager')
    const emitter = await this.make('emitter')
    const logger = await this.make('logger')
    const config = this.#config
    const repository = await this.store(
      config,
      MemoryApiTokenRepository,
      DatabaseApiTokenRepository
    )
    const service = new ApiTokenService(config, repository, emitter, logger)
    this.#service = service

    manager.registerDriver(tokenDriver(service, manager))
    manager.registerFeature('apiTokens', service)
    manager.accountAccess.add(service.access)
    service.contexts = () => manager.feature('credentialContexts')
    manager.credentialHolders.push({
      endWhere: async (...args) => service.repository.endWhere?.(...args),
    })
    await this.purge('expired API tokens', () => service.purge(), config.purgeInterval)
    if (config.statefulOrigins.length) {
      manager.registerFeature('spa', { origins: config.statefulOrigins })
    }
  }

  async start() {
    checkSpaMode(this.#config, await this.make('auth_manager'))
  }

  async shutdown() {
    await this.#service?.settled()
  }

  get #config() {
    return this.config('api_token', defineConfig)
  }
}
