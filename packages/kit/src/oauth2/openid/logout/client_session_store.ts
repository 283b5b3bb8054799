import type { UserKey } from '#oauth2/tokens/token_store'
import type { MaybePromise } from '#process/maybe_promise'

/** A client that wants to hear of the end of a session. Instants are epoch milliseconds. */
export interface ClientSessionRecord extends UserKey {
  /** The session, as ID tokens name it. */
  sid: string
  clientId: string
  /** The user, as the client knows them. */
  subject: string
  /** The absolute end of the session. */
  expiresAt: number
  /** Logout tokens that were sent. */
  attempts: number
  /** When the next one is sent; null while the session lives. */
  dueAt: number | null
}

/** Where it is kept which clients hear of the end of which sessions. Methods may be sync or async, and are atomic. */
export interface ClientSessionStore {
  /** Inserts a record, unless the client hears of this session already. */
  remember(record: ClientSessionRecord): MaybePromise<void>

  /** The records of living sessions of the users with this id, whatever their user provider. */
  findLiving(userId: string): MaybePromise<ClientSessionRecord[]>

  /** Makes the records of sessions due, unless they are. */
  end(sids: string[], now: number): MaybePromise<void>

  /** Makes the records of sessions due whose absolute end is at or before an instant. */
  endExpired(now: number): MaybePromise<void>

  /** Records that are due at an instant, the oldest first. */
  findDue(now: number, limit: number): MaybePromise<ClientSessionRecord[]>

  /** Counts an attempt and puts the next one off; false when another process has. */
  claim(record: ClientSessionRecord, nextAt: number): MaybePromise<boolean>

  delete(record: ClientSessionRecord): MaybePromise<void>
}
