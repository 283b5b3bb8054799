import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import { hashSecret } from '#security/secrets'
import type { MaybePromise } from '#process/maybe_promise'
import type { AuthorizationCodeRecord, UserKey } from '#oauth2/tokens/token_store'

/** What an application keeps about an approval, e.g. which workspace it is for. JSON. */
export type GrantContext = Record<string, unknown>

/**
 * What a user has allowed a client. It is not a grant type: `grants/` has those.
 * Codes and tokens that come of an approval point to it. Instants are epoch milliseconds.
 */
export interface GrantRecord extends UserKey {
  id: string
  clientId: string
  resource: string | null
  scopes: string[]
  context: GrantContext | null
  /** Where the last answer went to; null when the next request has to ask again. */
  redirectHost: string | null
  createdAt: number
  lastUsedAt: number | null
  /** Until then the approval is remembered. Tokens under the grant have lifetimes of their own. */
  expiresAt: number
  revokedAt: number | null
}

/** What a user has approved now, beside what the code says. */
export interface Approval {
  /** The id of the grant, when there is none yet. */
  grantId: string
  /** Scopes that the user was asked for and has not allowed. */
  declined: string[]
  context: GrantContext | null
  redirectHost: string | null
  /** Instant until which the approval is remembered. */
  expiresAt: number
}

/** Whom a grant is for, and what for. */
export type GrantSubject = UserKey & Pick<GrantRecord, 'clientId' | 'resource'>

/**
 * Where grants live. A grant is the lock of all codes and tokens under it:
 * issuing, refreshing and revoking meet on it, so that nothing that was issued
 * meanwhile survives a revocation. Methods may be sync or async, and are atomic.
 */
export interface GrantStore {
  /**
   * Inserts a code that a user has approved, under the living grant of the same
   * user, client, resource and context. The grant is made or gets the code's
   * scopes. A scope that it had and that was declined now is withdrawn: all codes
   * and tokens that were issued under the grant before are revoked.
   *
   * @returns the grant as it is now
   */
  approve(code: AuthorizationCodeRecord, approval: Approval): MaybePromise<GrantRecord>

  /**
   * Inserts a code under a grant that was approved before; false when the grant
   * has ended or its scopes have changed since it was read.
   */
  reuse(code: AuthorizationCodeRecord, grant: GrantRecord): MaybePromise<boolean>

  find(id: string): MaybePromise<GrantRecord | null>

  /** The living grants of a user for a client and a resource, one for each context. */
  findLiving(subject: GrantSubject, now: number): MaybePromise<GrantRecord[]>

  /** All grants of a user that have not been revoked, newest first. */
  list(user: UserKey): MaybePromise<GrantRecord[]>

  /** Records that a grant is used, unless that was recorded after the instant `before`. */
  recordUse(id: string, now: number, before: number): MaybePromise<void>

  /** The next request asks the user again; what was issued goes on. */
  forget(id: string): MaybePromise<void>

  /** Ends the grants of a user whose context matches, like `revoke`, in the transaction of whoever asks if it is on the same connection. */
  endWhere(
    user: UserKey,
    matches: (context: GrantContext) => boolean,
    trx: TransactionClientContract
  ): MaybePromise<void>

  /** Ends a grant and revokes all codes and tokens under it; false when it has been revoked before. */
  revoke(id: string, now: number): MaybePromise<boolean>
}

/** The key that at most one living grant has. */
export function liveKey(subject: GrantSubject, context: GrantContext | null): string {
  const { provider, userId, clientId, resource } = subject
  return hashSecret(JSON.stringify([provider, userId, clientId, resource, sorted(context)]))
}

/** The same object has the same JSON, in whatever order its members are. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const entries = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The scopes of a grant after an approval. */
export function approvedScopes(before: string[], code: { scopes: string[] }, approval: Approval) {
  const kept = before.filter((scope) => !approval.declined.includes(scope))
  return { withdrawn: kept.length < before.length, scopes: [...new Set([...kept, ...code.scopes])] }
}
