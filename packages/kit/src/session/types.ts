import type { DestroyedSession, OriginName, ProviderName } from '#auth/features'
import type { LoginOrigin } from '#auth/guards/guard'
import type { Users } from '#auth/users'
import type { Caller } from '#http/device'
import type { MaybePromise } from '#process/maybe_promise'
import { hashSecret } from '#security/secrets'

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

/** Changes to a session's data. Each entry has a path of keys and the new value; without a value the key is removed. */
export type SessionChanges = { path: string[]; value?: unknown }[]

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
