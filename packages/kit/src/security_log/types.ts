import type { SecurityEventDetails } from '#auth/security_events'
import type { Caller } from '#http/device'

/** Whose events: the id of a user and the name of their user provider. */
export interface Owner {
  userId: string
  provider: string
}

/** One event, as it is stored. */
export interface SecurityLogRecord extends Owner, Caller {
  type: string
  details: SecurityEventDetails
  /** Epoch milliseconds. */
  createdAt: number
  /** What else the event is about; null for nothing. */
  about: string | null
}

/** Which events of a user. Default: all. */
export interface Selection {
  /** How many of the newest are left out. */
  offset?: number
  only?: readonly string[]
  except?: readonly string[]
}

/** Where security events are stored. Methods may be sync or async. */
export interface SecurityLogStore {
  append(record: SecurityLogRecord): Promise<void> | void

  /** The latest events of a user, the newest first. */
  latest(
    owner: Owner,
    limit: number,
    selection?: Selection
  ): Promise<SecurityLogRecord[]> | SecurityLogRecord[]

  /** The latest events about something, the newest first. */
  about(subject: string, limit: number): Promise<SecurityLogRecord[]> | SecurityLogRecord[]

  /** Whether there is an event of one of these types. */
  has(owner: Owner, types: string[]): Promise<boolean> | boolean

  /** Deletes all events of a user. */
  forget(owner: Owner): Promise<void> | void

  /** Deletes events from `until` and before, and returns how many. It may stop early and leave some to the next run. */
  purge(until: number): Promise<number> | number
}
