import { isDeepStrictEqual } from 'node:util'

import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'

import type { ContextMatch } from '#auth/credential_contexts'
import { type Owner, isOwnedBy } from '#auth/users'
import { MemoryUsedRecords } from '#database/records'
import type { MaybePromise } from '#process/maybe_promise'
import { assertWaits } from '#oauth2/parameters'
import type OAuthGrant from '#oauth2/models/oauth_grant'
import type { MemoryTokenStore } from '#oauth2/tokens/memory_token_store'
import { type AuthorizationCodeRecord, type TokenOwner } from '#oauth2/tokens/token_store'

/**
 * What a user has allowed a client; codes and tokens point to it. `redirectHost` is where the last answer went, null
 * when the next request has to ask again. The approval is remembered until `expiresAt`, in epoch milliseconds as all
 * instants: tokens under the grant have lifetimes of their own.
 */
export type GrantRecord = Omit<ModelAttributes<OAuthGrant>, 'liveKey'>

/** What a user has approved now, beside what the code says. */
export interface Approval extends Pick<GrantRecord, 'context' | 'redirectHost' | 'expiresAt'> {
  /** The id of the grant, when there is none yet. */
  grantId: string
  /** Scopes that the user was asked for and has not allowed. */
  declined: string[]
  /** The device whose request is approved with it. */
  deviceCodeHash?: string
}

type Owned = Record<keyof Owner | 'clientId', string | null>

export function belongsTo(record: Owned, owner: TokenOwner): boolean {
  return 'clientId' in owner ? record.clientId === owner.clientId : isOwnedBy(record, owner)
}

export type GrantSubject = Owner & Pick<GrantRecord, 'clientId' | 'resource'>

/**
 * Where grants live. A grant is the lock of all codes and tokens under it, so that nothing that was
 * issued meanwhile survives a revocation. Methods may be sync or async, and are atomic.
 */
export interface GrantStore {
  /**
   * Inserts a code that a user has approved, under the living grant of the same user, client, resource
   * and context, which is made or gets the code's scopes. A scope that it had and that was declined now
   * is withdrawn: all codes and tokens under the grant from before are revoked.
   * @throws {UnknownAuthorization} when the request of the device has been decided or has expired
   */
  approve(code: AuthorizationCodeRecord, approval: Approval): MaybePromise<GrantRecord>

  /** Inserts a code under an older grant; false when that has ended, or its scopes have changed. */
  reuse(code: AuthorizationCodeRecord, grant: GrantRecord): MaybePromise<boolean>

  find(id: string): MaybePromise<GrantRecord | null>

  /** The living grants of a user for a client and a resource, one for each context. */
  findLiving(subject: GrantSubject, now: number): MaybePromise<GrantRecord[]>

  /** All grants of a user that have not been revoked, newest first. */
  list(user: Owner): MaybePromise<GrantRecord[]>

  /** Records that a grant is used, unless that was recorded after the instant `before`. */
  recordUse(id: string, now: number, before: number): MaybePromise<void>

  /** The next request asks the user again; what was issued goes on. */
  forget(id: string): MaybePromise<void>

  /** Ends the grants of a user whose context matches, in the given transaction if it is on the same connection. */
  endWhere(user: Owner, matches: ContextMatch, trx: TransactionClientContract): MaybePromise<void>

  /** Ends a grant and revokes all codes and tokens under it; false when it has been revoked before. */
  revoke(id: string, now: number): MaybePromise<boolean>
}

export function approvedScopes(before: string[], code: { scopes: string[] }, approval: Approval) {
  const kept = before.filter((scope) => !approval.declined.includes(scope))
  return { withdrawn: kept.length < before.length, scopes: [...new Set([...kept, ...code.scopes])] }
}

/** Grants that live in the process, beside the tokens of a MemoryTokenStore. */
export class MemoryGrantStore extends MemoryUsedRecords<GrantRecord> implements GrantStore {
  constructor(
    protected dependents: Pick<MemoryTokenStore, 'devices' | 'insertCode' | 'revokeUnder'>
  ) {
    super(({ id }) => id)
  }

  approve(code: AuthorizationCodeRecord, approval: Approval): GrantRecord {
    const { deviceCodeHash } = approval
    const decision = { approved: true, codeHash: code.codeHash } as const
    const { devices } = this.dependents
    assertWaits(!deviceCodeHash || devices.decide(deviceCodeHash, decision, Date.now()))
    const living = this.findLiving(code, code.createdAt)
    const isSame = ({ context }: GrantRecord) => isDeepStrictEqual(context, approval.context)
    const grant = living.find(isSame) ?? newGrant(code, approval)
    const { scopes, withdrawn } = approvedScopes(grant.scopes, code, approval)
    if (withdrawn) {
      this.dependents.revokeUnder(grant.id, code.createdAt)
    }
    const { redirectHost, expiresAt } = approval
    const approved = { ...grant, scopes, redirectHost, expiresAt }
    this.insert(approved)
    this.dependents.insertCode({ ...code, grantId: grant.id })
    return approved
  }

  reuse(code: AuthorizationCodeRecord, { id, scopes }: GrantRecord): boolean {
    const grant = this.find(id)
    if (!grant || grant.revokedAt !== null || grant.scopes.join(' ') !== scopes.join(' ')) {
      return false
    }
    this.dependents.insertCode({ ...code, grantId: id })
    return true
  }

  findLiving(subject: GrantSubject, now: number): GrantRecord[] {
    const isFor = ({ clientId, resource }: GrantSubject) =>
      clientId === subject.clientId && resource === subject.resource
    return this.list(subject).filter((grant) => isFor(grant) && grant.expiresAt > now)
  }

  list(user: Owner): GrantRecord[] {
    const living = this.where((grant) => isOwnedBy(grant, user) && grant.revokedAt === null)
    return living.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
  }

  forget(id: string): void {
    this.change((grant) => grant.id === id, { redirectHost: null })
  }

  revoke(id: string, now: number): boolean {
    const isLiving = (grant: GrantRecord) => grant.id === id && grant.revokedAt === null
    if (!this.change(isLiving, { revokedAt: now, expiresAt: now })) {
      return false
    }
    this.dependents.revokeUnder(id, now)
    return true
  }

  endWhere(user: Owner, matches: ContextMatch): void {
    this.list(user)
      .filter(({ context }) => context && matches(context))
      .forEach(({ id }) => this.revoke(id, Date.now()))
  }

  /** Whether codes and tokens under the grant may be used; without a grant they may. */
  allows(grantId: string | null): boolean {
    return grantId === null || this.find(grantId)?.revokedAt === null
  }

  revokeAll(owner: TokenOwner, now: number): void {
    const owned = this.where((grant) => belongsTo(grant, owner))
    owned.forEach(({ id }) => this.revoke(id, now))
  }

  /** Deletes expired grants, except those with codes or tokens under them. */
  purge(now: number, inUse: ReadonlySet<string | null>): void {
    this.deleteWhere(({ id, expiresAt }) => expiresAt <= now && !inUse.has(id))
  }
}

export function newGrant(code: AuthorizationCodeRecord, approval: Approval): GrantRecord {
  const { userId, provider, clientId, resource, scopes, createdAt } = code
  const { grantId: id, context, redirectHost, expiresAt } = approval
  return {
    ...{ id, userId, provider, clientId, resource, scopes, context, redirectHost, createdAt },
    ...{ lastUsedAt: null, expiresAt, revokedAt: null },
  }
}
