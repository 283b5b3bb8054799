import { RuntimeException } from '@adonisjs/core/exceptions'
import type { symbols } from '@adonisjs/auth'
import type { AuthClientResponse } from '@adonisjs/auth/types'
import type { HttpContext } from '@adonisjs/core/http'

import type { AuthContext } from '#auth/auth_context'
import { InvalidToken, Unauthenticated } from '#auth/errors'
import type { Guard } from '#auth/guards/guard'
import { Refusal } from '#auth/refusal'
import type { UserId } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'
import type { GuardName } from '#auth/guard_types'
import type { AuthManager } from '#auth/manager'

/** What all guards share: the answer is found once per request. */
export abstract class RequestGuard<User = any> implements Guard<User> {
  declare [symbols.GUARD_KNOWN_EVENTS]: unknown
  /** Name of the driver: `session`, `token`, `oauth2`, or one of your own. */
  abstract readonly driverName: string
  #answer?: Promise<AuthContext<User> | Refusal>
  #outcome: AuthContext<User> | Refusal | null = null

  constructor(
    readonly name: string,
    readonly users: Users<User>
  ) {}

  get context(): AuthContext<User> | null {
    return this.#outcome instanceof Refusal ? null : this.#outcome
  }

  get user(): User | undefined {
    return this.context?.user ?? undefined
  }

  get isAuthenticated(): boolean {
    return this.user !== undefined
  }

  get authenticationAttempted(): boolean {
    return this.#answer !== undefined
  }

  getUserOrFail(): User {
    if (this.context) {
      return this.context.getUserOrFail()
    }
    throw this.#outcome instanceof Refusal
      ? this.#outcome.toError()
      : new InvalidToken('An authenticated user is required.')
  }

  resolve(): Promise<AuthContext<User> | Refusal> {
    return (this.#answer ??= this.#judge().then((outcome) => (this.#outcome = outcome)))
  }

  async isStillValid(): Promise<boolean> {
    return !((await this.#judge()) instanceof Refusal)
  }

  async authenticate(): Promise<User> {
    const outcome = await this.resolve()
    return outcome.getUserOrFail()
  }

  async check(): Promise<boolean> {
    const { user } = await this.resolve()
    return user !== null
  }

  /** @throws {RuntimeException} unless the guard overrides it */
  async authenticateAsClient(
    _user: User | UserId,
    ..._options: any[]
  ): Promise<AuthClientResponse> {
    throw new RuntimeException(
      `The guard "${this.name}" (driver "${this.driverName}") cannot sign in the clients of tests`
    )
  }

  /** Looks at the request. Missing or wrong credentials are a `Refusal`, or an `Unauthenticated` error. */
  protected abstract identify(): Promise<AuthContext<User> | Refusal>

  /** Replaces the answer, after a login; null forgets it, after a logout. */
  protected remember(context: AuthContext<User> | null) {
    this.#outcome = context
    this.#answer = context ? Promise.resolve(context) : undefined
  }

  async #judge(): Promise<AuthContext<User> | Refusal> {
    try {
      return await this.identify()
    } catch (error) {
      if (error instanceof Unauthenticated) {
        return Refusal.from(error)
      }
      throw error
    }
  }
}

const GUARD = 'given' as GuardName
const callers = new WeakMap<HttpContext, AuthContext>()

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

/** Makes somebody the caller of a request without credentials, such as one of a command or a test. */
export async function actAs(ctx: HttpContext, manager: AuthManager, caller: AuthContext) {
  const users = manager.usersOf()
  manager.addGuard(GUARD, (request) => new GivenGuard(users, callers.get(request)!))
  callers.set(ctx, caller)
  await ctx.authenticator.resolveUsing([GUARD])
}
