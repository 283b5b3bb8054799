import type { HttpContext } from '@adonisjs/core/http'

import { CoreProvider } from '#auth/core_provider'
import { adonisAuthDriver } from '#auth/guards/adonis_auth'
import { hostWords } from '#oauth2/page_words'
import { renderErrors } from '#json_api/errors'
import { isJsonApiRoute } from '#json_api/middleware/json_api_middleware'
import { toOAuthProtocolError } from '#oauth2/protocol_error'
import { hasOwnCors } from '#http/cors'
import { addKitViews } from '#http/kit_views'
import { csrfExempt, isMarked } from '#http/route_marks'

type Matches = (ctx: HttpContext) => boolean

/** A class that start/kernel.ts names as error handler. */
type ErrorHandlerClass = new (...parameters: any[]) => {
  handle(error: unknown, ctx: HttpContext): Promise<unknown>
  report(error: unknown, ctx: HttpContext): Promise<void>
}

/**
 * The core in an application on `@adonisjs/auth`, whose `ctx.auth`, users and pages stay what they are:
 * gives every request `ctx.authenticator` by config/auth_server.ts, where the guard driver `adonis_auth`
 * recognises people by a session guard of config/auth.ts. Leaves the endpoints of clients out of Shield's
 * CSRF check and of config/cors.ts, answers their failures as OAuth and JSON:API say, and brings the pages of consent.
 */
export default class HostProvider extends CoreProvider {
  protected override readonly configFile = 'auth_server'

  override async boot() {
    await super.boot()
    const manager = await this.make('auth_manager')
    manager.registerDriver(adonisAuthDriver)
    this.#exceptClients()
    await this.#handleErrors()
    /* The pages of OAuth and their layout, each unless the application has a file of its name in resources/views. */
    const edge = await this.edge()
    if (edge) {
      edge.global('oauth', await hostWords(this.app))
      addKitViews(edge, { cached: this.app.inProduction, only: /^(?:components|pages)\/oauth\// })
    }
  }

  /** Clients authenticate by themselves, so no form of the application's is theirs, and each route says whose pages may call it. */
  #exceptClients() {
    const { config } = this.app
    const csrf = config.get<string[] | Matches | undefined>('shield.csrf.exceptRoutes')
    if (config.has('shield.csrf')) {
      config.set('shield.csrf.exceptRoutes', (ctx: HttpContext) => {
        const excepted =
          typeof csrf === 'function' ? csrf(ctx) : csrf?.includes(ctx.route?.pattern ?? '')
        return excepted || isMarked(ctx.route, csrfExempt)
      })
    }
    const cors = config.get<boolean | Matches | undefined>('cors.enabled')
    if (config.has('cors')) {
      config.set('cors.enabled', (ctx: HttpContext) => {
        return !hasOwnCors(ctx) && (typeof cors === 'function' ? cors(ctx) : cors !== false)
      })
    }
  }

  /** The application's handler, which start/kernel.ts names later, is given OAuth errors in the form that clients know, and none of JSON:API routes. */
  async #handleErrors() {
    const server = await this.make('server')
    const setHandler = server.errorHandler.bind(server)
    server.errorHandler = (load) =>
      setHandler(async () => {
        const { default: Handler } = (await load()) as { default: ErrorHandlerClass }
        return {
          default: class extends Handler {
            override async handle(error: unknown, ctx: HttpContext) {
              return isJsonApiRoute(ctx.route)
                ? renderErrors(error, ctx)
                : super.handle(toOAuthProtocolError(error, ctx) ?? error, ctx)
            }
          },
        }
      })
  }
}
