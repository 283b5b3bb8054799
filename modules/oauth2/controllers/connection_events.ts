import type { HttpContext } from '@adonisjs/core/http'

import { recordSecurityEvent } from '#auth/security_events'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import type { ConnectedApp } from '#oauth2/user_grants/connected_apps'

/**
 * Tells a person that their approval has connected a client: once for each
 * connection, and not for a client of whoever runs this server.
 */
export async function recordConnection(request: AuthorizationRequest): Promise<void> {
  const { ctx, client, context, guardName, isNewConnection } = request
  if (isNewConnection && !client.firstParty) {
    const name = client.host ?? client.name
    const { users } = ctx.auth.use(guardName)
    await recordSecurityEvent(ctx, context.user, 'app_connected', { name }, users)
  }
}

/** Notes that a person has disconnected clients. Their names are those of the page of connected apps. */
export async function recordDisconnections(
  ctx: HttpContext,
  user: unknown,
  apps: readonly ConnectedApp[]
): Promise<void> {
  for (const { clientHost, clientName } of apps) {
    await recordSecurityEvent(ctx, user, 'app_disconnected', { name: clientHost ?? clientName })
  }
}
