import { Encryption } from '@adonisjs/core/encryption'
import { HttpContext } from '@adonisjs/core/http'

import { FeatureProvider } from '#auth/feature_provider'
import { requireConfirmationOfSession } from '#session/confirmation'
import { assertWritable } from '#session/cookies'
import { defineConfig } from '#session/define_config'
import { sessionDriver } from '#session/guard'
import { OriginRules } from '#session/csrf'
import { RequestSession } from '#session/request_session'
import { SessionService } from '#session/session_service'
import { DatabaseSessionStore } from '#session/database_store'
import { MemorySessionStore } from '#session/store'
import { observeValidation } from '#session/typed_fields'

const CsrfCookie = () => import('adonis-auth-kit/session/controllers/csrf_cookie_controller')

/** Cookie sessions: the session cookie, the `session` guard driver and CSRF protection. */
export default class AuthSessionProvider extends FeatureProvider {
  async boot() {
    const manager = await this.make('auth_manager')
    const { config } = this.app
    const settings = this.config('session', defineConfig)
    assertWritable(settings, await this.app.container.make(Encryption))
    const store = await this.store(settings, MemorySessionStore, DatabaseSessionStore)
    const emitter = await this.make('emitter')
    const service = new SessionService(settings, manager, store, emitter, {
      strict: this.app.inDev,
      origins: new OriginRules(manager, {
        appUrl: config.get('app.appUrl'),
        cors: config.get('cors'),
      }),
    })
    this.app.container.bindValue(SessionService, service)
    manager.registerDriver(sessionDriver(service))
    manager.registerFeature('sessions', service)
    manager.registerFeature('confirmations', {
      requireOfSession: (ctx) => requireConfirmationOfSession(ctx, service),
    })
    await this.purge('expired sessions', () => service.purge(), settings.purgeInterval)
    HttpContext.getter('session', function (this: HttpContext) {
      return RequestSession.find(this)!
    })
    observeValidation()
    /* AdonisJS's Edge tags for flash messages and validation errors, and what they read. */
    const edge = await this.edge()
    if (edge) {
      const { edgePluginSession } = await import('@adonisjs/session/plugins/edge')
      const { addSessionGlobals } = await import('#session/facade')
      edge.use(edgePluginSession)
      addSessionGlobals(edge)
    }
  }

  async start() {
    const manager = await this.make('auth_manager')
    if (manager.feature('spa')) {
      const router = await this.make('router')
      router.get('/__auth__/csrf-cookie', [CsrfCookie, 'show'])
    }
  }

  async ready() {
    const { secure } = this.config('session', defineConfig)
    if (!secure && this.app.getEnvironment() === 'web') {
      await this.warn(
        'The session cookie is not "secure": it travels over plain http. For development only; set SESSION_SECURE=true where there is https'
      )
    }
  }
}
