import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { currentUser } from '#auth/protection'
import { recordDisconnections } from '#oauth2/recorded_acts'
import type { ConnectedApp } from '#oauth2/user_grants/connected_apps'
import { wantsPage } from '#http/wants_page'

const SECOND = 1000

/** The OAuth clients that act for the signed-in person: a page, and JSON. */
export default class ConnectedAppsController {
  async index(ctx: HttpContext) {
    const { apps, user } = await connectedAppsOf(ctx)
    const list = await apps.list(user)
    ctx.response.header('Cache-Control', 'no-store')
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/connected_apps', { apps: list })
      : ctx.response.ok({ connected_apps: list.map(describe) })
  }

  /** Disconnects a client of this person; for every other id there is no such connection. */
  async destroy(ctx: HttpContext) {
    const { apps, user } = await connectedAppsOf(ctx)
    const ended = await apps.disconnect(user, ctx.params.id)
    if (ended) {
      await recordDisconnections(ctx, await currentUser(ctx), [ended])
    }
    if (!wantsPage(ctx)) {
      return ended
        ? ctx.response.noContent()
        : ctx.response.notFound({ message: 'Connected app not found' })
    }
    ctx.session.flash('success', ctx.i18n.t('pages.account.apps.done'))
    return ctx.response.redirect().toPath('/account/connected-apps')
  }
}

async function connectedAppsOf(ctx: HttpContext) {
  const manager = await app.container.make('auth_manager')
  const { users } = ctx.auth.use('web')
  const user = await currentUser(ctx)
  return {
    apps: manager.feature('connectedApps')!,
    user: { userId: users.identify(user), provider: users.name },
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
    created_at: toSeconds(connected.createdAt),
    last_used_at: connected.lastUsedAt && toSeconds(connected.lastUsedAt),
  }
}

function toSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / SECOND)
}
