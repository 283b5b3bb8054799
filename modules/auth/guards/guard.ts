import type { symbols } from '@adonisjs/auth'
import type { AuthClientResponse, GuardContract } from '@adonisjs/auth/types'

import type { AuthContext } from '#auth/auth_context'
import type { Refusal } from '#auth/refusal'
import type { Credentials, UserId } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'

/**
 * A guard tells who makes a request. It lives as long as the request.
 *
 * It keeps the contract of `@adonisjs/auth`, so that it also works in an
 * application on that package. `resolve` is what this package adds: it knows
 * scopes and tokens without a user, and declines with a value.
 */
export interface Guard<User = any> extends GuardContract<User> {
  readonly name: string
  readonly users: Users<User>

  /** Who makes the request; null before `resolve`, after a refusal, and after a logout. */
  readonly context: AuthContext<User> | null

  /** Identifies the caller. The answer is found once per request. */
  resolve(): Promise<AuthContext<User> | Refusal>

  /** The user; undefined before the request has been authenticated, and for a token without a user. */
  readonly user: User | undefined

  /** Whether a user has been recognised. */
  readonly isAuthenticated: boolean

  /** Whether the guard has looked at the request. */
  readonly authenticationAttempted: boolean

  /**
   * The user.
   *
   * @throws {Unauthenticated} when the request has not been authenticated
   */
  getUserOrFail(): User

  /**
   * Identifies the caller, who must be a user.
   *
   * @throws {Unauthenticated} without valid credentials, and for a token without a user
   */
  authenticate(): Promise<User>

  /** Whether the caller is a user; never refuses. */
  check(): Promise<boolean>

  /** Cookies and headers that sign a user in, for the clients of tests. */
  authenticateAsClient(user: User | UserId, ...options: any[]): Promise<AuthClientResponse>

  /** Types of the events that the guard emits. */
  [symbols.GUARD_KNOWN_EVENTS]: unknown
}

/** A guard that can sign a user in and out: the `session` driver. */
export interface LoginGuard<User = any> extends Guard<User> {
  /**
   * Checks the credentials and signs their user in; false on any failure.
   *
   * @throws {Throttled} when too many attempts have failed
   */
  attempt(credentials: Credentials): Promise<boolean>

  /**
   * Signs a user in and gives the session a new id.
   *
   * @throws {InvalidSession} when there is no such user or it is inactive
   */
  login(userOrId: User | UserId): Promise<User>

  /** Ends the session. */
  logout(): Promise<void>
}
