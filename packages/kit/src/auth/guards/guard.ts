import type { symbols } from '@adonisjs/auth'
import type { AuthClientResponse, GuardContract } from '@adonisjs/auth/types'

import type { AuthContext } from '#auth/auth_context'
import type { LoginStep } from '#auth/login_steps'
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
  /** Whether the credentials are still accepted, for a request that takes long; not every guard can tell. */
  isStillValid?(): Promise<boolean>
  /** The user. @throws {Unauthenticated} when the request has not been authenticated */
  getUserOrFail(): User
  /**
   * Identifies the caller, who must be a user.
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

export interface LoginOptions {
  /**
   * Whether the session outlives the usual lifetime (`rememberTtl` instead of `ttl` in
   * `config/session.ts`). Without it, a new login of the user who is signed in already
   * keeps the end of a remembered session, and every other session has the usual lifetime.
   */
  remember?: boolean
  /**
   * How the user has proved who they are, as authentication methods (RFC 8176); ID
   * tokens say it. `attempt` knows it by itself. Default: not known.
   */
  methods?: readonly string[]
  /** The place where the user signed in, if it was not here: it can end the session. */
  origin?: LoginOrigin
}

/** A sign-in at a provider. */
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
  /** How the user has proved who they are so far. */
  methods: readonly string[]
}

/** A guard that can sign a user in and out: the `session` driver. Its methods are those of `Auth`, which says more of each. */
export interface LoginGuard<User = any> extends Guard<User> {
  /** Checks the credentials and signs their user in; false on any failure, and while a login step is missing. */
  attempt(credentials: Credentials, options?: LoginOptions): Promise<boolean>
  /** Signs in a user who has proved who they are without a password; false while a login step is missing. */
  loginProven(user: User, options: LoginOptions & { taken: readonly string[] }): Promise<boolean>
  /** The login of this session that waits for its next step; null when there is none. */
  pendingLogin(): Promise<PendingLogin<User> | null>
  /** Takes the next step of the pending login, and signs the user in after the last one. */
  continueLogin(credentials: Credentials): Promise<boolean>
  /** Signs a user in and gives the session a new id. No step is asked for. */
  login(userOrId: User | UserId, options?: LoginOptions): Promise<User>
  /** Checks once more who the signed-in user is, and notes it in the session. */
  confirm(credentials: Credentials): Promise<boolean>
  /** Notes in the session that the signed-in user has proved who they are in another way. */
  markConfirmed(): Promise<void>
  /** Ends the session. */
  logout(): Promise<void>
}
