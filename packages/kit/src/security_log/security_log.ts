import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type {
  LoggedEvent,
  SecurityEvent as NewEvent,
  SecurityEventLog,
} from '#auth/security_events'
import { type Owner, type Users, isOwnedBy } from '#auth/users'
import { callerOf } from '#http/device'
import type { MaybePromise } from '#process/maybe_promise'
import { SecurityEventSchema } from '#database/schema'
import { purging } from '#database/expired_rows'
import { modelOptions } from '#database/raw_query'

export interface SecurityLogRecord extends LoggedEvent {
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
  append(record: SecurityLogRecord): MaybePromise<void>
  /** The latest events of a user, the newest first. */
  latest(owner: Owner, limit: number, selection?: Selection): MaybePromise<SecurityLogRecord[]>
  /** The latest events about something, the newest first. */
  about(subject: string, limit: number): MaybePromise<SecurityLogRecord[]>
  has(owner: Owner, types: string[]): MaybePromise<boolean>
  forget(owner: Owner): MaybePromise<void>
  /** Deletes events from `until` and before, and returns how many. It may stop early and leave some to the next run. */
  purge(until: number): MaybePromise<number>
}

/** Security events in the memory of the process, for tests and demos. */
export class MemorySecurityLogStore implements SecurityLogStore {
  #records: SecurityLogRecord[] = []

  append(record: SecurityLogRecord) {
    this.#records.push(structuredClone(record))
  }

  latest(owner: Owner, limit: number, { offset = 0, only, except }: Selection = {}) {
    const matches = (record: SecurityLogRecord) =>
      isOwnedBy(record, owner) &&
      (!only || only.includes(record.type)) &&
      !except?.includes(record.type)
    return this.#newest(matches, offset + limit).slice(offset)
  }

  about(subject: string, limit: number) {
    return this.#newest(({ about }) => about === subject, limit)
  }

  #newest(matches: (record: SecurityLogRecord) => boolean, limit: number) {
    const newest = this.#records
      .filter(matches)
      .reverse()
      .sort((one, other) => other.createdAt - one.createdAt)
    return structuredClone(newest.slice(0, limit))
  }

  has(owner: Owner, types: string[]) {
    return this.#records.some((record) => isOwnedBy(record, owner) && types.includes(record.type))
  }

  forget(owner: Owner) {
    this.#records = this.#records.filter((record) => !isOwnedBy(record, owner))
  }

  purge(until: number) {
    const before = this.#records.length
    this.#records = this.#records.filter(({ createdAt }) => createdAt > until)
    return before - this.#records.length
  }
}

const NEWEST_FIRST = ['created_at', 'id'].map((column) => ({ column, order: 'desc' as const }))

class SecurityEvent extends SecurityEventSchema {}

/** Security events in the table `security_events`, through the Lucid model `SecurityEvent`. */
export class DatabaseSecurityLogStore implements SecurityLogStore {
  readonly purge = purging(() => this.client(), {
    table: 'security_events',
    key: 'id',
    column: 'created_at',
  })

  constructor(protected client: () => QueryClientContract) {}

  async append(record: SecurityLogRecord) {
    await SecurityEvent.create({ ...record }, modelOptions(this.client()))
  }

  async latest(owner: Owner, limit: number, { offset = 0, only, except }: Selection = {}) {
    const rows = await this.#of(owner)
      .if(only, (query) => query.whereIn('type', [...only!]))
      .if(except, (query) => query.whereNotIn('type', [...except!]))
      .orderBy(NEWEST_FIRST)
      .offset(offset)
      .limit(limit)
    return rows.map(toRecord)
  }

  async about(subject: string, limit: number) {
    const query = SecurityEvent.query({ client: this.client() }).where('about', subject)
    const rows = await query.orderBy(NEWEST_FIRST).limit(limit)
    return rows.map(toRecord)
  }

  async has(owner: Owner, types: string[]) {
    return (await this.#of(owner).whereIn('type', types).first()) !== null
  }

  async forget(owner: Owner) {
    await this.#of(owner).delete()
  }

  #of({ userId, provider }: Owner) {
    return SecurityEvent.query({ client: this.client() }).where({ userId, provider })
  }
}

function toRecord(row: SecurityEvent): SecurityLogRecord {
  const { userId, provider, type, details, createdAt, ipAddress, userAgent, about } = row
  return { userId, provider, type, details, createdAt, ipAddress, userAgent, about }
}

const DAY = 24 * 60 * 60 * 1000
const SIGN_INS = ['signed_in', 'new_device']

/** What has happened to the security of people's accounts: kept for them to see, for a limited time. */
export class SecurityLog implements SecurityEventLog {
  /** @param retention days that an event is kept */
  constructor(
    protected store: SecurityLogStore,
    protected retention: number
  ) {}

  async append({ type, details, user, users, ctx, about }: NewEvent): Promise<void> {
    if (type === 'account_deleted') {
      return
    }
    await this.store.append({
      ...users.ownerOf(user),
      ...callerOf(ctx),
      type,
      details: details as SecurityLogRecord['details'],
      createdAt: Date.now(),
      about: about ?? null,
    })
  }

  async about(subject: string, limit: number): Promise<SecurityLogRecord[]> {
    return this.store.about(subject, limit)
  }

  async latest(user: unknown, users: Users, limit: number, selection?: Selection) {
    return this.store.latest(users.ownerOf(user), limit, selection)
  }

  async hasSignIns(user: unknown, users: Users): Promise<boolean> {
    return this.store.has(users.ownerOf(user), SIGN_INS)
  }

  async forget(user: unknown, users: Users): Promise<void> {
    await this.store.forget(users.ownerOf(user))
  }

  async purge(): Promise<number> {
    return this.store.purge(Date.now() - this.retention * DAY)
  }
}
