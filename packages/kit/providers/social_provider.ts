import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { type ResolvedSocialConfig, defineConfig } from '#social/define_config'
import { socialRoutes } from '#social/routes'
import { Social } from '#social/social'
import type { SocialStore } from '#social/types'
import { Background } from '#process/background'
import { resolveConfig } from '#config/file'
import { Purges } from '#database/purges'
import { createStore } from '#config/store_config'

/** Seconds between two purges of used states. */
const PURGE_INTERVAL = 300

/** Signing in through Google, GitHub and others: the `social` feature. It asks the feature `emailVerification` whose address is verified. */
export default class SocialProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'SocialProvider')
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const purges = await this.app.container.make(Purges)
    const config = resolveConfig(this.app.config.get('social'), defineConfig)
    const social = new Social(config, {
      manager,
      store: await this.#store(config),
      background: await this.app.container.make(Background),
      appUrl: this.app.config.get('app.appUrl'),
    })
    manager.registerFeature('social', social)
    manager.accountAccess.add(social.access)
    purges.add({
      name: 'used states of sign-ins through providers',
      interval: PURGE_INTERVAL,
      run: () => social.purge(),
    })
    if (this.app.usingEdgeJS) {
      const { default: edge } = await import('edge.js')
      edge.global('socialProviders', () => manager.feature('social')?.providers ?? [])
    }
  }

  /** Sign-ins need sessions and addresses that are verified, and so do their ends. */
  async start() {
    const manager = await this.app.container.make('auth_manager')
    if (manager.feature('sessions') && manager.feature('emailVerification')) {
      socialRoutes(await this.app.container.make('router'))
    }
  }

  #store(config: ResolvedSocialConfig) {
    return createStore<SocialStore>(config, {
      memory: async () => {
        const { MemorySocialStore } = await import('#social/stores/memory')
        return new MemorySocialStore()
      },
      database: async () => {
        const { DatabaseSocialStore } = await import('#social/stores/database')
        const db = await this.app.container.make('lucid.db')
        return new DatabaseSocialStore(() => db.connection(config.connection))
      },
    })
  }
}
