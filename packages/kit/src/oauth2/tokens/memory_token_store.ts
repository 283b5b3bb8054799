import type { ContextMatch } from '#auth/credential_contexts'
import { type Owner, isOwnedBy } from '#auth/users'
import {
  MemoryKeptRecords,
  MemoryRecords,
  MemoryUsedOnce,
  MemoryUsedRecords,
} from '#database/records'
import { MemoryDeviceStore } from '#oauth2/device/device_store'
import type { PushedRecord } from '#oauth2/par/pushed_requests'
import type { PendingRecord } from '#oauth2/pending/pending_authorizations'
import {
  type AccessTokenRecord,
  type AuthorizationCodeRecord,
  type Found,
  type IssuedRecords,
  type RefreshTokenRecord,
  type Replay,
  type TokenOwner,
  type TokenStore,
  familyOf,
} from '#oauth2/tokens/token_store'
import { belongsTo, MemoryGrantStore } from '#oauth2/user_grants/grant_store'

type Stored = AuthorizationCodeRecord | AccessTokenRecord | RefreshTokenRecord

/** Tokens that live in the process: for tests and demos. No method pauses, which makes it atomic. */
export class MemoryTokenStore implements TokenStore {
  readonly #codes = new MemoryRecords<AuthorizationCodeRecord>(({ id }) => id)
  readonly #access = new MemoryUsedRecords<AccessTokenRecord>(({ jti }) => jti)
  readonly #refresh = new MemoryRecords<RefreshTokenRecord>(({ id }) => id)
  readonly pending = new MemoryKeptRecords<PendingRecord>(({ handleHash }) => handleHash)
  readonly used = new MemoryUsedOnce()
  readonly devices = new MemoryDeviceStore()
  readonly pushed = new MemoryKeptRecords<PushedRecord>(({ uriHash }) => uriHash)
  readonly grants: MemoryGrantStore = new MemoryGrantStore(this)

  insertCode(code: AuthorizationCodeRecord) {
    this.#codes.insert(code)
  }

  findCode(codeHash: string) {
    return first(this.#codes.where((code) => code.codeHash === codeHash))
  }

  redeemCode(codeId: string, issued: IssuedRecords, now: number) {
    const code = this.#codes.find(codeId)
    const isOpen = code && code.redeemedAt === null && code.revokedAt === null
    if (!isOpen || !this.grants.allows(issued.access.grantId)) {
      return false
    }
    this.#codes.insert({ ...code, redeemedAt: now, accessTokenId: issued.access.jti })
    this.insertTokens(issued)
    return true
  }

  insertTokens({ access, refresh }: IssuedRecords) {
    this.#access.insert(access)
    if (refresh) {
      this.#refresh.insert(refresh)
    }
  }

  findAccessToken(jti: string): Found<AccessTokenRecord> | null {
    const record = this.#access.find(jti)
    return record && { record }
  }

  findRefreshToken(tokenHash: string) {
    return first(this.#refresh.where((token) => token.tokenHash === tokenHash))
  }

  findRefreshTokenOf(jti: string) {
    const [token = null] = this.#refresh.where(({ accessTokenId }) => accessTokenId === jti)
    return token
  }

  rotate(current: RefreshTokenRecord, issued: IssuedRecords, now: number, replay: Replay | null) {
    const token = this.#refresh.find(current.id)
    const isOpen = token && token.revokedAt === null && token.rotatedAt === null
    if (!isOpen || !this.grants.allows(token.grantId)) {
      return false
    }
    this.#refresh.insert({ ...token, rotatedAt: now, replay })
    this.insertTokens(issued)
    this.#revoke(now, (record) => 'jti' in record && record.jti === token.accessTokenId)
    return true
  }

  /** For the grant that ends. */
  revokeUnder(grantId: string, now: number) {
    this.#revoke(now, (record) => record.grantId === grantId)
  }

  revokeFamily(familyId: string, now: number) {
    const family = this.#refresh.where((token) => familyOf(token) === familyId)
    const members = new Set(family.flatMap(({ id, accessTokenId }) => [id, accessTokenId]))
    this.#revoke(now, (record) => members.has('jti' in record ? record.jti : record.id))
  }

  revokeAccessToken(jti: string, now: number) {
    this.#revoke(now, (record) => 'jti' in record && record.jti === jti)
    const refresh = this.findRefreshTokenOf(jti)
    if (refresh) {
      this.revokeFamily(familyOf(refresh), now)
    }
  }

  revokeAll(owner: TokenOwner, now: number) {
    this.grants.revokeAll(owner, now)
    this.#revoke(now, (record) => !isPersonal(record) && belongsTo(record, owner))
  }

  revokePersonal(user: Owner, now: number) {
    this.#revoke(now, (record) => isPersonal(record) && isOwnedBy(record, user))
  }

  endPersonalWhere(user: Owner, matches: ContextMatch) {
    this.#revoke(Date.now(), (record) => {
      const context = isPersonal(record) && isOwnedBy(record, user) ? record.context : null
      return context !== null && matches(context)
    })
  }

  listAccessTokens(user: Owner, { personal }: { personal: boolean }) {
    return this.#access
      .where((record) => isPersonal(record) === personal && isOwnedBy(record, user))
      .sort((a, b) => b.createdAt - a.createdAt || (a.jti < b.jti ? -1 : 1))
  }

  recordUse(jti: string, now: number, before: number): void {
    this.#access.recordUse(jti, now, before)
  }

  hasActiveFrom(until: number, now: number) {
    const isActive = ({ createdAt, expiresAt, revokedAt }: AccessTokenRecord) =>
      createdAt <= until && expiresAt > now && revokedAt === null
    return this.#access.where(isActive).length > 0
  }

  findClientsInUse(clientIds: string[]) {
    const used = new Set([...this.grants.where(), ...this.#all()].map(({ clientId }) => clientId))
    return clientIds.filter((id) => used.has(id))
  }

  purge(now: number, familiesBefore: number) {
    const before = this.#size
    this.#refresh.change(({ replay }) => replay !== null && replay.until <= now, { replay: null })
    const isMember = (token: RefreshTokenRecord) => familyOf(token) !== token.id
    const isOld = ({ expiresAt }: RefreshTokenRecord) => expiresAt <= familiesBefore
    this.#refresh.deleteWhere((token) => isOld(token) && isMember(token))
    const families = new Set(this.#refresh.where(isMember).map(familyOf))
    this.#refresh.deleteWhere((token) => isOld(token) && !families.has(token.id))

    const kept = this.#refresh.where()
    const chained = new Set<string | null>(kept.map(({ accessTokenId }) => accessTokenId))
    this.#access.deleteWhere((token) => token.expiresAt <= now && !chained.has(token.jti))
    this.#access.where().forEach(({ jti }) => chained.add(jti))
    this.#codes.deleteWhere((code) => code.expiresAt <= now && !chained.has(code.accessTokenId))
    this.devices.purge(now)
    this.grants.purge(now, new Set(this.#all().map(({ grantId }) => grantId)))
    const others = this.pending.purge(now) + this.pushed.purge(now) + this.used.purge(now)
    return before - this.#size + others
  }

  get #size() {
    return this.#all().length + this.grants.size + this.devices.size
  }

  #all(): Stored[] {
    return [...this.#codes.where(), ...this.#access.where(), ...this.#refresh.where()]
  }

  #revoke(now: number, matches: (record: Stored) => boolean) {
    const all: MemoryRecords<any>[] = [this.#codes, this.#access, this.#refresh]
    for (const records of all) {
      records.change((record) => record.revokedAt === null && matches(record), { revokedAt: now })
    }
  }
}

function isPersonal(record: Stored): record is AccessTokenRecord {
  return 'name' in record && record.name !== null
}

const first = <Record>([record]: Record[]): Found<Record> | null => (record ? { record } : null)
