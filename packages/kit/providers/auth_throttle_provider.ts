import type { LimiterManager } from '@adonisjs/limiter'

import { FeatureProvider } from '#auth/feature_provider'
import { assertRuntime } from '#config/checks'
import { defineConfig } from '#throttle/define_config'
import { LimiterThrottle, purgingCounts } from '#throttle/limiter_throttle'

/** Limits on failed attempts: the `throttle` feature, with the store of `config/limiter.ts`. */
export default class AuthThrottleProvider extends FeatureProvider {
  override register() {
    super.register()
    assertRuntime(
      this.app.container.hasBinding('limiter.manager'),
      "AuthThrottleProvider counts with AdonisJS's limiter: list @adonisjs/limiter/limiter_provider before it in adonisrc.ts"
    )
  }

  async boot() {
    const manager = await this.make('auth_manager')
    const limiters: LimiterManager<any> = await this.app.container.make<any>('limiter.manager')
    const config = this.config('throttle', defineConfig)

    manager.registerFeature('throttle', new LimiterThrottle(config, limiters))
    /* The other stores delete expired counts themselves. */
    if (limiters.config.default === 'database') {
      const db = await this.make('lucid.db')
      const purge = purgingCounts(() => db.connection())
      await this.purge('expired rate limits', () => purge(Date.now()))
    }
  }
}
