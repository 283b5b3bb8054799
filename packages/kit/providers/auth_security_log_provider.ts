import { FeatureProvider } from '#auth/feature_provider'
import { type ResolvedSecurityLogConfig, defineConfig } from '#security_log/define_config'
import { SecurityLog } from '#security_log/security_log'
import type { SecurityLogStore } from '#security_log/store'
import { resolveConfig } from '#config/file'

/** The log of security events that people see of their own account: the `securityLog` feature. */
export default class AuthSecurityLogProvider extends FeatureProvider {
  override register() {
    super.register()
    this.app.container.singleton(SecurityLog, async () => {
      const config = this.#config()
      return new SecurityLog(await this.#store(config), config.retention)
    })
  }

  async boot() {
    const manager = await this.make('auth_manager')
    const log = await this.app.container.make(SecurityLog)
    manager.registerFeature('securityLog', log)
    await this.purge('old security events', this.#config().purgeInterval, () => log.purge())
  }

  #config() {
    return resolveConfig(this.app.config.get('security_log'), defineConfig)
  }

  #store(config: ResolvedSecurityLogConfig) {
    return this.store<SecurityLogStore>(config, {
      memory: () =>
        import('#security_log/store').then(
          ({ MemorySecurityLogStore }) => new MemorySecurityLogStore()
        ),
      database: (client) =>
        import('#security_log/store').then(
          ({ DatabaseSecurityLogStore }) => new DatabaseSecurityLogStore(client)
        ),
    })
  }
}
