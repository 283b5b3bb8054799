import KitAuthThrottleProvider from 'adonis-auth-kit/providers/auth_throttle_provider'

/**
 * Limits on failed attempts, `config/throttle.ts`, in the store of `config/limiter.ts`. Needs AuthProvider
 * and the provider of @adonisjs/limiter.
 */
export default class AuthThrottleProvider extends KitAuthThrottleProvider {}
