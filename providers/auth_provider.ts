import { HttpContext } from '@adonisjs/core/http'
import { RuntimeException } from '@adonisjs/core/exceptions'
import type { Logger } from '@adonisjs/core/logger'
import type { ApplicationService } from '@adonisjs/core/types'

import type { Authenticator } from '#auth/authenticator'
import { resolveAuthConfig } from '#auth/define_config'
import { assertGuardLists } from '#auth/guard_lists'
import { AuthManager } from '#auth/manager'
import { PasswordResets } from '#password_reset/password_resets'
import { passwordResetPages, passwordResetRoutes } from '#password_reset/routes'
import { Background } from '#support/background'
import { deferViews } from '#support/deferred_view'
import { reportFailedCommits } from '#support/failed_commits'
import { turnOn } from '#support/purge_turn'
import { Purges } from '#support/purges'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    auth_manager: AuthManager
  }
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    auth: Authenticator
  }
}

/**
 * Binds the manager as `auth_manager`, gives every request its `ctx.auth`,
 * checks the configuration and the guards of all routes, warms the user
 * providers up, and mounts the password-reset routes when `passwords` is set.
 */
export default class AuthProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton('auth_manager', async (resolver) => {
      const exported = this.app.config.get('auth')
      if (!exported) {
        throw new RuntimeException('There is no config/auth.ts, or it exports nothing')
      }
      const config = resolveAuthConfig(exported)
      const hash = await resolver.make('hash')
      return new AuthManager(config, hash.use())
    })
    this.app.container.singleton(Purges, () => new Purges())
    this.app.container.singleton(
      Background,
      async (resolver) => new Background(await resolver.make('logger'))
    )
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    HttpContext.getter(
      'auth',
      function (this: HttpContext) {
        return manager.createAuthenticator(this)
      },
      true
    )
    if (this.app.container.hasBinding('lucid.db')) {
      const db = await this.app.container.make('lucid.db')
      reportFailedCommits(db)
      const purges = await this.app.container.make(Purges)
      purges.takeTurns(turnOn(() => db.connection()))
    }
    if (this.app.usingEdgeJS) {
      const { default: edge } = await import('edge.js')
      deferViews(edge)
    }
  }

  /** Runs after every provider has booted, so that all drivers are there. */
  async start() {
    const manager = await this.app.container.make('auth_manager')
    await manager.build()
    await manager.warmUp()
    await this.#registerPasswordResets(manager)
  }

  /** Only in a server: commands run no timers, and tests start purges themselves. */
  async ready() {
    if (this.app.getEnvironment() !== 'web') {
      return
    }
    const manager = await this.app.container.make('auth_manager')
    assertGuardLists(await this.app.container.make('router'), manager)
    const purges = await this.app.container.make(Purges)
    const logger = await this.app.container.make('logger')
    this.#warnAboutPasswordResets(manager, logger)
    purges.start((name, error) => logger.error({ err: error }, `Cannot purge ${name}`))
  }

  /** The server takes no more requests; their background work is finished first. */
  async shutdown() {
    const purges = await this.app.container.make(Purges)
    const background = await this.app.container.make(Background)
    purges.stop()
    await background.settled()
  }

  async #registerPasswordResets(manager: AuthManager) {
    const resets = await PasswordResets.register(manager, {
      background: await this.app.container.make(Background),
      purges: await this.app.container.make(Purges),
      logger: await this.app.container.make('logger'),
    })
    if (!resets) {
      return
    }
    const router = await this.app.container.make('router')
    passwordResetRoutes(router)
    if (this.app.usingEdgeJS && manager.feature('sessions')) {
      passwordResetPages(router)
      const { default: edge } = await import('edge.js')
      edge.global('canResetPassword', true)
    }
  }

  #warnAboutPasswordResets(manager: AuthManager, logger: Logger) {
    if (!manager.feature('passwordResets')) {
      return
    }
    if (!manager.config.passwordResetNotifier) {
      logger.warn(
        'Password reset links are not delivered: config/auth.ts has no "passwordResetNotifier"'
      )
    }
    if (manager.config.debugExposeResetToken && !this.app.inDev) {
      logger.warn(
        'Anybody can reset any password: "debugExposeResetToken" puts the token in the answer and is for development only'
      )
    }
  }
}
