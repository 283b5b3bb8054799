import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { extendRedirectUri } from '#oauth2/clients/redirect_uri'
import { keepPrivate, leave, redirect } from '#oauth2/controllers/browser_answers'
import { mayRedirectUnasked, renderDeparture } from '#oauth2/controllers/departure_page'
import { openIdOf } from '#oauth2/openid/controllers/openid_of'
import { Logout, type LogoutRequest } from '#oauth2/openid/logout/logout'
import { Parameters } from '#oauth2/parameters'
import { allowFormTarget } from '#http/form_target'

/** The end session endpoint (OpenID Connect RP-Initiated Logout 1.0 §2): pages for people whom clients send here. */
@inject()
export default class LogoutController {
  constructor(protected server: AuthorizationServer) {}

  /** Signs the person out, or asks them first. */
  async show(ctx: HttpContext) {
    const logout = this.#logout(ctx)
    const request = await logout.read(Parameters.fromQuery(ctx.request))
    if (await logout.needsConfirmation(request, ctx)) {
      return this.#ask(ctx, request)
    }
    await logout.perform(ctx)
    const { client, redirectTo } = request
    if (redirectTo === null || client === null) {
      return this.#bye(ctx)
    }
    return mayRedirectUnasked(client)
      ? leave(ctx, redirectTo)
      : renderDeparture(ctx, { location: redirectTo, client, signedOut: true })
  }

  /** Browsers send no session with a form of another site: they ask again themselves. */
  async store(ctx: HttpContext) {
    const { fields } = await this.#logout(ctx).read(Parameters.fromForm(ctx.request))
    return redirect(ctx, extendRedirectUri(ctx.request.url(), fields))
  }

  /** The person has said yes. */
  async confirm(ctx: HttpContext) {
    const logout = this.#logout(ctx)
    const request = await logout.read(Parameters.fromForm(ctx.request))
    await logout.perform(ctx)
    return request.redirectTo === null ? this.#bye(ctx) : redirect(ctx, request.redirectTo)
  }

  #logout(ctx: HttpContext): Logout {
    keepPrivate(ctx)
    const openid = openIdOf(this.server, ctx)
    return new Logout({ ...this.server, openid })
  }

  #ask(ctx: HttpContext, { client, redirectTo, fields }: LogoutRequest) {
    if (redirectTo !== null) {
      allowFormTarget(ctx, redirectTo)
    }
    return ctx.view.render('pages/oauth/logout', {
      action: `${ctx.request.url()}/confirm`,
      client: client && (client.host ?? client.name),
      fields,
    })
  }

  #bye(ctx: HttpContext) {
    return ctx.view.render('pages/oauth/logged_out')
  }
}
