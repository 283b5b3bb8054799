import { FeatureProvider } from '#auth/feature_provider'
import { defineConfig } from '#security_log/define_config'
import {
  DatabaseSecurityLogStore,
  MemorySecurityLogStore,
  SecurityLog,
} from '#security_log/security_log'

/** The log of security events that people see of their own account: the `securityLog` feature. */
export default class AuthSecurityLogProvider extends FeatureProvider {
  async boot() {
    const manager = await this.make('auth_manager')
    const config = this.config('security_log', defineConfig)
    const store = await this.store(config, MemorySecurityLogStore, DatabaseSecurityLogStore)
    const log = new SecurityLog(store, config.retention)
    this.app.container.bindValue(SecurityLog, log)
    manager.registerFeature('securityLog', log)
    await this.purge('old security events', () => log.purge(), config.purgeInterval)
  }
}
