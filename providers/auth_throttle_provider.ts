import { RuntimeException } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'
import type { LimiterManager } from '@adonisjs/limiter'

import { assertAuthProvider } from '#auth/registration'
import type { AuthManager } from '#auth/manager'
import { type ResolvedThrottleConfig, defineConfig } from '#throttle/define_config'
import { LimiterThrottle } from '#throttle/limiter_throttle'

/** Seconds between two purges of counts that are over. */
const PURGE_INTERVAL = 300

/** Limits of failed attempts: the `throttle` feature, over `config/limiter.ts`. */
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
    const limiters = await this.app.container.make('limiter.manager')
    const config = this.app.config.get<ResolvedThrottleConfig>('throttle', defineConfig())

    manager.registerFeature('throttle', new LimiterThrottle(config, limiters))
    this.#purge(manager, limiters)
  }

  /** The other stores forget by themselves. */
  #purge(manager: AuthManager, limiters: LimiterManager<any>) {
    if (limiters.config.default !== 'database') {
      return
    }
    manager.purges.add({
      name: 'expired rate limits',
      interval: PURGE_INTERVAL,
      run: async () => {
        const { default: RateLimit } = await import('#models/rate_limit')
        return RateLimit.purge(Date.now())
      },
    })
  }
}
