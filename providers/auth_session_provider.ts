import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/registration'
import type { AuthManager } from '#auth/manager'
import { type ResolvedSessionConfig, defineConfig } from '#session/define_config'
import { sessionDriver } from '#session/guard'
import { SessionService } from '#session/session_service'
import type { SessionStore } from '#session/types'

/** Cookie sessions: the session cookie, the `session` guard driver and CSRF protection. */
export default class AuthSessionProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'AuthSessionProvider')
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const emitter = await this.app.container.make('emitter')
    const config = this.app.config.get<ResolvedSessionConfig>('session', defineConfig())
    const service = new SessionService(config, manager, await this.#store(config), emitter)

    manager.registerDriver(sessionDriver(emitter))
    manager.registerFeature('sessions', service)
    manager.purges.add({
      name: 'expired sessions',
      interval: config.purgeInterval,
      run: () => service.purge(),
    })
    await this.#extendViews()
  }

  async start() {
    const manager = await this.app.container.make('auth_manager')
    await this.#mountRoutes(manager)
  }

  async ready() {
    const { secure } = this.app.config.get<ResolvedSessionConfig>('session', defineConfig())
    if (!secure && this.app.getEnvironment() === 'web') {
      const logger = await this.app.container.make('logger')
      logger.warn(
        'The session cookie is not "secure": it travels over plain http. For development only; set SESSION_SECURE=true where there is https'
      )
    }
  }

  /** Lucid and the memory store are loaded when they are used. */
  async #store(config: ResolvedSessionConfig): Promise<SessionStore> {
    switch (config.store) {
      case 'instance':
        return config.instance!
      case 'memory': {
        const { MemorySessionStore } = await import('#session/stores/memory')
        return new MemorySessionStore()
      }
      case 'database': {
        const { DatabaseSessionStore } = await import('#session/stores/database')
        const db = await this.app.container.make('lucid.db')
        return new DatabaseSessionStore(() => db.connection(config.connection))
      }
    }
  }

  /** AdonisJS's Edge tags for flash messages and validation errors. */
  async #extendViews() {
    if (this.app.usingEdgeJS) {
      const edge = await import('edge.js')
      const { edgePluginSession } = await import('@adonisjs/session/plugins/edge')
      edge.default.use(edgePluginSession)
    }
  }

  /** `GET /__auth__/csrf-cookie` exists in SPA mode only (spec 1, Authentication 4). */
  async #mountRoutes(manager: AuthManager) {
    if (manager.feature('spa')) {
      const router = await this.app.container.make('router')
      router.get('/__auth__/csrf-cookie', [() => import('#controllers/csrf_cookie_controller')])
    }
  }
}
