import type { symbols } from '@adonisjs/auth'
import type { AuthClientResponse, GuardContract } from '@adonisjs/auth/types'

import type { AuthContext } from '#auth/auth_context'
import type { LoginStep } from '#auth/login_steps'
import type { Refusal } from '#auth/refusal'
import type { Credentials, UserId } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'

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
