import {
  type AccessTokenRecord,
  type AuthorizationCodeRecord,
  type Found,
  type IssuedRecords,
  type RefreshTokenRecord,
  type Replay,
  type TokenOwner,
  type TokenStore,
  type UserKey,
  familyOf,
} from '#oauth2/tokens/token_store'
import { MemoryKeptRecords } from '#database/kept_records'
import { MemoryUsedOnce } from '#database/used_once'
import { MemoryDeviceStore } from '#oauth2/device/memory_device_store'
import type { PushedRecord } from '#oauth2/par/pushed_record'
import type { PendingRecord } from '#oauth2/pending/pending_record'
import type { GrantContext } from '#oauth2/user_grants/grant_store'
import { MemoryGrantStore } from '#oauth2/user_grants/memory_grant_store'

/**
 * Tokens that live in the process: for tests and single-process demos. Each
 * method runs to its end without a pause, which makes it atomic.
 */
export class MemoryTokenStore implements TokenStore {
  readonly #codes = new Map<string, AuthorizationCodeRecord>()
  readonly #access = new Map<string, AccessTokenRecord>()
  readonly #refresh = new Map<string, RefreshTokenRecord>()
  readonly pending = new MemoryKeptRecords<PendingRecord>('handleHash')
  readonly used = new MemoryUsedOnce()
  readonly devices = new MemoryDeviceStore()
  readonly pushed = new MemoryKeptRecords<PushedRecord>('uriHash')
  readonly grants = new MemoryGrantStore({
    insertCode: (code) => this.insertCode(code),
    revokeUnder: (grantId, now) => this.#revokeUnder(grantId, now),
  })

  insertCode(code: AuthorizationCodeRecord) {
    this.#codes.set(code.id, { ...code })
  }

  findCode(codeHash: string) {
    return find(this.#codes, (code) => code.codeHash === codeHash)
  }

  redeemCode(codeId: string, issued: IssuedRecords, now: number) {
    const code = this.#codes.get(codeId)
    if (!code || code.redeemedAt !== null || code.revokedAt !== null) {
      return false
    }
    if (!this.grants.allows(issued.access.grantId)) {
      return false
    }
    code.redeemedAt = now
    code.accessTokenId = issued.access.jti
    this.insertTokens(issued)
    return true
  }

  insertTokens({ access, refresh }: IssuedRecords) {
    this.#access.set(access.jti, { ...access })
    if (refresh) {
      this.#refresh.set(refresh.id, { ...refresh })
    }
  }

  findAccessToken(jti: string): Found<AccessTokenRecord> | null {
    const record = this.#access.get(jti)
    return record ? { record: { ...record } } : null
  }

  findRefreshToken(tokenHash: string) {
    return find(this.#refresh, (token) => token.tokenHash === tokenHash)
  }

  findRefreshTokenOf(jti: string) {
    return find(this.#refresh, (token) => token.accessTokenId === jti)?.record ?? null
  }

  rotate(current: RefreshTokenRecord, issued: IssuedRecords, now: number, replay: Replay | null) {
    const token = this.#refresh.get(current.id)
    if (!token || token.revokedAt !== null || token.rotatedAt !== null) {
      return false
    }
    if (!this.grants.allows(token.grantId)) {
      return false
    }
    token.rotatedAt = now
    token.replay = replay
    this.insertTokens(issued)
    this.#revoke(this.#access.get(token.accessTokenId), now)
    return true
  }

  revokeFamily(familyId: string, now: number) {
    for (const token of this.#refresh.values()) {
      if (familyOf(token) === familyId) {
        this.#revoke(token, now)
        this.#revoke(this.#access.get(token.accessTokenId), now)
      }
    }
  }

  revokeAccessToken(jti: string, now: number) {
    this.#revoke(this.#access.get(jti), now)
    const refresh = this.findRefreshTokenOf(jti)
    if (refresh) {
      this.revokeFamily(familyOf(refresh), now)
    }
  }

  revokeAll(owner: TokenOwner, now: number) {
    this.grants.revokeAll(owner, now)
    for (const record of [...this.#codes.values(), ...this.#refresh.values()]) {
      if (belongsTo(record, owner)) {
        this.#revoke(record, now)
      }
    }
    for (const record of this.#access.values()) {
      if (record.name === null && belongsTo(record, owner)) {
        this.#revoke(record, now)
      }
    }
  }

  revokePersonal(user: UserKey, now: number) {
    for (const record of this.#access.values()) {
      if (record.name !== null && belongsTo(record, user)) {
        this.#revoke(record, now)
      }
    }
  }

  endPersonalWhere(user: UserKey, matches: (context: GrantContext) => boolean) {
    this.listAccessTokens(user, { personal: true })
      .filter(({ context }) => context && matches(context))
      .forEach(({ jti }) => this.#revoke(this.#access.get(jti), Date.now()))
  }

  listAccessTokens(user: UserKey, { personal }: { personal: boolean }) {
    return [...this.#access.values()]
      .filter((record) => (record.name !== null) === personal && belongsTo(record, user))
      .map((record) => ({ ...record }))
      .sort((a, b) => b.createdAt - a.createdAt || (a.jti < b.jti ? -1 : 1))
  }

  recordUse(jti: string, now: number, before: number) {
    const record = this.#access.get(jti)
    if (record && (record.lastUsedAt ?? -Infinity) <= before) {
      record.lastUsedAt = now
    }
  }

  hasActiveFrom(until: number, now: number) {
    return [...this.#access.values()].some(
      ({ createdAt, expiresAt, revokedAt }) =>
        createdAt <= until && expiresAt > now && revokedAt === null
    )
  }

  findClientsInUse(clientIds: string[]) {
    const records: Pick<Owned, 'clientId'>[] = [
      ...this.grants.all(),
      ...this.#codes.values(),
      ...this.#access.values(),
      ...this.#refresh.values(),
    ]
    return clientIds.filter((id) => records.some(({ clientId }) => clientId === id))
  }

  purge(now: number, familiesBefore: number) {
    const before = this.#size
    for (const token of this.#refresh.values()) {
      if (token.replay !== null && token.replay.until <= now) {
        token.replay = null
      }
    }
    const isLock = (token: RefreshTokenRecord) => familyOf(token) === token.id
    deleteWhere(this.#refresh, (token) => token.expiresAt <= familiesBefore && !isLock(token))

    const families = new Set<string>()
    for (const token of this.#refresh.values()) {
      if (!isLock(token)) {
        families.add(familyOf(token))
      }
    }
    deleteWhere(
      this.#refresh,
      (token) => token.expiresAt <= familiesBefore && isLock(token) && !families.has(token.id)
    )

    const chained = new Set([...this.#refresh.values()].map((token) => token.accessTokenId))
    deleteWhere(this.#access, ({ jti, expiresAt }) => expiresAt <= now && !chained.has(jti))
    deleteWhere(this.#codes, ({ accessTokenId, expiresAt }) => {
      const led = accessTokenId !== null
      return (
        expiresAt <= now &&
        !(led && (chained.has(accessTokenId) || this.#access.has(accessTokenId)))
      )
    })
    this.devices.purge(now)
    const underGrants = [this.#codes, this.#access, this.#refresh].flatMap((records) =>
      [...records.values()].map(({ grantId }) => grantId)
    )
    this.grants.purge(now, new Set(underGrants))
    const others = this.pending.purge(now) + this.pushed.purge(now) + this.used.purge(now)
    return before - this.#size + others
  }

  get #size() {
    return (
      this.#codes.size +
      this.#access.size +
      this.#refresh.size +
      this.grants.size +
      this.devices.size
    )
  }

  #revokeUnder(grantId: string, now: number) {
    for (const records of [this.#codes, this.#access, this.#refresh]) {
      for (const record of records.values()) {
        if (record.grantId === grantId) {
          this.#revoke(record, now)
        }
      }
    }
  }

  #revoke(record: { revokedAt: number | null } | undefined, now: number) {
    if (record) {
      record.revokedAt ??= now
    }
  }
}

type Owned = { userId: string | null; provider: string | null; clientId: string | null }

function belongsTo(record: Owned, owner: TokenOwner) {
  return 'clientId' in owner
    ? record.clientId === owner.clientId
    : record.userId === owner.userId && record.provider === owner.provider
}

function find<Record extends object>(
  records: Map<string, Record>,
  matches: (record: Record) => boolean
): Found<Record> | null {
  for (const record of records.values()) {
    if (matches(record)) {
      return { record: { ...record } }
    }
  }
  return null
}

function deleteWhere<Record>(records: Map<string, Record>, matches: (record: Record) => boolean) {
  for (const [key, record] of records) {
    if (matches(record)) {
      records.delete(key)
    }
  }
}
