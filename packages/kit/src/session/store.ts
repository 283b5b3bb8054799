import type { DestroyedSession, OriginName, ProviderName } from '#auth/features'
import type { LoginOrigin } from '#auth/guards/guard'
import type { Users } from '#auth/users'
import { type Caller, UNKNOWN_CALLER } from '#http/device'
import type { MaybePromise } from '#process/maybe_promise'
import { hashSecret } from '#security/secrets'
import { isExpired, MemoryRecords } from '#database/records'
import { type SessionChanges, applyChanges } from '#session/session_changes'

export interface SessionLogin {
  /** A public name of the session: it gives no access, and stays when the id changes. */
  sid: string
  /** How the user proved who they are (RFC 8176); empty when that is not known. */
  methods: readonly string[]
  /** The place where the user signed in, if it was not here. */
  origin?: LoginOrigin
}

/** One session, as it is stored. Instants are epoch milliseconds. */
export interface SessionRecord {
  /** The signed-in user's id; null for a guest. */
  userId: string | null
  /** The guard that the user signed in with; null for a guest. */
  guard: string | null
  /** null for a guest, unless a sign-in at a provider waits for its next step, and for a session that is older than this member. */
  login: SessionLogin | null
  csrfToken: string
  data: Record<string, unknown>
  createdAt: number
  lastActivity: number
  /** The end of the session whatever its activity, fixed at creation. */
  expiresAt: number
}

/** A record, and its user where the store can read both in one statement. */
export interface FoundSession {
  record: SessionRecord
  /** null when the user does not exist, undefined when the store did not read it. */
  user?: unknown
}

/** A session in the list of its user: without its data, which is not read. */
export type ListedSession = Caller & { key: string } & Pick<
    SessionRecord,
    'login' | 'createdAt' | 'lastActivity' | 'expiresAt'
  >

/** By the `sid` of its login, which never changes, or by the key of a session without one. */
export type SessionName = { sid: string } | { key: string }

/** Selects sessions of a user: only the one of `only`, or all but that of `except`. */
export type WhichSessions = { only?: SessionName; except?: SessionName }

/** Stores sessions by a key, the hash of their id, and never sees the id. Methods may be sync or async. */
export interface SessionStore {
  /** Expired or not. @param users whose it most likely is, for a store that can read both at once */
  read(key: string, users?: Users): MaybePromise<FoundSession | null>
  /** @param caller where the session was started, and with what */
  create(key: string, record: SessionRecord, caller?: Caller): MaybePromise<void>
  /**
   * Applies changes to the data and sets `lastActivity`. Changes of concurrent requests all take effect.
   * @param caller where the activity came from; what was stored stays without one
   * @returns false when there is no such session (any more); nothing is written then
   */
  patch(
    key: string,
    changes: SessionChanges,
    lastActivity: number,
    caller?: Caller
  ): MaybePromise<boolean>
  /** Gives a session another key. @returns false when there is no such session (any more) */
  rename(key: string, newKey: string): MaybePromise<boolean>

  destroy(key: string): MaybePromise<boolean>
  /** The sessions of a user, expired or not, the latest activity first. */
  listFor(userId: string, guards: string[]): MaybePromise<ListedSession[]>
  /** Destroys every session of a user, or only one, or all except one. @returns how many there were */
  destroyFor(userId: string, guards: string[], which?: WhichSessions): MaybePromise<number>
  /**
   * Destroys what comes from a sign-in at a provider: of the subject, of the session there, or of both, where one that does
   * not know the session there counts, too; or all from a provider with this name. @returns whose they were
   */
  destroyFrom(origin: OriginName | ProviderName): Promise<DestroyedSession[]> | DestroyedSession[]
  /** Deletes what ends at `now` or before, or was last active at `idleSince` or before. It may leave some to the next run. */
  purge(now: number, idleSince: number | null): MaybePromise<number>
}

/** A session's id in plain text, known to its browser and this request only, and its record. */
export interface LiveSession extends FoundSession {
  id: string
}

export interface UserSession extends Omit<ListedSession, 'key'> {
  /** Stays when the id changes, and gives no access. */
  name: string
  isCurrent: boolean
}

export interface SessionTerm {
  /** Whether it outlives the usual lifetime. Default false. */
  remember?: boolean | undefined
  /** Epoch milliseconds. A session that began with a longer term does not end sooner for a new login. */
  atLeastUntil?: number
}

/** Ids are null for a guest, whose sign-in at a provider waits for its next step. */
export interface SessionOwner
  extends Pick<SessionRecord, 'userId' | 'guard'>, Partial<Omit<SessionLogin, 'sid'>> {}

export type SessionAbsence = 'unknown' | 'lapsed'

export function nameOf({ id, record }: LiveSession): SessionName {
  return record.login ? { sid: record.login.sid } : { key: hashSecret(id) }
}

/** Reads a name from outside; null for one that no session has. */
export function toName(name: string): SessionName | null {
  if (/^[\da-f]{64}$/.test(name)) {
    return { key: name }
  }
  return /^[A-Za-z\d]{1,64}$/.test(name) ? { sid: name } : null
}

/**
 * Writes under the key of a session, also when a request at the same time has given the session a new id.
 * @returns false when the session was destroyed meanwhile
 */
export async function writeUnderKey(
  store: SessionStore,
  { id, record }: LiveSession,
  write: (key: string) => MaybePromise<boolean>
): Promise<boolean> {
  const tried = new Set<string>()
  let key: string | undefined = hashSecret(id)
  while (key !== undefined && !tried.has(key)) {
    if (await write(key)) {
      return true
    }
    tried.add(key)
    key = await findKey(store, record)
  }
  return false
}

/** The key of a user's session, by the name that stays when its id changes. */
async function findKey(store: SessionStore, { userId, guard, login }: SessionRecord) {
  if (userId === null || guard === null || !login) {
    return undefined
  }
  const sessions = await store.listFor(userId, [guard])
  return sessions.find((session) => session.login?.sid === login.sid)?.key
}

type Row = { key: string; record: SessionRecord; caller: Caller }

/** Sessions in the memory of the process, for tests and demos. */
export class MemorySessionStore implements SessionStore {
  readonly #rows = new MemoryRecords<Row>(({ key }) => key)

  read(key: string): FoundSession | null {
    const row = this.#rows.find(key)
    return row && { record: structuredClone(row.record) }
  }

  create(key: string, record: SessionRecord, caller: Caller = UNKNOWN_CALLER) {
    this.#rows.insert({ key, record: structuredClone(record), caller })
  }

  patch(key: string, changes: SessionChanges, lastActivity: number, caller?: Caller) {
    const row = this.#rows.find(key)
    if (row) {
      const data = applyChanges(row.record.data, changes)
      const record = { ...row.record, data, lastActivity }
      this.#rows.insert({ key, record, caller: caller ?? row.caller })
    }
    return row !== null
  }

  rename(key: string, newKey: string) {
    const row = this.#rows.find(key)
    row && this.#rows.insert({ ...row, key: newKey })
    return this.destroy(key)
  }

  destroy(key: string) {
    return this.#rows.delete(key)
  }

  listFor(userId: string, guards: string[]): ListedSession[] {
    const rows = this.#rows.where(({ record }) => isOf(userId, guards, record))
    return rows
      .map(({ key, record: { login, createdAt, lastActivity, expiresAt }, caller }) => {
        return { key, login, createdAt, lastActivity, expiresAt, ...caller }
      })
      .sort((one, other) => other.lastActivity - one.lastActivity)
  }

  destroyFor(userId: string, guards: string[], { only, except }: WhichSessions = {}) {
    return this.#rows.deleteWhere(
      (row) =>
        isOf(userId, guards, row.record) &&
        (only === undefined || isNamed(only, row)) &&
        (except === undefined || !isNamed(except, row))
    ).length
  }

  destroyFrom(name: OriginName | ProviderName) {
    const destroyed = this.#rows.deleteWhere(({ record: { login } }) => isFrom(name, login?.origin))
    return destroyed.map(({ record: { userId, guard } }) => ({ userId, guard }))
  }

  purge(now: number, idleSince: number | null) {
    return this.#rows.deleteWhere(
      ({ record: { expiresAt, lastActivity } }) =>
        isExpired(expiresAt, now) || (idleSince !== null && lastActivity <= idleSince)
    ).length
  }
}

function isFrom(name: OriginName | ProviderName, origin: LoginOrigin | undefined) {
  if ('provider' in name) {
    return origin?.provider === name.provider
  }
  const { issuer, subject, sid, through = origin?.provider } = name
  return (
    origin?.issuer === issuer &&
    origin.provider === through &&
    (subject === null || origin.subject === subject) &&
    (sid === null || origin.sid === sid || (subject !== null && origin.sid === null))
  )
}

const isNamed = (name: SessionName, { key, record }: Row) =>
  'sid' in name ? record.login?.sid === name.sid : key === name.key

const isOf = (id: string, guards: string[], { userId, guard }: SessionRecord) =>
  userId === id && guard !== null && guards.includes(guard)
