import { HttpContext } from '@adonisjs/core/http'

import type { Authenticator } from '#auth/authenticator'
import { CoreProvider, assertGuardLists } from '#auth/core_provider'
import type { AuthManager } from '#auth/manager'
import { PasswordResets } from '#password_reset/password_resets'
import { Background } from '#process/background'
import { compactGlobals, deferViews } from '#http/deferred_view'
import { keepPaths } from '#http/pages'
import { Purges } from '#database/purges'

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The same object as `authenticator`. */
    auth: Authenticator
  }
}

const Reset = () => import('adonis-auth-kit/password_reset/controllers/password_reset_controller')

/**
 * The core (`CoreProvider`) and what this application adds: `ctx.auth`, a check of the guards of all
 * routes, views that are made when they are needed, and the password-reset routes when `passwords` is set.
 */
export default class AuthProvider extends CoreProvider {
  override async boot() {
    await super.boot()
    HttpContext.getter('auth', function (this: HttpContext) {
      return this.authenticator
    })
    const edge = await this.edge()
    if (edge) {
      deferViews(edge)
      keepPaths(edge)
    }
  }

  override async start() {
    await super.start()
    await this.#registerPasswordResets(await this.make('auth_manager'))
  }

  override async ready() {
    if (this.app.getEnvironment() === 'web') {
      const manager = await this.make('auth_manager')
      assertGuardLists(await this.make('router'), manager)
      await this.#warnAboutPasswordResets(manager)
    }
    const edge = await this.edge()
    if (edge) {
      compactGlobals(edge)
    }
    await super.ready()
  }

  async #registerPasswordResets(manager: AuthManager) {
    const resets = await PasswordResets.register(manager, {
      background: await this.app.container.make(Background),
      purges: await this.app.container.make(Purges),
      logger: await this.make('logger'),
    })
    if (!resets) {
      return
    }
    const router = await this.make('router')
    router.post('/password/email', [Reset, 'storeLink']).as('password.email')
    router.post('/password/reset', [Reset, 'store']).as('password.update')
    /* The pages for people need sessions, for their messages and their CSRF field. */
    const edge = await this.edge()
    if (edge && manager.feature('sessions')) {
      router.get('/password/forgot', [Reset, 'createLink']).as('password.request')
      router.get('/password/reset', [Reset, 'create']).as('password.reset')
      edge.global('canResetPassword', true)
    }
  }

  async #warnAboutPasswordResets(manager: AuthManager) {
    if (!manager.feature('passwordResets')) {
      return
    }
    if (!manager.config.passwordResetNotifier) {
      await this.warn(
        'Password reset links are not delivered: config/auth.ts has no "passwordResetNotifier"'
      )
    }
    if (manager.config.debugExposeResetToken && !this.app.inDev) {
      await this.warn(
        'Anybody can reset any password: "debugExposeResetToken" puts the token in the answer and is for development only'
      )
    }
  }
}
