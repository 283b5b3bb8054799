import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { MaybePromise } from '#process/maybe_promise'
import type { CredentialContext, CredentialOwner } from '#auth/credential_contexts'
import type { Users } from '#auth/users'

/** One API token, as it is stored. Instants are epoch milliseconds. */
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
  /** What the token is bound to beside its abilities; null for nothing. */
  context: CredentialContext | null
  lastUsedAt: number | null
  /** null for a token that never expires. */
  expiresAt: number | null
  createdAt: number
}

/** A token, and its owner where the repository can read both in one statement. */
export interface FoundToken {
  token: StoredToken
  /** null when the owner does not exist, undefined when the repository did not read it. */
  user?: unknown
}

/**
 * Where API tokens are stored. A repository sees hashes of secrets, never a
 * secret. Methods may be sync or async.
 */
export interface ApiTokenRepository {
  /** Stores a new token and returns its id: up to 64 characters of `[A-Za-z0-9_-]`. */
  create(token: Omit<StoredToken, 'id'>): MaybePromise<string>

  /**
   * The token with this id, expired or not; null for any text that is not the id of a token.
   *
   * @param users the users that the owner most likely belongs to, for a repository that can read both at once
   */
  find(id: string, users: Users): MaybePromise<FoundToken | null>

  /** A user's tokens that have not expired at `now`, the oldest first. */
  listFor(userId: string, provider: string, now: number): MaybePromise<StoredToken[]>

  /** Deletes a token and returns it; null when it does not exist. */
  delete(id: string): MaybePromise<StoredToken | null>

  /** Deletes all tokens of a user, expired ones too, and returns them. */
  deleteFor(userId: string, provider: string): MaybePromise<StoredToken[]>

  /** Deletes the tokens of an owner whose context matches. Without it, contexts end with the next use of a token. */
  endWhere?(
    owner: CredentialOwner,
    matches: (context: CredentialContext) => boolean,
    trx: TransactionClientContract
  ): MaybePromise<void>

  /** Sets `lastUsedAt` to `now`, unless it is later than `before`. */
  recordUse(id: string, now: number, before: number): MaybePromise<void>

  /**
   * Deletes expired tokens: `expiresAt` at or before `now`. It may stop early and
   * leave some to the next run.
   *
   * @returns how many there were
   */
  purge(now: number): MaybePromise<number>
}
