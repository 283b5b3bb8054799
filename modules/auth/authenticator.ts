import type { HttpContext } from '@adonisjs/core/http'

import type { AuthContext } from '#auth/auth_context'
import { type AuthError, InvalidSession, InvalidToken } from '#auth/errors'
import type { AuthManager } from '#auth/manager'
import type { Guard } from '#auth/guards/guard'
import { verifyLogin } from '#auth/password_login'
import type { Credentials } from '#auth/user_providers/user_provider'

/** The authentication of one request, at hand as `ctx.auth`. */
export class Authenticator {
  readonly #ctx: HttpContext
  readonly #manager: AuthManager
  readonly #guards = new Map<string, Guard>()
  #via: Guard | null = null

  constructor(ctx: HttpContext, manager: AuthManager) {
    this.#ctx = ctx
    this.#manager = manager
  }

  /** Name of the guard used when none is named. */
  get defaultGuard(): string {
    return this.#via?.name ?? this.#manager.defaultGuard
  }

  /** Name of the guard that authenticated this request; null before. */
  get authenticatedViaGuard(): string | null {
    return this.#via?.name ?? null
  }

  /** Whether this request has been authenticated. */
  get isAuthenticated(): boolean {
    return this.context !== null
  }

  /** Who makes the request and what it may do; null before it has been authenticated. */
  get context(): AuthContext | null {
    return (this.#via ?? this.#guards.get(this.#manager.defaultGuard))?.context ?? null
  }

  /** The user; null before the request has been authenticated, and for a token without a user. */
  get user(): any {
    return this.context?.user ?? null
  }

  /**
   * The user.
   *
   * @throws {InvalidToken} when there is none
   */
  getUserOrFail(): any {
    if (!this.user) {
      throw new InvalidToken('An authenticated user is required.')
    }
    return this.user
  }

  /**
   * A guard of this request; the default guard when none is named.
   *
   * @throws {RuntimeException} when no guard has this name
   */
  use(name: string = this.#manager.defaultGuard): Guard {
    let guard = this.#guards.get(name)
    if (!guard) {
      guard = this.#manager.guard(name, this.#ctx)
      this.#guards.set(name, guard)
    }
    return guard
  }

  /**
   * The active user of a guard whose credentials these are, or null. Failures
   * count like those of a login.
   *
   * @throws {Throttled} when too many attempts have failed
   */
  async validate<User = any>(credentials: Credentials, guard?: string): Promise<User | null> {
    return verifyLogin<User>(this.#manager, this.use(guard).users, credentials, this.#ctx)
  }

  /** Whether one of the guards recognises the caller; the default guard when none is named. */
  async check(guards?: string[]): Promise<boolean> {
    try {
      await this.authenticateUsing(guards)
      return true
    } catch (error) {
      if (isRefusal(error)) {
        return false
      }
      throw error
    }
  }

  /**
   * Asks the guards in turn and keeps the first answer. A guard that is not
   * configured recognises nobody, so that a feature can be taken out without
   * touching every route that also names its guard.
   *
   * @throws {AuthError} of the guard whose credentials the caller tried, when none recognises it
   */
  async authenticateUsing(guards: string[] = [this.defaultGuard]): Promise<AuthContext> {
    let refusal: AuthError | null = null

    for (const name of guards) {
      if (!this.#manager.hasGuard(name)) {
        continue
      }
      const guard = this.use(name)
      try {
        const context = await guard.authenticate()
        this.#via = guard
        return context
      } catch (error) {
        if (!isRefusal(error)) {
          throw error
        }
        if (!refusal || (isAbsence(refusal) && !isAbsence(error))) {
          refusal = error
        }
      }
    }

    throw refusal ?? new InvalidToken()
  }
}

function isRefusal(error: unknown): error is AuthError {
  return error instanceof InvalidToken || error instanceof InvalidSession
}

/** A guard that saw no credentials at all has less to say than one that saw wrong ones. */
function isAbsence(error: AuthError) {
  return error instanceof InvalidSession || (error as InvalidToken).absent === true
}
