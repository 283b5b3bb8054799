import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { MaybePromise } from '#process/maybe_promise'
import type { RowJoin } from '#database/row_lookup'

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

  /** The users with these ids, in one query; without it each is looked up. */
  retrieveAll?(ids: readonly string[]): MaybePromise<User[]>

  /** The user with the username in the credentials; the password is not checked. */
  retrieveByCredentials(credentials: Credentials): MaybePromise<User | null>

  /** Whether the password in the credentials is the user's. */
  validateCredentials(user: User, credentials: Credentials): MaybePromise<boolean>

  getIdentifier(user: User): UserId

  /** Stores a new password, given in plain text. */
  updatePassword(user: User, password: string): MaybePromise<void>

  /** Whether the user is active. Without this method every user is. */
  isActive?(user: User): MaybePromise<boolean>

  /** Whether the stored hash is cheaper than new ones. */
  needsRehash?(user: User): MaybePromise<boolean>

  /**
   * Hashes the password again, unless it has been changed since the user was
   * read. Without this method `updatePassword` is called.
   */
  renewPassword?(user: User, password: string): MaybePromise<void>

  /** Whether the stored password has changed since this user was read. */
  hasNewPassword?(user: User): MaybePromise<boolean>

  /** A text that changes with the password and does not tell it. A login that is under way ends when it changes. */
  passwordStamp?(user: User): string

  /** Called once at start-up. */
  warmUp?(): MaybePromise<void>

  /** Lets a database store read a row and its user in one statement; null when they are on different connections. */
  join?(client: QueryClientContract): MaybePromise<UserJoin<User> | null>
}

/** What a store needs to join the users' table to its own (see `UserProvider.join`). */
export type UserJoin<User = any> = RowJoin<User>
