import { HttpContext } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { confirmations } from '#session/confirmation'
import { type ResolvedSessionConfig, defineConfig } from '#session/define_config'
import { sessionDriver } from '#session/guard'
import { OriginRules } from '#session/origin_rules'
import { RequestSession } from '#session/request_session'
import { SessionService } from '#session/session_service'
import type { SessionStore } from '#session/types'
import { csrfCookieRoute } from '#session/routes'
import { observeValidation } from '#session/typed_fields'
import { resolveConfig } from '#config/file'
import { Purges } from '#database/purges'
import { importModel } from '#database/models'
import { createStore } from '#config/store_config'

/** Cookie sessions: the session cookie, the `session` guard driver and CSRF protection. */
export default class AuthSessionProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'AuthSessionProvider')
    this.app.container.singleton(SessionService, () => this.#createService())
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const purges = await this.app.container.make(Purges)
    const service = await this.app.container.make(SessionService)

    manager.registerDriver(sessionDriver(service))
    manager.registerFeature('sessions', service)
    manager.registerFeature('confirmations', confirmations(service))
    purges.add({
      name: 'expired sessions',
      interval: service.config.purgeInterval,
      run: () => service.purge(),
    })
    HttpContext.getter('session', function (this: HttpContext) {
      return RequestSession.find(this)!
    })
    observeValidation()
    await this.#extendViews()
  }

  async start() {
    const manager = await this.app.container.make('auth_manager')
    if (manager.feature('spa')) {
      csrfCookieRoute(await this.app.container.make('router'))
    }
  }

  async ready() {
    const { secure } = resolveConfig(this.app.config.get('session'), defineConfig)
    if (!secure && this.app.getEnvironment() === 'web') {
      const logger = await this.app.container.make('logger')
      logger.warn(
        'The session cookie is not "secure": it travels over plain http. For development only; set SESSION_SECURE=true where there is https'
      )
    }
  }

  async #createService(): Promise<SessionService> {
    const manager = await this.app.container.make('auth_manager')
    const emitter = await this.app.container.make('emitter')
    const config = resolveConfig(this.app.config.get('session'), defineConfig)
    return new SessionService(config, manager, await this.#store(config), emitter, {
      strict: this.app.inDev,
      origins: new OriginRules(manager, {
        appUrl: this.app.config.get('app.appUrl'),
        cors: this.app.config.get('cors'),
      }),
    })
  }

  #store(config: ResolvedSessionConfig) {
    return createStore<SessionStore>(config, {
      memory: async () => {
        const { MemorySessionStore } = await import('#session/stores/memory')
        return new MemorySessionStore()
      },
      database: async () => {
        const { DatabaseSessionStore } = await import('#session/stores/database')
        const db = await this.app.container.make('lucid.db')
        return new DatabaseSessionStore(
          () => db.connection(config.connection),
          await importModel(config.model)
        )
      },
    })
  }

  /** AdonisJS's Edge tags for flash messages and validation errors, and what they read. */
  async #extendViews() {
    if (this.app.usingEdgeJS) {
      const edge = await import('edge.js')
      const { edgePluginSession } = await import('@adonisjs/session/plugins/edge')
      const { addSessionGlobals } = await import('#session/view_globals')
      edge.default.use(edgePluginSession)
      addSessionGlobals(edge.default)
    }
  }
}
