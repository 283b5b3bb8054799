import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import type { AuthContext } from '#auth/auth_context'
import type { AuthManager } from '#auth/manager'
import type { PasswordResetStore } from '#auth/password_reset/types'
import type { StoreConfig } from '#auth/store_config'
import type { Users } from '#auth/users'

export type MaybePromise<T> = T | Promise<T>

/** A user's identifier: a number or a string (a UUID, say). It is stored and sent as a string. */
export type UserId = string | number

export type Credentials = Record<string, unknown>

/**
 * Where users come from (spec 1, User provider specs). Any object with these
 * five methods is a provider; each method may be sync or async.
 */
export interface UserProvider<User = any> {
  retrieveById(id: UserId): MaybePromise<User | null>

  /** Finds the user that the credentials name, without looking at the password. */
  retrieveByCredentials(credentials: Credentials): MaybePromise<User | null>

  /** Whether the credentials' password is the user's. */
  validateCredentials(user: User, credentials: Credentials): MaybePromise<boolean>

  getIdentifier(user: User): UserId

  /** Stores a new password, given in plain text. */
  updatePassword(user: User, password: string): MaybePromise<void>

  /** Whether the user may act at all. A provider without it has active users only. */
  isActive?(user: User): MaybePromise<boolean>

  /** Whether the stored hash costs less than a new one would. */
  needsRehash?(user: User): MaybePromise<boolean>

  /**
   * Hashes the user's password anew, unless it has been changed since the user
   * was read. A provider without it gets `updatePassword` instead.
   */
  renewPassword?(user: User, password: string): MaybePromise<void>

  /** Whether the stored password is another one than this user was read with. */
  hasNewPassword?(user: User): MaybePromise<boolean>

  /** Called once at start-up. */
  warmUp?(): MaybePromise<void>

  /** Lets a database store read a row and its user in one statement; null when they are on different connections. */
  join?(client: QueryClientContract): MaybePromise<UserJoin<User> | null>
}

/** What a store needs to join the users' table to its own (see `UserProvider.join`). */
export interface UserJoin<User = any> {
  /** `LEFT JOIN …` for a column of the store's table that holds the user id as text. */
  clause(userIdColumn: string): string

  /** The users' columns for the select list, under names that cannot collide. */
  columns: string

  /** Builds the user from a row of the joined query; null when there is none. */
  hydrate(row: Record<string, unknown>): User | null
}

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

export interface GuardSpec {
  /** `session`, `token`, `oauth2` or its alias `passport`, which is assumed when absent. */
  driver?: string
  /** Name of a user provider in `config/auth.ts`. */
  provider: string
  /** `oauth2` only: accept tokens for this resource, and no other (RFC 8707). */
  audience?: string | null
}

export type GuardFactory = (ctx: HttpContext) => Guard

/** A named factory of guards, registered by the provider of a feature. */
export interface GuardDriver {
  readonly name: string

  /**
   * Called once per configured guard at start-up.
   *
   * @throws {InvalidArgumentsException} when the spec is not usable
   */
  create(options: {
    name: string
    spec: GuardSpec
    users: Users
    manager: AuthManager
  }): GuardFactory
}

/**
 * What features offer each other, by name. A feature adds its own member with
 * `declare module '#auth/types'`.
 */
export interface AuthFeatures {
  /** SPA mode: pages of these origins use the session cookie (ApiTokenConfig, `statefulOrigins`). */
  spa: { origins: readonly string[] }

  /** Limits of failed attempts. */
  throttle: Throttle
}

/** What is throttled; each has its limits in `config/throttle.ts`. */
export type ThrottledAction = 'failedLogins' | 'failedClientAuthentications' | 'passwordMails'

/** Counts failures, and refuses whoever has had too many. */
export interface Throttle {
  /**
   * Makes an attempt, unless its subject has failed too often from the
   * caller's address, or the address has with all subjects. An attempt that
   * gives null has failed and is counted; a successful one never is.
   *
   * @param subject who the attempt is about: an e-mail or a client id
   * @throws {Throttled} when there were too many failures
   */
  guard<Result>(
    action: ThrottledAction,
    subject: string,
    ctx: HttpContext,
    attempt: () => Promise<Result | null>
  ): Promise<Result | null>

  /**
   * Counts a failure.
   *
   * @param subject who the attempt was about; null when it is about the address alone
   * @throws {Throttled} when there had been too many before
   */
  penalize(action: ThrottledAction, subject: string | null, ctx: HttpContext): Promise<void>
}

type ModelReference<Model> = Model | (() => Promise<{ default: Model }>)

/** A callable or the name of an attribute that says whether a user is active. */
export type IsActive<User = any> = string | ((user: User) => MaybePromise<boolean>)

/** The names under which a user provider finds what it needs. */
export interface UserFields<User = any> {
  /** Attribute and credentials key that name a user. Default `email`. */
  usernameField?: string
  /** Attribute that holds the password hash. Default `password`. */
  passwordField?: string
  /** Credentials key that holds the plain password. Default: the name of `passwordField`. */
  passwordKey?: string
  /** Attribute that identifies a user. Default: the model's primary key, or `id`. */
  idField?: string
  /** Default: every user is active. */
  isActive?: IsActive<User>
}

export interface LucidUserProviderSpec<Model extends LucidModel = LucidModel> extends UserFields<
  InstanceType<Model> & LucidRow
> {
  driver: 'lucid' | 'orm' | 'model' | 'async_model'
  model: ModelReference<Model>
}

export interface MemoryUserProviderSpec extends UserFields<Record<string, any>> {
  driver: 'memory'
  /** Users to start with, their passwords in plain text. */
  users?: Record<string, unknown>[]
}

export type UserProviderSpec =
  | LucidUserProviderSpec<any>
  | MemoryUserProviderSpec
  | { driver: 'instance'; instance: UserProvider }
  | { driver: 'factory'; factory: () => MaybePromise<UserProvider> }

/**
 * A password broker (spec 1, Password broker spec). Its tokens live in the
 * table `password_reset_tokens`, unless `store` says otherwise.
 */
export interface PasswordBrokerSpec extends StoreConfig<PasswordResetStore> {
  /** Name of a user provider in `config/auth.ts`. */
  provider: string
  /** Minutes a reset token lives. Default 60. */
  expire?: number
  /** Seconds between two reset tokens for one e-mail; 0 turns it off. Default 60. */
  throttle?: number
}

/** Where failures go that no caller waits for: AdonisJS's logger is one. */
export interface ErrorLog {
  error(details: { err: unknown }, message: string): void
}

/** Delivers a reset token. It may be sync or async. */
export type PasswordResetNotifier = (email: string, token: string) => MaybePromise<void>
