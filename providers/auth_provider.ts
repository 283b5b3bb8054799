import { HttpContext } from '@adonisjs/core/http'
import { RuntimeException } from '@adonisjs/core/exceptions'
import type { Logger } from '@adonisjs/core/logger'
import type { ApplicationService } from '@adonisjs/core/types'

import type { Authenticator } from '#auth/authenticator'
import type { ResolvedAuthConfig } from '#auth/define_config'
import { AuthManager } from '#auth/manager'

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
 * checks the configuration, warms the user providers up, and mounts the
 * password-reset routes when `passwords` is set (spec 1, Registration).
 */
export default class AuthProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton('auth_manager', async (resolver) => {
      const config = this.app.config.get<ResolvedAuthConfig | undefined>('auth')
      if (!config) {
        throw new RuntimeException('There is no config/auth.ts, or it exports nothing')
      }
      const hash = await resolver.make('hash')
      return new AuthManager(config, hash.use(), await resolver.make('logger'))
    })
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
  }

  /** Runs after every provider has booted, so that all drivers are there. */
  async start() {
    const manager = await this.app.container.make('auth_manager')
    await manager.build()
    await manager.warmUp()
    if (manager.hasBrokers) {
      await this.#mountPasswordRoutes(manager)
    }
  }

  /** Not reached by commands and code generation, and tests purge when they ask for it. */
  async ready() {
    if (this.app.getEnvironment() !== 'web') {
      return
    }
    const manager = await this.app.container.make('auth_manager')
    const logger = await this.app.container.make('logger')
    this.#warnAboutPasswordResets(manager, logger)
    manager.purges.start((name, error) => logger.error({ err: error }, `Cannot purge ${name}`))
  }

  /** The server takes no more requests by now; what they left behind is finished first. */
  async shutdown() {
    const manager = await this.app.container.make('auth_manager')
    manager.purges.stop()
    await manager.background.settled()
  }

  #warnAboutPasswordResets({ config, hasBrokers }: AuthManager, logger: Logger) {
    if (hasBrokers && !config.passwordResetNotifier) {
      logger.warn(
        'Nobody gets a password reset link: config/auth.ts has no "passwordResetNotifier"'
      )
    }
    if (hasBrokers && config.debugExposeResetToken && !this.app.inDev) {
      logger.warn(
        'Anybody can set anybody a new password: "debugExposeResetToken" is for development only'
      )
    }
  }

  /** The pages need sessions, for their messages and their CSRF field; programs do not. */
  async #mountPasswordRoutes(manager: AuthManager) {
    const router = await this.app.container.make('router')
    const email = () => import('#controllers/password_email_controller')
    const reset = () => import('#controllers/password_reset_controller')

    router.post('/password/email', [email, 'store']).as('password.email')
    router.post('/password/reset', [reset, 'store']).as('password.update')

    if (this.app.usingEdgeJS && manager.feature('sessions')) {
      router.get('/password/forgot', [email, 'create']).as('password.request')
      router.get('/password/reset', [reset, 'create']).as('password.reset')
      const { default: edge } = await import('edge.js')
      edge.global('canResetPassword', true)
    }
  }
}
