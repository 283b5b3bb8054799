import type { HttpContext } from '@adonisjs/core/http'

import type { GuardName } from '#auth/guard_types'
import { depart, keepPrivate, leave, redirect } from '#oauth2/pages'
import { type AuthorizationServer, ServerController } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import { extendRedirectUri } from '#oauth2/clients/client_urls'
import { type OpenId, UnverifiableHint } from '#oauth2/openid/openid'
import { Parameters, assertRequest } from '#oauth2/parameters'
import { allowFormTarget } from '#http/form_target'
import { assertFound } from '#http/errors'
import { nullFor } from '#process/null_for'

/** What a logout request is made of (RP-Initiated Logout 1.0 §2), as far as it has a meaning here. */
const PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']

/** The end session endpoint (OpenID Connect RP-Initiated Logout 1.0 §2). */
export default class LogoutController extends ServerController {
  /** Signs the person out, or asks them first. */
  async show(ctx: HttpContext) {
    const openid = this.#enter(ctx)
    const request = await readRequest(Parameters.fromQuery(ctx.request), this.server)
    if (await this.#needsConfirmation(request, ctx, openid)) {
      return ask(ctx, request)
    }
    await this.#perform(ctx)
    const { client, redirectTo } = request
    return redirectTo === null || client === null
      ? bye(ctx)
      : depart(ctx, client, { location: redirectTo, signedOut: true })
  }

  /** Browsers send no session with another site's form, so they are redirected to a GET. */
  async store(ctx: HttpContext) {
    this.#enter(ctx)
    const { fields } = await readRequest(Parameters.fromForm(ctx.request), this.server)
    return redirect(ctx, extendRedirectUri(ctx.request.url(), fields))
  }

  async confirm(ctx: HttpContext) {
    this.#enter(ctx)
    const { redirectTo } = await readRequest(Parameters.fromForm(ctx.request), this.server)
    await this.#perform(ctx)
    return redirectTo === null ? bye(ctx) : leave(ctx, redirectTo)
  }

  #enter(ctx: HttpContext): OpenId {
    keepPrivate(ctx)
    const { openid } = this.server
    assertFound(openid !== null, ctx)
    return openid
  }

  /** Without an ID token of this person and session, the request may be anybody's. */
  async #needsConfirmation({ hint }: LogoutRequest, ctx: HttpContext, openid: OpenId) {
    const guard = this.#guard(ctx)
    if (!(await guard.check())) {
      return false
    }
    const user = guard.users.ownerOf(guard.getUserOrFail())
    const isMeant = hint !== null && hint.sub === (await this.server.subjectOf(user, hint.aud))
    return !isMeant || hint.sid !== openid.loginOf(ctx)?.sid
  }

  async #perform(ctx: HttpContext) {
    const guard = this.#guard(ctx)
    if ('logout' in guard) {
      await guard.logout()
    }
  }

  #guard(ctx: HttpContext) {
    return ctx.authenticator.use(this.server.guard as GuardName)
  }
}

type LogoutRequest = Awaited<ReturnType<typeof readRequest>>

/**
 * The client that asks, if it says so, and where the person goes afterwards; null to stay. People stay signed in longer than
 * keys verify: an old hint is as none, and says of nobody that they are a client.
 * @throws {InvalidRequest} for a hint that is no ID token of the client, or an unregistered URI
 */
async function readRequest(parameters: Parameters, { clients, openid }: AuthorizationServer) {
  const fields = parameters.pick(PARAMETERS)
  const { id_token_hint: token, client_id: named = null } = fields
  const hint = token ? await openid!.readHint(token, named).catch(nullFor(UnverifiableHint)) : null
  const clientId = hint?.aud ?? named
  const client = clientId === null ? null : await clients.find(clientId)
  assertRequest(named === null || client, 'The client_id is that of no active client.')
  const isAnonymous = token && clientId === null
  return { client, hint, redirectTo: isAnonymous ? null : redirectOf(fields, client), fields }
}

function ask(ctx: HttpContext, { client, redirectTo, fields }: LogoutRequest) {
  redirectTo && allowFormTarget(ctx, redirectTo)
  return ctx.view.render('pages/oauth/logout', {
    action: `${ctx.request.url()}/confirm`,
    client: client && (client.host ?? client.name),
    fields,
  })
}

const bye = (ctx: HttpContext) => ctx.view.render('pages/oauth/logged_out')

/** A person is sent to registered addresses alone, compared as exact strings (RP-Initiated Logout 1.0 §3). */
function redirectOf(fields: Record<string, string>, client: Client | null): string | null {
  const { post_logout_redirect_uri: uri, state } = fields
  if (!uri) {
    return null
  }
  const isRegistered = client?.openid?.postLogoutRedirectUris.includes(uri)
  assertRequest(isRegistered, 'The post_logout_redirect_uri is not registered for the client.')
  return state === undefined ? uri : extendRedirectUri(uri, { state })
}
