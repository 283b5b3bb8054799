import app from '@adonisjs/core/services/app'

import type { InferAuthenticators } from '#auth/authenticators'
import {
  apiTokenGuard,
  defineConfig,
  lucidUserProvider,
  oauth2Guard,
  sessionGuard,
} from '#auth/define_config'
import env from '#start/env'

/** Minutes that a password reset link works. */
const RESET_LINK_EXPIRE = 60

const authConfig = defineConfig({
  default: { guard: 'web', passwords: 'users' },

  guards: {
    web: sessionGuard({ provider: 'users' }),
    api: apiTokenGuard({ provider: 'users' }),
    oauth: oauth2Guard({ provider: 'users' }),
  },

  providers: {
    users: lucidUserProvider({ model: () => import('#models/user'), isActive: 'isActive' }),
  },

  /** People who forgot their password get a link by mail. Without this the /password routes do not exist. */
  passwords: {
    users: { provider: 'users', expire: RESET_LINK_EXPIRE, throttle: 60 },
  },

  async passwordResetNotifier(email, token) {
    const { default: mail } = await import('@adonisjs/mail/services/main')
    const { default: PasswordResetMail } = await import('#mails/password_reset_mail')
    await mail.send(
      new PasswordResetMail({ email, token, url: env.get('APP_URL'), expire: RESET_LINK_EXPIRE })
    )
  },

  /** Tests hash many passwords and keep no secrets. */
  bcryptRounds: app.inTest ? 4 : 12,
})

export default authConfig

/* The types of ctx.auth, Auth and the middleware know the guards and users that are named here. */
declare module '#auth/authenticators' {
  interface Authenticators extends InferAuthenticators<typeof authConfig> {}
}
