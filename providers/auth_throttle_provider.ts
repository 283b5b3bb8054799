import KitAuthThrottleProvider from 'adonis-auth-kit/providers/auth_throttle_provider'

/**
 * Limits on attempts, by `config/throttle.ts`, counted in the store of `config/limiter.ts`. Needs
 * AuthProvider and AdonisJS's limiter before it.
 */
export default class AuthThrottleProvider extends KitAuthThrottleProvider {}
