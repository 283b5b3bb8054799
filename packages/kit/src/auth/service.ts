import app from '@adonisjs/core/services/app'

import type { AuthManager } from '#auth/manager'

let manager: AuthManager

/* Controllers alone import this: other modules are loaded also by commands that boot no providers. */
await app.booted(async () => {
  manager = await app.container.make('auth_manager')
})

export { manager as default }
