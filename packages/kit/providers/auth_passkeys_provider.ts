import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { type ResolvedPasskeysConfig, defineConfig, isUsableHost } from '#passkeys/define_config'
import { Passkeys } from '#passkeys/passkeys'
import { requireConfig } from '#config/file'
import { Purges } from '#database/purges'

/** Seconds between two purges of used challenges. */
const PURGE_INTERVAL = 300

/** Passkeys: people sign in and confirm with a key that their device keeps. */
export default class AuthPasskeysProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'AuthPasskeysProvider')
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const purges = await this.app.container.make(Purges)
    const passkeys = new Passkeys(this.#config, {
      features: manager,
      emitter: await this.app.container.make('emitter'),
    })
    manager.registerFeature('passkeys', passkeys)
    manager.accountAccess.add(passkeys.access)
    purges.add({
      name: 'used challenges of passkeys',
      interval: PURGE_INTERVAL,
      run: () => passkeys.purge(),
    })
    if (this.app.usingEdgeJS) {
      const { default: edge } = await import('edge.js')
      edge.global('hasPasskeys', true)
    }
  }

  async ready() {
    if (this.app.getEnvironment() === 'web' && !isUsableHost(this.#config.rpId)) {
      const logger = await this.app.container.make('logger')
      logger.warn(
        'Browsers take no passkeys for an IP address: use a host name in APP_URL, e.g. http://localhost:3333'
      )
    }
  }

  get #config(): ResolvedPasskeysConfig {
    return requireConfig(this.app.config, 'passkeys', defineConfig)
  }
}
