import type { HttpContext } from '@adonisjs/core/http'

import { isRedirectedForm } from '#http/route_marks'
import { wantsPage } from '#http/pages'
import { ServerController } from '#oauth2/authorization_server'
import { AuthError, Unauthenticated } from '#auth/errors'
import { extendRedirectUri } from '#oauth2/clients/client_urls'
import { depart, keepPrivate, leave, redirect, renderConsent } from '#oauth2/pages'
import { recordConnection } from '#oauth2/token_owners'
import { reportOAuthRefusal } from '#oauth2/protocol_error'
import { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { Parameters, assertRequest, readJsonObject } from '#oauth2/parameters'
import { nullFor } from '#process/null_for'

/** Characters of a query that servers and proxies take as a rule. Longer requests can be pushed. */
const MAX_QUERY = 8000

/** The authorization endpoint (RFC 6749 §3.1): JSON for programs, a page for browsers. */
export default class AuthorizeController extends ServerController {
  async show(ctx: HttpContext) {
    keepPrivate(ctx)
    if (wantsPage(ctx)) {
      return this.#showInBrowser(ctx)
    }
    const { authorization, pushed } = this.server
    const parameters = Parameters.fromQuery(ctx.request)
    const request = await pushed.open(new AuthorizationRequest(ctx, parameters))
    await authorization.check(request, 'json')
    await pushed.keep(request)
    return ctx.response.ok(authorization.describe(request))
  }

  /** The decision of an application's own consent page. The form of a client is a request. */
  async store(ctx: HttpContext) {
    keepPrivate(ctx)
    if (isRedirectedForm(ctx)) {
      return this.#redirectForm(ctx)
    }
    const { authorization, pushed } = this.server
    const { approved, ...body } = readJsonObject(ctx.request)
    const parameters = Parameters.fromJson(body)
    const request = await pushed.open(new AuthorizationRequest(ctx, parameters, approved))
    await authorization.check(request, 'decision')
    await pushed.use(request)
    const answer = await authorization.approve(request)
    await recordConnection(ctx, request)
    const { redirectUri: uri } = request
    const next = uri && { redirect_to: extendRedirectUri(uri, answer) }
    return ctx.response.ok({ ...answer, ...next })
  }

  /**
   * A client may send the browser with a form (OpenID Connect Core 1.0 §3.1.2.1). The session's
   * cookie does not come with it, so the browser goes on to a GET, which judges the form as it came.
   */
  #redirectForm(ctx: HttpContext) {
    const form = ctx.request.raw() ?? ''
    const isQuery = form.length <= MAX_QUERY && /^[\x21\x22\x24-\x7e]*$/.test(form)
    assertRequest(isQuery, 'The form is too long, or not form-urlencoded.')
    redirect(ctx, `${this.server.issuerOf(ctx.request)}/oauth/authorize?${form}`)
  }

  async #showInBrowser(ctx: HttpContext) {
    const { authorization, pushed, config } = this.server
    let parameters
    try {
      parameters = Parameters.fromQuery(ctx.request)
    } catch (error) {
      return this.#refuseQuery(ctx, error)
    }
    const request = await pushed.open(new AuthorizationRequest(ctx, parameters))
    try {
      await authorization.check(request, 'browser')
      await pushed.use(request)
      const answer = await authorization.ask(request)
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

  /** The client is told of a malformed query, e.g. of two resources, where it is clear who asks. */
  async #refuseQuery(ctx: HttpContext, error: unknown) {
    const { authorization } = this.server
    const request = new AuthorizationRequest(ctx, Parameters.ofErrorTarget(ctx.request))
    await authorization.check(request, 'target').catch(nullFor(AuthError))
    return this.#refuse(request, error)
  }

  /** The client is told by a redirect, where that is safe, and the person by a page elsewhere. */
  async #refuse(request: AuthorizationRequest, error: unknown) {
    const { ctx } = request
    const { pushed, authorization } = this.server
    if (error instanceof Unauthenticated) {
      if (request.prompt.has('login') || 'max_age' in request.fields) {
        await pushed.use(request)
        return redirect(ctx, await pushed.locationOf(request, request.fieldsAfter('login')))
      }
      await pushed.keep(request)
    }
    const location = authorization.errorLocation(request, error)
    if (location === null) {
      throw error
    }
    await reportOAuthRefusal(error as AuthError, ctx)
    ctx.response.status((error as AuthError).status)
    return depart(ctx, request.client, { location, signedOut: false })
  }
}
