import { FeatureProvider } from '#auth/feature_provider'
import { defineConfig } from '#security_log/define_config'
import { SecurityLog } from '#security_log/security_log'
import {
  DatabaseSecurityLogStore,
  MemorySecurityLogStore,
  type SecurityLogStore,
} from '#security_log/store'
import { resolveConfig } from '#config/file'
import { createStore } from '#config/store_config'

/** The log of security events that people see of their own account: the `securityLog` feature. */
export default class AuthSecurityLogProvider extends FeatureProvider {
  override register() {
    super.register()
    this.app.container.singleton(SecurityLog, async () => {
      const config = this.#config()
      const store = await createStore<SecurityLogStore>(this.app, config, {
        memory: () => new MemorySecurityLogStore(),
        database: (client) => new DatabaseSecurityLogStore(client),
      })
      return new SecurityLog(store, config.retention)
    })
  }

  async boot() {
    const manager = await this.make('auth_manager')
    const log = await this.app.container.make(SecurityLog)
    manager.registerFeature('securityLog', log)
    await this.purge('old security events', () => log.purge(), this.#config().purgeInterval)
  }

  #config() {
    return resolveConfig(this.app.config.get('security_log'), defineConfig)
  }
}
