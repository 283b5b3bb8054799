import type { symbols } from '@adonisjs/auth'
import type { AuthClientResponse, GuardContract } from '@adonisjs/auth/types'
import { RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import { type AuthContext, Refusal } from '#auth/outcome'
import type { LoginStep } from '#auth/login_steps'
import type { Credentials, UserId, Users } from '#auth/users'
import { InvalidToken, Unauthenticated } from '#auth/errors'
import type { GuardName } from '#auth/guard_types'
import type { AuthManager } from '#auth/manager'

/**
 * Tells who makes a request, and lives as long as it. It keeps the contract of `@adonisjs/auth`, to
 * work in an application on that package as well. `resolve` is what this package adds: it knows
 * scopes and tokens without a user, and declines with a value.
 */
export interface Guard<User = any> extends GuardContract<User> {
  readonly name: string
  readonly users: Users<User>
  /** Who makes the request; null before `resolve`, after a refusal, and after a logout. */
  readonly context: AuthContext<User> | null
  /** Identifies the caller. The answer is found once per request. */
  resolve(): Promise<AuthContext<User> | Refusal>
  /** Undefined before the request has been authenticated, and for a token without a user. */
  readonly user: User | undefined
  readonly isAuthenticated: boolean
  readonly authenticationAttempted: boolean
  /** Whether the credentials are still accepted, for a request that takes long; not every guard can tell. */
  isStillValid?(): Promise<boolean>
  /** @throws {Unauthenticated} when the request has not been authenticated */
  getUserOrFail(): User
  /** @throws {Unauthenticated} without valid credentials, and for a token without a user */
  authenticate(): Promise<User>
  /** Whether the caller is a user; never refuses. */
  check(): Promise<boolean>
  /** Cookies and headers that sign a user in, for the clients of tests. */
  authenticateAsClient(user: User | UserId, ...options: any[]): Promise<AuthClientResponse>
  [symbols.GUARD_KNOWN_EVENTS]: unknown
}

export interface LoginOptions {
  /**
   * Whether the session has `rememberTtl` instead of `ttl` (`config/session.ts`). Without it, a new
   * login of the user who is signed in keeps the end of a remembered session.
   */
  remember?: boolean
  /** How the user has proved who they are (RFC 8176), for ID tokens. `attempt` knows it by itself. */
  methods?: readonly string[]
  /** The place where the user signed in, if it was not here: it can end the session. */
  origin?: LoginOrigin
  /** Asked when the session is there, so that what was removed meanwhile, e.g. a passkey, opens none. */
  isProven?: () => Promise<boolean>
}

export interface LoginOrigin {
  /** Name of the provider in its settings. */
  provider: string
  /** What people call it. */
  label: string
  issuer: string
  subject: string
  /** The provider's name for its own session; null when it told none. */
  sid: string | null
}

/** A login that waits for the next step after the password. Nobody is signed in by it. */
export interface PendingLogin<User = any> extends LoginOptions {
  user: User
  step: LoginStep<User>
  methods: readonly string[]
}

/** A guard that can sign a user in and out: the `session` driver. `Auth` says more of each method. */
export interface LoginGuard<User = any> extends Guard<User> {
  attempt(credentials: Credentials, options?: LoginOptions): Promise<boolean>
  loginProven(user: User, options: LoginOptions & { taken: readonly string[] }): Promise<boolean>
  pendingLogin(): Promise<PendingLogin<User> | null>
  continueLogin(credentials: Credentials): Promise<boolean>
  login(userOrId: User | UserId, options?: LoginOptions): Promise<User>
  confirm(credentials: Credentials): Promise<boolean>
  markConfirmed(): Promise<void>
  logout(): Promise<void>
}

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
