import type { AuthorizationCodeRecord, TokenOwner, UserKey } from '#oauth2/tokens/token_store'
import {
  type Approval,
  type GrantContext,
  type GrantRecord,
  type GrantStore,
  type GrantSubject,
  approvedScopes,
  liveKey,
} from '#oauth2/user_grants/grant_store'

type Living = GrantRecord & { liveKey: string | null }

/** The codes and tokens that point to grants. */
interface Dependents {
  insertCode(code: AuthorizationCodeRecord): void
  revokeUnder(grantId: string, now: number): void
}

/** Grants that live in the process, beside the tokens of a MemoryTokenStore. */
export class MemoryGrantStore implements GrantStore {
  readonly #grants = new Map<string, Living>()
  readonly #dependents: Dependents

  constructor(dependents: Dependents) {
    this.#dependents = dependents
  }

  get size(): number {
    return this.#grants.size
  }

  all(): Iterable<GrantRecord> {
    return this.#grants.values()
  }

  approve(code: AuthorizationCodeRecord, approval: Approval): GrantRecord {
    const grant = this.#living(code, approval) ?? this.#create(code, approval)
    const { scopes, withdrawn } = approvedScopes(grant.scopes, code, approval)
    if (withdrawn) {
      this.#dependents.revokeUnder(grant.id, code.createdAt)
    }
    const { redirectHost, expiresAt } = approval
    Object.assign(grant, { scopes, redirectHost, expiresAt })
    this.#dependents.insertCode({ ...code, grantId: grant.id })
    return toRecord(grant)
  }

  reuse(code: AuthorizationCodeRecord, { id, scopes }: GrantRecord): boolean {
    const grant = this.#grants.get(id)
    if (!grant || grant.revokedAt !== null || grant.scopes.join(' ') !== scopes.join(' ')) {
      return false
    }
    this.#dependents.insertCode({ ...code, grantId: id })
    return true
  }

  find(id: string): GrantRecord | null {
    const grant = this.#grants.get(id)
    return grant ? toRecord(grant) : null
  }

  findLiving(subject: GrantSubject, now: number): GrantRecord[] {
    return this.list(subject).filter(
      ({ clientId, resource, expiresAt }) =>
        clientId === subject.clientId && resource === subject.resource && expiresAt > now
    )
  }

  list({ userId, provider }: UserKey): GrantRecord[] {
    return [...this.#grants.values()]
      .filter(
        (grant) =>
          grant.userId === userId && grant.provider === provider && grant.revokedAt === null
      )
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
      .map(toRecord)
  }

  recordUse(id: string, now: number, before: number): void {
    const grant = this.#grants.get(id)
    if (grant && (grant.lastUsedAt ?? -Infinity) <= before) {
      grant.lastUsedAt = now
    }
  }

  forget(id: string): void {
    const grant = this.#grants.get(id)
    if (grant) {
      grant.redirectHost = null
    }
  }

  revoke(id: string, now: number): boolean {
    const grant = this.#grants.get(id)
    if (!grant || grant.revokedAt !== null) {
      return false
    }
    Object.assign(grant, { revokedAt: now, expiresAt: now, liveKey: null })
    this.#dependents.revokeUnder(id, now)
    return true
  }

  endWhere(user: UserKey, matches: (context: GrantContext) => boolean): void {
    this.list(user)
      .filter(({ context }) => context && matches(context))
      .forEach(({ id }) => this.revoke(id, Date.now()))
  }

  /** Whether codes and tokens under the grant may be used; without a grant they may. */
  allows(grantId: string | null): boolean {
    return grantId === null || this.#grants.get(grantId)?.revokedAt === null
  }

  revokeAll(owner: TokenOwner, now: number): void {
    for (const grant of this.#grants.values()) {
      const owned =
        'clientId' in owner
          ? grant.clientId === owner.clientId
          : grant.userId === owner.userId && grant.provider === owner.provider
      if (owned) {
        this.revoke(grant.id, now)
      }
    }
  }

  /** Deletes expired grants, except those with codes or tokens under them. */
  purge(now: number, inUse: ReadonlySet<string | null>): void {
    for (const { id, expiresAt } of this.#grants.values()) {
      if (expiresAt <= now && !inUse.has(id)) {
        this.#grants.delete(id)
      }
    }
  }

  #living(code: AuthorizationCodeRecord, { context }: Approval): Living | undefined {
    const key = liveKey(code, context)
    return [...this.#grants.values()].find(
      (grant) => grant.liveKey === key && grant.expiresAt > code.createdAt
    )
  }

  #create(code: AuthorizationCodeRecord, approval: Approval): Living {
    const { userId, provider, clientId, resource, createdAt } = code
    const { grantId, context, redirectHost, expiresAt } = approval
    const grant: Living = {
      id: grantId,
      userId,
      provider,
      clientId,
      resource,
      scopes: code.scopes,
      context,
      redirectHost,
      createdAt,
      lastUsedAt: null,
      expiresAt,
      revokedAt: null,
      liveKey: liveKey(code, context),
    }
    this.#grants.set(grant.id, grant)
    return grant
  }
}

function toRecord({ liveKey: _liveKey, ...record }: Living): GrantRecord {
  return record
}
