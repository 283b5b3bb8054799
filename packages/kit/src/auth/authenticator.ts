import type { HttpContext } from '@adonisjs/core/http'

import { type AuthContext, Refusal, badToken } from '#auth/outcome'
import type {
  Authenticators,
  DefaultGuardName,
  GuardName,
  GuardNamed,
  UserOf,
} from '#auth/guard_types'
import { InvalidSession, InvalidToken } from '#auth/errors'
import type { Guard } from '#auth/guards/guard'
import type { AuthManager } from '#auth/manager'
import { verifyLogin } from '#auth/password_login'
import type { Credentials } from '#auth/users'
import { keepFromCaches } from '#http/caching'
import { assertOr } from '#process/assert_or'
import type { MaybePromise } from '#process/maybe_promise'

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The authentication of the request: of this package also where `ctx.auth` is `@adonisjs/auth`'s. */
    authenticator: Authenticator
  }
}

/** Milliseconds after which a caller is looked at once more. */
const LONG = 1000

export class Authenticator<Guards = Authenticators> {
  readonly #ctx: HttpContext
  readonly #manager: AuthManager
  readonly #guards = new Map<string, Guard>()
  #via: Guard | null = null
  #default: string

  constructor(ctx: HttpContext, manager: AuthManager) {
    this.#ctx = ctx
    this.#manager = manager
    this.#default = manager.defaultGuard
  }

  /** Name of the guard that authenticated this request, or else of the default guard. */
  get defaultGuard(): GuardName<Guards> {
    return (this.#via?.name ?? this.#default) as GuardName<Guards>
  }

  /** Makes another guard the default one of this request, until a guard has authenticated it. */
  setDefaultGuard(name: GuardName<Guards>): void {
    this.#default = name
  }

  get explainsChallenges(): boolean {
    return this.#manager.config.challengeDetails
  }

  challengeOf(bearer: string): string {
    return this.#manager.feature('tokenScheme')?.challengeFor(this.#ctx, bearer) ?? bearer
  }

  /** Name of the guard that authenticated this request; null before. */
  get authenticatedViaGuard(): GuardName<Guards> | null {
    return (this.#via?.name as GuardName<Guards> | undefined) ?? null
  }

  /** Whether the credentials are still accepted, in a long response. Routes may have asked a guard themselves. */
  async isStillValid(): Promise<boolean> {
    const guard = this.#via ?? this.#guards.values().find((one) => one.isAuthenticated)
    return (await guard?.isStillValid?.()) ?? true
  }

  /**
   * Asked when a body has arrived, and before the next call of a batch: that may be long after the credentials were checked.
   * @param began `performance.now()` of before
   * @throws {Unauthenticated} when they are not accepted any more
   */
  async assertValidSince(began: number): Promise<void> {
    if (performance.now() - began > LONG) {
      await this.settle(() => {})
    }
  }

  /**
   * Asked when a request has stored what opens an account: whoever has ended its session or token meanwhile, e.g. the
   * owner by a reset, has ended what was there before, and `end` ends this.
   * @throws {InvalidSession | InvalidToken} when it has ended, or its user is deactivated
   */
  async settle(end: () => MaybePromise<unknown>): Promise<void> {
    if (!(await this.isStillValid())) {
      await end()
      const isOfSession = this.#manager.guardDriver(this.defaultGuard) === 'session'
      const Ended = isOfSession ? InvalidSession : InvalidToken
      throw new Ended(`The ${isOfSession ? 'session' : 'token'} has ended meanwhile.`)
    }
  }

  get isAuthenticated(): boolean {
    return this.#guard?.isAuthenticated ?? false
  }

  get authenticationAttempted(): boolean {
    return [...this.#guards.values()].some((guard) => guard.authenticationAttempted)
  }

  /** Who makes the request and what it may do; null before it has been authenticated. */
  get context(): AuthContext<UserOf<GuardName<Guards>, Guards>> | null {
    return this.#guard?.context ?? null
  }

  /** The user; null before the request has been authenticated, and for a token without a user. */
  get user(): UserOf<GuardName<Guards>, Guards> | null {
    return this.context?.user ?? null
  }

  /** The user's id as stores keep it; null where `user` is. */
  get userId(): string | null {
    return this.#guard && this.user ? this.#guard.users.identify(this.user) : null
  }

  /** Differs between any two users, also of two user providers; null where `user` is. */
  get subject(): string | null {
    return this.#guard && this.user ? this.#guard.users.subjectOf(this.user) : null
  }

  /** The user. @throws {Unauthenticated} when there is none */
  getUserOrFail(): UserOf<GuardName<Guards>, Guards> {
    assertOr(this.#guard, InvalidToken, 'An authenticated user is required.')
    return this.#guard.getUserOrFail()
  }

  /** The default guard when none is named. @throws {RuntimeException} when no guard has this name */
  use<Name extends GuardName<Guards> = DefaultGuardName<Guards>>(name?: Name) {
    return this.#use(name ?? this.#default) as GuardNamed<Name, Guards>
  }

  /**
   * The active user of a guard with these credentials, or null. Failures count like those of a login.
   * @throws {LoginStepRequired} when the user has a second factor and the credentials lack its code
   * @throws {Throttled} when too many attempts have failed
   */
  async validate<Name extends GuardName<Guards> = DefaultGuardName<Guards>>(
    credentials: Credentials,
    guard?: Name
  ): Promise<UserOf<Name, Guards> | null> {
    const { users } = this.#use(guard ?? this.#default)
    return verifyLogin(this.#manager, users, credentials, this.#ctx)
  }

  /** @throws {Unauthenticated} unless the default guard recognises a user */
  authenticate(): Promise<UserOf<GuardName<Guards>, Guards>> {
    return this.authenticateUsing()
  }

  /** @throws {Unauthenticated} unless one of the guards recognises a user; see `resolveUsing` */
  async authenticateUsing<Name extends GuardName<Guards> = GuardName<Guards>>(
    guards?: readonly Name[]
  ): Promise<UserOf<Name, Guards>> {
    const outcome = await this.resolveUsing(guards)
    return outcome.getUserOrFail()
  }

  async check(): Promise<boolean> {
    return this.checkUsing()
  }

  /** Whether one of the guards recognises a user; see `resolveUsing`. */
  async checkUsing(guards?: readonly GuardName<Guards>[]): Promise<boolean> {
    const { user } = await this.resolveUsing(guards)
    return user !== null
  }

  /**
   * Asks the guards in turn, and keeps the first that recognises the caller. A guard that is not
   * configured recognises nobody, so that a feature can be removed without touching every route.
   * A refusal of sent credentials takes precedence over missing ones.
   */
  async resolveUsing<Name extends GuardName<Guards> = GuardName<Guards>>(
    guards: readonly Name[] = [this.defaultGuard as Name]
  ): Promise<AuthContext<UserOf<Name, Guards>> | Refusal> {
    let refusal: Refusal | null = null

    for (const name of guards) {
      if (!this.#manager.hasGuard(name)) {
        continue
      }
      const guard = this.#use(name)
      const outcome = await guard.resolve()
      if (!(outcome instanceof Refusal)) {
        this.#via = guard
        return outcome
      }
      if (!refusal || (refusal.absent && !outcome.absent)) {
        refusal = outcome
      }
    }

    return refusal ?? badToken('no guard of the list exists')
  }

  /** Asks one guard without making it the request's own; null when it refuses or is not there. */
  async peek<Name extends GuardName<Guards> = DefaultGuardName<Guards>>(
    name?: Name
  ): Promise<AuthContext<UserOf<Name, Guards>> | null> {
    const guard = name ?? this.#default
    if (!this.#manager.hasGuard(guard)) {
      return null
    }
    const outcome = await this.#use(guard).resolve()
    return outcome instanceof Refusal ? null : outcome
  }

  get #guard(): Guard | undefined {
    return this.#via ?? this.#guards.get(this.#default)
  }

  #use(name: string): Guard {
    let guard = this.#guards.get(name)
    if (!guard) {
      guard = this.#manager.guard(name, this.#ctx)
      this.#guards.set(name, guard)
      keepFromCaches(this.#ctx)
    }
    return guard
  }
}
