import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { isRedirectedForm } from '#http/route_marks'
import { wantsPage } from '#http/wants_page'
import { AuthorizationServer } from '#oauth2/authorization_server'
import { type AuthError, InvalidRequest, Unauthenticated } from '#auth/errors'
import { extendRedirectUri } from '#oauth2/clients/redirect_uri'
import { keepPrivate, leave, redirect } from '#oauth2/answers'
import { recordConnection } from '#oauth2/recorded_acts'
import { mayRedirectUnasked, renderConsent, renderDeparture } from '#oauth2/pages'
import { reportOAuthRefusal } from '#oauth2/protocol_error'
import { AuthorizationRequest } from '#oauth2/authorize/authorization_request'

/** Characters of a query that servers and proxies take as a rule. Longer requests can be pushed. */
const MAX_QUERY = 8000

/**
 * The authorization endpoint (RFC 6749 §3.1): JSON for an application's own
 * consent page, redirects and a page for a browser. The checks are the same.
 */
@inject()
export default class AuthorizeController {
  constructor(protected server: AuthorizationServer) {}

  /** What the user is asked to approve. */
  async show(ctx: HttpContext) {
    keepPrivate(ctx)
    const request = await this.server.pushed.open(AuthorizationRequest.fromQuery(ctx))
    if (wantsPage(ctx)) {
      return this.#showInBrowser(request)
    }
    await this.server.authorization.check(request, 'json')
    await this.server.pushed.keep(request)
    return ctx.response.ok(this.server.authorization.describe(request))
  }

  /** The decision of an application's own consent page: a code, or none. The form of a client is a request, and no decision. */
  async store(ctx: HttpContext) {
    keepPrivate(ctx)
    if (isRedirectedForm(ctx)) {
      return this.#redirectForm(ctx)
    }
    const request = await this.server.pushed.open(AuthorizationRequest.fromJson(ctx))
    await this.server.authorization.check(request, 'json')
    await this.server.pushed.use(request)
    const answer = await this.server.authorization.approve(request)
    await recordConnection(ctx, request)
    return ctx.response.ok(answer)
  }

  /**
   * A client may send the browser with a form (OpenID Connect Core 1.0 §3.1.2.1). The cookie of the
   * session does not come with it: the browser makes the request again by GET. The form goes as it
   * came, so that what is wrong with it is judged there.
   *
   * @throws {InvalidRequest} for a form that is longer than an address may be
   */
  #redirectForm(ctx: HttpContext) {
    const form = ctx.request.raw() ?? ''
    if (form.length > MAX_QUERY || !/^[\x21\x22\x24-\x7e]*$/.test(form)) {
      throw new InvalidRequest('The form is too long, or not form-urlencoded.')
    }
    redirect(ctx, `${this.server.issuer.of(ctx.request)}/oauth/authorize?${form}`)
  }

  async #showInBrowser(request: AuthorizationRequest) {
    const { ctx } = request
    const { authorization, pushed, consent, config } = this.server
    try {
      await authorization.check(request, 'browser')
      await pushed.use(request)
      const answer = await consent.ask(request)
      if (typeof answer === 'string') {
        return leave(ctx, answer)
      }
      return config.consentPage === null
        ? await renderConsent(ctx, answer)
        : leave(ctx, extendRedirectUri(config.consentPage, { handle: answer.handle }))
    } catch (error) {
      return this.#refuse(request, error)
    }
  }

  /** The client is told by a redirect, where that is safe, and the person by a page elsewhere. */
  async #refuse(request: AuthorizationRequest, error: unknown) {
    const { ctx } = request
    if (error instanceof Unauthenticated) {
      await this.server.pushed.keep(request)
      if (request.prompt.has('login') || 'max_age' in request.fields) {
        return redirect(
          ctx,
          await this.server.pushed.locationOf(request, request.fieldsAfterSignIn)
        )
      }
    }
    const location = this.server.authorization.errorLocation(request, error)
    if (location === null) {
      throw error
    }
    await reportOAuthRefusal(error as AuthError, ctx)
    const { client } = request
    if (mayRedirectUnasked(client)) {
      return leave(ctx, location)
    }
    ctx.response.status((error as AuthError).status)
    return renderDeparture(ctx, { location, client, signedOut: false })
  }
}
