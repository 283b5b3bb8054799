import type { AuthContext } from '#auth/auth_context'
import type { Credentials, UserId } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'

/** A guard says who makes a request. It lives as long as the request. */
export interface Guard<User = any> {
  readonly name: string
  readonly driver: string
  readonly users: Users<User>

  /** The answer of `authenticate`; null before it, after a refusal, and after a logout. */
  readonly context: AuthContext<User> | null

  /**
   * Identifies the caller. The answer is found once per request.
   *
   * @throws {AuthError} when the request carries no valid credentials
   */
  authenticate(): Promise<AuthContext<User>>
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
