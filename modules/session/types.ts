import type { Users } from '#auth/users'

/** One session, as the stores keep it. Instants are epoch milliseconds. */
export interface SessionRecord {
  /** The signed-in user's id; null for a guest. */
  userId: string | null
  /** The guard that the user signed in with; null for a guest. */
  guard: string | null
  csrfToken: string
  data: Record<string, unknown>
  createdAt: number
  lastActivity: number
  /** The absolute end, fixed at creation. */
  expiresAt: number
}

/** A record, with its user where the store could read both at once. */
export interface FoundSession {
  record: SessionRecord
  /** undefined when the store did not look. */
  user?: unknown
}

/** Changes to a session's data: each entry is a path of keys, and the new value or nothing to remove it. */
export type SessionChanges = { path: string[]; value?: unknown }[]

/**
 * Where sessions live (spec 1, Stores). A store knows sessions by a key, the
 * hash of their id, and never sees the id. Methods may be sync or async.
 */
export interface SessionStore {
  /**
   * The session with this key, expired or not.
   *
   * @param users whose users the session most likely belongs to, so that a store can read both at once
   */
  read(key: string, users?: Users): Promise<FoundSession | null> | FoundSession | null

  create(key: string, record: SessionRecord): Promise<void> | void

  /**
   * Applies changes to the data as it is now, and sets `lastActivity`. Changes
   * of concurrent requests all take effect.
   *
   * @returns false when there is no such session (any more); nothing is written then
   */
  patch(key: string, changes: SessionChanges, lastActivity: number): Promise<boolean> | boolean

  /**
   * Gives a session another key.
   *
   * @returns false when there is no such session (any more)
   */
  rename(key: string, newKey: string): Promise<boolean> | boolean

  /** @returns whether there was such a session */
  destroy(key: string): Promise<boolean> | boolean

  /**
   * Destroys every session of a user.
   *
   * @returns how many there were
   */
  destroyFor(userId: string, guards: string[]): Promise<number> | number

  /**
   * Deletes what has expired: `expiresAt` at or before `now`, or `lastActivity`
   * at or before `idleSince`.
   *
   * @returns how many there were
   */
  purge(now: number, idleSince: number | null): Promise<number> | number
}
