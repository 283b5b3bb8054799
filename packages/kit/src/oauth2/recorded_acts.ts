import type { HttpContext } from '@adonisjs/core/http'

import type { AuthContext } from '#auth/outcome'
import type { GuardName } from '#auth/guard_types'
import { recordSecurityEvent } from '#auth/security_events'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import { signedIn } from '#oauth2/token_owners'
import type { ConnectedApp } from '#oauth2/user_grants/connected_apps'

/* Events of OAuth in people's security logs. */

/** An approval: who has approved, the guard that knows them, and whether that created a grant. */
export interface Connection {
  client: Client
  context: AuthContext
  guardName: GuardName
  isNewConnection: boolean
}

export async function recordConnection(ctx: HttpContext, approval: Connection): Promise<void> {
  const { client, context, guardName, isNewConnection } = approval
  if (isNewConnection && !client.firstParty) {
    const { users } = ctx.authenticator.use(guardName)
    const details = { name: client.host ?? client.name }
    await recordSecurityEvent(ctx, context.user, 'app_connected', details, users)
  }
}

/** Their names are those of the page of connected apps. */
export async function recordDisconnections(ctx: HttpContext, user: unknown, apps: ConnectedApp[]) {
  for (const { clientHost, clientName } of apps) {
    await recordSecurityEvent(ctx, user, 'app_disconnected', { name: clientHost ?? clientName })
  }
}

/** Creates a personal access token, bound to the context of the request. */
export async function createToken(
  ctx: HttpContext,
  { manager, personalAccessTokens }: AuthorizationServer,
  options: { name: string; scopes?: string[] | null; ttl?: number | null }
) {
  const { user, context: caller } = await signedIn(ctx)
  const context = await manager.feature('credentialContexts')?.current(ctx)
  const created = await personalAccessTokens.create(user, caller, { ...options, context })
  const end = () => personalAccessTokens.revoke(user, created.jti)
  await manager.feature('sessions')?.settle(ctx, end)
  await recordSecurityEvent(ctx, caller.user, 'token_created', { name: created.name })
  return created
}

/** Revokes the personal access token of the route's `jti`, if it is the person's. */
export async function revokeToken(ctx: HttpContext, server: AuthorizationServer) {
  const { user, context } = await signedIn(ctx)
  const name = await server.personalAccessTokens.revoke(user, ctx.params.jti)
  if (name !== null) {
    await recordSecurityEvent(ctx, context.user, 'token_revoked', { name })
  }
}
