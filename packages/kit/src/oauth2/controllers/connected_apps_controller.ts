import type { HttpContext } from '@adonisjs/core/http'

import { toSeconds } from '#database/records'
import { ServerController } from '#oauth2/authorization_server'
import { recordDisconnections, signedIn } from '#oauth2/token_owners'
import type { ConnectedApp } from '#oauth2/user_grants/connected_apps'
import { answerEnded, pathTo, wantsPage } from '#http/pages'

/** The OAuth clients that act for the signed-in person: a page, and JSON. */
export default class ConnectedAppsController extends ServerController {
  async index(ctx: HttpContext) {
    const { user } = await signedIn(ctx)
    const list = await this.server.connectedApps.list(user)
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/connected_apps', { apps: list })
      : ctx.response.ok({ connected_apps: list.map(describe) })
  }

  async destroy(ctx: HttpContext) {
    const { user, context } = await signedIn(ctx)
    const ended = await this.server.connectedApps.disconnect(user, ctx.params.id)
    if (ended) {
      await recordDisconnections(ctx, context.user, [ended])
    }
    const next = { path: pathTo('account.connected_apps'), words: 'pages.account.apps.done' }
    return answerEnded(ctx, ended !== null, 'Connected app not found', next)
  }
}

/** A connected app as programs see it. Times are epoch seconds. */
function describe(connected: ConnectedApp) {
  return {
    id: connected.id,
    client_id: connected.clientId,
    client_name: connected.clientName,
    client_host: connected.clientHost,
    redirect_host: connected.redirectHost,
    resource: connected.resource,
    scopes: connected.scopes.map(({ name }) => name),
    context: connected.context,
    context_name: connected.contextName,
    created_at: toSeconds(connected.createdAt.getTime()),
    last_used_at: connected.lastUsedAt && toSeconds(connected.lastUsedAt.getTime()),
  }
}
