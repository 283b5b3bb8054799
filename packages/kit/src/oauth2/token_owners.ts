import type { HttpContext } from '@adonisjs/core/http'

import { UnauthorizedClient } from '#auth/errors'
import type { GuardName } from '#auth/guard_types'
import type { AuthManager } from '#auth/manager'
import { authContext } from '#auth/protection'
import type { Owner, Users } from '#auth/users'
import type { Client } from '#oauth2/clients/client'

/** @throws {UnauthorizedClient} for a client that acts for the users of another user provider */
export function assertServes({ provider }: Client, user: Owner) {
  if (provider !== null && provider !== user.provider) {
    throw new UnauthorizedClient('The client acts for users of another user provider.')
  }
}

/** Resolves the owner of a code or token, if still active. */
export class TokenOwners {
  constructor(
    protected manager: AuthManager,
    protected guard: string
  ) {}

  /** The users of most owners, for a store that reads a row and its user at once. */
  get likely(): Users | undefined {
    return this.guard in this.manager.config.guards ? this.manager.usersOf(this.guard) : undefined
  }

  /**
   * The active user whom a code or token belongs to; null without one, and when the client acts for
   * another provider's users. @param user the user, when a store has read it among the likely ones
   */
  async find(owner: Owner, client: Client | null, user?: unknown): Promise<unknown | null> {
    const isServed = !client?.provider || client.provider === owner.provider
    if (!isServed || !this.manager.hasUsers(owner.provider)) {
      return null
    }
    const users = this.manager.users(owner.provider)
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
