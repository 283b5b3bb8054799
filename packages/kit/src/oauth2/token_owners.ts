import type { HttpContext } from '@adonisjs/core/http'

import { UnauthorizedClient } from '#auth/errors'
import type { GuardName } from '#auth/guard_types'
import type { AuthManager } from '#auth/manager'
import { authContext } from '#auth/protection'
import type { Owner, Users } from '#auth/users'
import type { Client } from '#oauth2/clients/client'
import { recordSecurityEvent } from '#auth/security_events'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { ServerPart } from '#oauth2/server_part'
import type { ConnectedApp } from '#oauth2/user_grants/connected_apps'

/** @throws {UnauthorizedClient} for a client that acts for the users of another user provider */
export function assertServes({ provider }: Client, user: Owner) {
  if (provider !== null && provider !== user.provider) {
    throw new UnauthorizedClient('The client acts for users of another user provider.')
  }
}

/** The users whom a client acts for: any provider's are those of the guard; null for a provider that is gone. */
export function usersServedBy(manager: AuthManager, client: Client | null, guard?: string) {
  if (!client?.provider) {
    return manager.usersOf(guard)
  }
  return manager.hasUsers(client.provider) ? manager.users(client.provider) : null
}

/** Resolves the owner of a code or token, if still active. */
export class TokenOwners extends ServerPart {
  /** The users of most owners, for a store that reads a row and its user at once. */
  get likely(): Users | undefined {
    const { guard, manager } = this.server
    return guard in manager.config.guards ? manager.usersOf(guard) : undefined
  }

  /**
   * The active user whom a code or token belongs to; null without one, and when the client acts for
   * another provider's users. @param user the user, when a store has read it among the likely ones
   */
  async find(owner: Owner, client: Client | null, user?: unknown): Promise<unknown | null> {
    const { manager } = this.server
    const isServed = !client?.provider || client.provider === owner.provider
    if (!isServed || !manager.hasUsers(owner.provider)) {
      return null
    }
    const users = manager.users(owner.provider)
    return users.findActive(owner.userId, users === this.likely ? user : undefined)
  }
}

/** The signed-in user as an owner of tokens. @throws {Unauthenticated} when nobody is */
export async function signedIn(ctx: HttpContext, guard: string = ctx.authenticator.defaultGuard) {
  const guardName = guard as GuardName
  const context = await authContext(ctx, { guards: [guardName] })
  const { users } = ctx.authenticator.use(guardName)
  return { guardName, context, user: users.ownerOf(context.user) as Owner }
}

/* Events of OAuth in people's security logs. */

/** An approval: who has approved, the guard that knows them, and whether that created a grant. */
export type Connection = Pick<
  AuthorizationRequest,
  'client' | 'context' | 'guardName' | 'isNewConnection'
>

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
  await ctx.authenticator.settle(() => personalAccessTokens.revoke(user, created.jti))
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
