import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { MaybePromise } from '#support/maybe_promise'
import type { RowJoin } from '#support/row_lookup'

/** A user's identifier: a number or a string, e.g. a UUID. It is stored and sent as a string. */
export type UserId = string | number

/** Tells an identifier from a user. */
export function isUserId(userOrId: unknown): userOrId is UserId {
  return typeof userOrId === 'string' || typeof userOrId === 'number'
}

export type Credentials = Record<string, unknown>

/**
 * Where users come from. Any object with the five required methods is a
 * provider; each method may be sync or async.
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
export type UserJoin<User = any> = RowJoin<User>
