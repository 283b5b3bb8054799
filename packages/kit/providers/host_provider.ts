import { Exception } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import { CoreProvider } from '#auth/core_provider'
import { AuthError, CsrfTokenMismatch } from '#auth/errors'
import { SignInRequired, adonisAuthDriver } from '#auth/guards/adonis_auth'
import { hostWords } from '#oauth2/page_words'
import { renderErrors } from '#json_api/errors'
import { isJsonApiRoute } from '#json_api/middleware/json_api_middleware'
import { isOAuthEndpoint, toOAuthProtocolError } from '#oauth2/protocol_error'
import { hasOwnCors } from '#http/cors'
import { addKitViews } from '#http/kit_views'
import { wantsPage } from '#http/pages'
import { clientEndpoint, csrfExempt, isMarked } from '#http/route_marks'

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
              if (isJsonApiRoute(ctx.route)) {
                return renderErrors(error, ctx)
              }
              const answer = await super.handle(toAnswerable(error, ctx), ctx)
              if (isOAuthEndpoint(ctx) && isOfShield(error) && wantsPage(ctx)) {
                /* Shield leads back without the query, which is the whole request. */
                ctx.response.redirect().withQs().back()
              }
              return answer
            }
          },
        }
      })
  }
}

/** The CSRF token was not that of the session, e.g. because the person has signed in elsewhere meanwhile. */
const isOfShield = (error: unknown) => (error as { code?: unknown })?.code === 'E_BAD_CSRF_TOKEN'

/**
 * A person at the pages of OAuth is told as the application tells of every other error: the form of OAuth is for clients,
 * and for the challenge of one (`Basic`) a browser would ask for a password.
 */
function toAnswerable(error: unknown, ctx: HttpContext): unknown {
  const isForPerson = wantsPage(ctx) && !isMarked(ctx.route, clientEndpoint)
  if (isOAuthEndpoint(ctx) && isOfShield(error) && !isForPerson) {
    return new CsrfTokenMismatch()
  }
  const failure = toOAuthProtocolError(error, ctx) ?? error
  const isTold = failure instanceof AuthError && !(failure instanceof SignInRequired)
  if (!isTold || !isOAuthEndpoint(ctx) || !isForPerson) {
    return failure
  }
  for (const [name, value] of Object.entries(failure.headers)) {
    ctx.response.header(name, value)
  }
  ctx.response.removeHeader('WWW-Authenticate')
  const { description, status, code } = failure
  return new Exception(description, { status, code })
}
