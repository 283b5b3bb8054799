import type { OAuthGuard, SesameManager } from '@julr/sesame'
import type { EmitterLike } from '@adonisjs/core/types/events'
import type { HttpContext } from '@adonisjs/core/http'

import { type Refusal, AuthContext, NO_TOKEN, badToken } from '#auth/outcome'
import type { GuardDriver } from '#auth/guards/driver'
import { RequestGuard } from '#auth/guards/guard'
import type { Users } from '#auth/users'

declare module '#auth/guards/driver' {
  interface GuardsByDriver<User> {
    sesame: SesameGuard<User>
  }
}

/** What makes Sésame's own guard, which checks a token. */
export type Sesame = { Guard: typeof OAuthGuard; manager: SesameManager; emitter: EmitterLike<any> }

/** Recognises the caller by an access token of `@julr/sesame`, which is bound to no resource. */
export class SesameGuard<User = any> extends RequestGuard<User> {
  readonly driverName = 'sesame'

  constructor(
    name: string,
    users: Users<User>,
    protected ctx: HttpContext,
    protected sesame: Sesame
  ) {
    super(name, users)
  }

  protected async identify(): Promise<AuthContext<User> | Refusal> {
    const { request, response } = this.ctx
    if (!/^bearer\b/i.test(request.header('authorization') ?? '')) {
      return NO_TOKEN
    }
    const { Guard, emitter, manager } = this.sesame
    /* A new one each time, because it keeps its answer. */
    const guard = new Guard(this.name, this.ctx, emitter, this.#usersOfSesame(), manager)
    if (!(await guard.check())) {
      /* Its challenge names the metadata of Sésame's issuer. */
      response.removeHeader('www-authenticate')
      return badToken('access token refused by Sésame')
    }
    const { scopes, clientId = null } = guard
    return new AuthContext({ user: guard.user as User, scopes, clientId })
  }

  /** The active users of this guard, as Sésame's guard asks for them. */
  #usersOfSesame() {
    const users = this.users
    return {
      async findById(id: string | number | BigInt) {
        const user = await users.findActive(String(id))
        return user && { getId: () => id, getOriginal: () => user }
      },
    } as ConstructorParameters<typeof OAuthGuard>[3]
  }
}

export function sesameDriver(sesame: Sesame): GuardDriver {
  return {
    name: 'sesame',
    create: ({ name, users }) => {
      return (ctx) => new SesameGuard(name, users, ctx, sesame)
    },
  }
}

/** A guard that recognises callers by access tokens of Sésame. */
export function sesameGuard<const Provider extends string>(spec: { provider: Provider }) {
  return { driver: 'sesame', ...spec } as const
}
