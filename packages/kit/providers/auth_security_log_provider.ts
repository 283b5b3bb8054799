import { FeatureProvider } from '#auth/feature_provider'
import { defineConfig } from '#security_log/define_config'
import {
  DatabaseSecurityLogStore,
  MemorySecurityLogStore,
  SecurityLog,
} from '#security_log/security_log'

/** The log of security events that people see of their own account: the `securityLog` feature. */
export default class AuthSecurityLogProvider extends FeatureProvider {
  override register() {
    super.register()
    this.app.container.singleton(SecurityLog, async () => {
      const config = this.config('security_log', defineConfig)
      const store = await this.store(config, MemorySecurityLogStore, DatabaseSecurityLogStore)
      return new SecurityLog(store, config.retention)
    })
  }

  async boot() {
    const manager = await this.make('auth_manager')
    const log = await this.app.container.make(SecurityLog)
    manager.registerFeature('securityLog', log)
    const { purgeInterval } = this.config('security_log', defineConfig)
    await this.purge('old security events', () => log.purge(), purgeInterval)
  }
}
