import { RuntimeException } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'
import type { LimiterManager } from '@adonisjs/limiter'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { resolveConfig } from '#config/file'
import { Purges } from '#database/purges'
import { defineConfig } from '#throttle/define_config'
import { LimiterThrottle } from '#throttle/limiter_throttle'

/** Seconds between two purges of expired counts. */
const PURGE_INTERVAL = 300

/** Limits on failed attempts: the `throttle` feature, with the store of `config/limiter.ts`. */
export default class AuthThrottleProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'AuthThrottleProvider')
    if (!this.app.container.hasBinding('limiter.manager')) {
      throw new RuntimeException(
        "AuthThrottleProvider counts with AdonisJS's limiter: list @adonisjs/limiter/limiter_provider before it in adonisrc.ts"
      )
    }
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const limiters: LimiterManager<any> = await this.app.container.make<any>('limiter.manager')
    const config = resolveConfig(this.app.config.get('throttle'), defineConfig)

    manager.registerFeature('throttle', new LimiterThrottle(config, limiters))
    await this.#purge(limiters)
  }

  /** The other stores delete expired counts themselves. */
  async #purge(limiters: LimiterManager<any>) {
    if (limiters.config.default !== 'database') {
      return
    }
    const purges = await this.app.container.make(Purges)
    purges.add({
      name: 'expired rate limits',
      interval: PURGE_INTERVAL,
      run: async () => {
        const { default: RateLimit } = await import('#throttle/models/rate_limit')
        return RateLimit.purge(Date.now())
      },
    })
  }
}
