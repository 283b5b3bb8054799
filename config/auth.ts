import app from '@adonisjs/core/services/app'

import { defineConfig, lucidUserProvider, oauth2Guard, sessionGuard } from '#auth/define_config'

export default defineConfig({
  default: { guard: 'web', passwords: 'users' },

  guards: {
    web: sessionGuard({ provider: 'users' }),
    oauth: oauth2Guard({ provider: 'users' }),
  },

  providers: {
    users: lucidUserProvider({ model: () => import('#models/user'), isActive: 'isActive' }),
  },

  /** Tests hash many passwords and keep no secrets. */
  bcryptRounds: app.inTest ? 4 : 12,
})
