import type { HttpContext } from '@adonisjs/core/http'

import type { AuthContext } from '#auth/auth_context'
import type { GuardName } from '#auth/authenticators'
import { RequestGuard } from '#auth/guards/request_guard'
import type { AuthManager } from '#auth/manager'
import type { Users } from '#auth/users'

const GUARD = 'given' as GuardName

const callers = new WeakMap<HttpContext, AuthContext>()

/** Recognises the caller that was given to the request. */
class GivenGuard extends RequestGuard {
  readonly driverName = 'given'

  constructor(
    users: Users,
    protected given: AuthContext
  ) {
    super('given', users)
  }

  protected async identify() {
    return this.given
  }
}

/**
 * Makes somebody the caller of a request that carries no credentials, such as one of a command or a
 * test. `ctx.authenticator` is then as after any other guard.
 */
export async function actAs(
  ctx: HttpContext,
  manager: AuthManager,
  caller: AuthContext
): Promise<void> {
  const users = manager.usersOf()
  manager.addGuard(GUARD, (request) => new GivenGuard(users, callers.get(request)!))
  callers.set(ctx, caller)
  await ctx.authenticator.resolveUsing([GUARD])
}
