import type { MaybePromise } from '#support/maybe_promise'
import type { Users } from '#auth/users'

/** One API token, as the repositories keep it. Instants are epoch milliseconds. */
export interface StoredToken {
  id: string
  /** The owner's id, as text. */
  userId: string
  /** Name of the user provider that the owner belongs to. */
  provider: string
  name: string | null
  /** SHA-256 of the secret. */
  hash: string
  abilities: string[]
  lastUsedAt: number | null
  /** null for a token that never expires. */
  expiresAt: number | null
  createdAt: number
}

/** A token, with its owner where the repository could read both at once. */
export interface FoundToken {
  token: StoredToken
  /** null when the owner is gone, undefined when the repository did not look. */
  user?: unknown
}

/**
 * Where API tokens live (spec 1, Stores). It sees hashes of secrets and never a
 * secret. Methods may be sync or async.
 */
export interface ApiTokenRepository {
  /** Keeps a new token and returns the id it got: up to 64 characters of `[A-Za-z0-9_-]`. */
  create(token: Omit<StoredToken, 'id'>): MaybePromise<string>

  /**
   * The token with this id, expired or not; null for anything that is no id of a token.
   *
   * @param users whose users its owner most likely belongs to, so that a repository can read both at once
   */
  find(id: string, users: Users): MaybePromise<FoundToken | null>

  /** A user's tokens that have not expired at `now`, the oldest first. */
  listFor(userId: string, provider: string, now: number): MaybePromise<StoredToken[]>

  /** Deletes a token and returns it; null when there is none. */
  delete(id: string): MaybePromise<StoredToken | null>

  /** Deletes all tokens of a user, expired ones too, and returns them. */
  deleteFor(userId: string, provider: string): MaybePromise<StoredToken[]>

  /** Sets `lastUsedAt` to `now`, unless it is later than `before`. */
  recordUse(id: string, now: number, before: number): MaybePromise<void>

  /**
   * Deletes what has expired: `expiresAt` at or before `now`.
   *
   * @returns how many there were
   */
  purge(now: number): MaybePromise<number>
}
