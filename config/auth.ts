import type {} from 'adonis-auth-kit/features'
import app from '@adonisjs/core/services/app'

import type { InferAuthenticators } from 'adonis-auth-kit/auth/authenticators'
import {
  apiTokenGuard,
  defineConfig,
  lucidUserProvider,
  oauth2Guard,
  sessionGuard,
} from 'adonis-auth-kit/auth/define_config'
import env from '#start/env'

/** Minutes that a password reset link works. */
const RESET_LINK_EXPIRE = 60

const authConfig = defineConfig({
  /** The guard that answers where none is named, and the password broker of the /password routes. */
  default: {
    guard: 'web',
    passwords: 'users',
  },

  /** Ways to recognise a caller, by name. */
  guards: {
    web: sessionGuard({ provider: 'users' }),
    api: apiTokenGuard({ provider: 'users' }),
    oauth: oauth2Guard({ provider: 'users' }),
  },

  /** Where users come from, by name. */
  providers: {
    users: lucidUserProvider({ model: () => import('#models/user'), isActive: 'isActive' }),
  },

  /**
   * Password brokers, by name: `expire` minutes that a reset link works, `throttle` seconds between two links for one
   * e-mail. `model` has columns and hooks of your own. Without `passwords` the /password routes do not exist.
   */
  passwords: {
    users: {
      provider: 'users',
      expire: RESET_LINK_EXPIRE,
      throttle: 60,
      model: () => import('#models/password_reset_token'),
    },
  },

  /** Delivers a reset token to its user. */
  async passwordResetNotifier(email, token) {
    const { default: mail } = await import('@adonisjs/mail/services/main')
    const { default: PasswordResetMail } =
      await import('adonis-auth-kit/password_reset/password_reset_mail')
    await mail.send(
      new PasswordResetMail({ email, token, url: env.get('APP_URL'), expire: RESET_LINK_EXPIRE })
    )
  },

  /** Puts the reset token in the answer of /password/email. For local development only. */
  debugExposeResetToken: false,

  /** Gives every 401 and 403 for tokens the parameters of RFC 6750 in WWW-Authenticate. MCP mounts always do. */
  challengeDetails: false,

  /** Cost of new password hashes, 4 to 31. Tests hash many passwords and keep no secrets. */
  bcryptRounds: app.inTest ? 4 : 12,

  /** Seconds that a request waits for its password to be hashed; when it would take longer, it is refused at once. */
  hashingPatience: 5,
})

export default authConfig

/* The types of ctx.auth, Auth and the middleware know the guards and users that are named here. */
declare module 'adonis-auth-kit/auth/authenticators' {
  interface Authenticators extends InferAuthenticators<typeof authConfig> {}
}
