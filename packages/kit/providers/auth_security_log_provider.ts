import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { type ResolvedSecurityLogConfig, defineConfig } from '#security_log/define_config'
import { SecurityLog } from '#security_log/security_log'
import type { SecurityLogStore } from '#security_log/types'
import { resolveConfig } from '#config/file'
import { Purges } from '#database/purges'
import { createStore } from '#config/store_config'

/** The log of security events that people see of their own account: the `securityLog` feature. */
export default class AuthSecurityLogProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'AuthSecurityLogProvider')
    this.app.container.singleton(SecurityLog, async () => {
      const config = this.#config()
      return new SecurityLog(await this.#store(config), config.retention)
    })
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const log = await this.app.container.make(SecurityLog)
    const purges = await this.app.container.make(Purges)
    manager.registerFeature('securityLog', log)
    purges.add({
      name: 'old security events',
      interval: this.#config().purgeInterval,
      run: () => log.purge(),
    })
  }

  #config() {
    return resolveConfig(this.app.config.get('security_log'), defineConfig)
  }

  #store(config: ResolvedSecurityLogConfig) {
    return createStore<SecurityLogStore>(config, {
      memory: async () => {
        const { MemorySecurityLogStore } = await import('#security_log/stores/memory')
        return new MemorySecurityLogStore()
      },
      database: async () => {
        const { DatabaseSecurityLogStore } = await import('#security_log/stores/database')
        const db = await this.app.container.make('lucid.db')
        return new DatabaseSecurityLogStore(() => db.connection(config.connection))
      },
    })
  }
}
