import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { allowFormTarget } from '#support/form_target'
import { wantsPage } from '#support/wants_page'
import { AuthorizationServer } from '#oauth2/authorization_server'
import { type AuthError, Unauthenticated } from '#auth/errors'
import { reportOAuthRefusal } from '#oauth2/protocol_error'
import { AuthorizationRequest } from '#oauth2/authorize/authorization_request'

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
    const request = AuthorizationRequest.fromQuery(ctx)
    if (!wantsPage(ctx)) {
      await this.server.authorization.check(request, 'json')
      return ctx.response.ok(this.server.authorization.describe(request))
    }
    if (await this.#passes(request)) {
      allowFormTarget(ctx, request.redirectTarget!)
      return ctx.view.render('pages/oauth/consent', {
        authorization: this.server.authorization.describe(request),
        account: request.context.user,
      })
    }
  }

  /** The user's decision: a code, or none. */
  async store(ctx: HttpContext) {
    keepPrivate(ctx)
    const request = ctx.request.is(['application/x-www-form-urlencoded'])
      ? AuthorizationRequest.fromForm(ctx)
      : AuthorizationRequest.fromJson(ctx)
    if (!wantsPage(ctx)) {
      await this.server.authorization.check(request, 'json')
      return ctx.response.ok(await this.server.authorization.approve(request))
    }
    if (await this.#passes(request)) {
      return redirect(ctx, await this.server.authorization.approveInBrowser(request))
    }
  }

  /**
   * Whether a browser's request passes all checks; when not, the browser is sent
   * to its client with the error. A decision that comes after the session has
   * ended becomes the request that it answers, which asks to sign in first.
   */
  async #passes(request: AuthorizationRequest): Promise<boolean> {
    try {
      await this.server.authorization.check(request, 'browser')
      return true
    } catch (error) {
      if (request.asksForCode && error instanceof Unauthenticated) {
        redirect(request.ctx, request.location)
        return false
      }
      const location = this.server.authorization.errorLocation(request, error)
      if (location === null) {
        throw error
      }
      await reportOAuthRefusal(error as AuthError, request.ctx)
      const send = request.asksForCode ? redirect : leave
      send(request.ctx, location)
      return false
    }
  }
}

/** 303, so that a form's fields never follow the redirect (RFC 9700 §4.12). */
function redirect({ response }: HttpContext, location: string) {
  response.header('Location', location).status(303).send('')
}

/**
 * A redirect to the client, also at the end of those that answer the sign-in
 * form: its policy lets that form lead to this site alone, so that a new
 * navigation begins here. Browsers say that they come from our own pages.
 */
function leave(ctx: HttpContext, location: string) {
  if (ctx.request.header('sec-fetch-site') === 'same-origin') {
    ctx.response.header('Refresh', `0; url=${location}`).status(200).send('')
  } else {
    redirect(ctx, location)
  }
}

/** Nothing of it belongs in a cache, nor its address in another site's log (RFC 9700 §4.2.4). */
function keepPrivate({ response }: HttpContext) {
  response
    .header('Cache-Control', 'no-store')
    .header('Pragma', 'no-cache')
    .header('Referrer-Policy', 'same-origin')
}
