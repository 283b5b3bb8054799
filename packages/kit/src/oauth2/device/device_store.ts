import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'

import { isExpired, MemoryRecords } from '#database/records'
import { insertion, type Query, selectRows } from '#database/raw_query'
import { RowCodec, kindsOf } from '#database/raw_rows'
import { OauthDeviceAuthorizationSchema } from '#database/schema'
import type { MaybePromise } from '#process/maybe_promise'

/** A device that asks to be signed in (RFC 8628 §3.1). Instants are epoch milliseconds. */
export type DeviceRecord = Stored & {
  /** Seconds that have to pass between two polls. */
  interval: number
  /** null until a person has decided. */
  decision: 'approved' | 'denied' | null
}

/** The device alone knows its code, and shows the user code; nobody knows the code that an approval has made. */
type Stored = Omit<ModelAttributes<OauthDeviceAuthorizationSchema>, 'pollInterval' | 'decision'>

export type DeviceDecision = { approved: false } | { approved: true; codeHash: string }

/** Seconds by which the interval grows with every poll that comes too early (RFC 8628 §3.5). */
const SLOW_DOWN = 5

/** Seconds up to which the interval grows; one that the settings make longer stays. */
const MAX_INTERVAL = 60

/** Milliseconds by which a poll may be early: networks delay one request more than the next. */
const POLL_TOLERANCE = 1000

/** How long an expired request is kept, so that its device is told why, in milliseconds. */
export const EXPIRED_KEPT = 600_000

/** Where devices wait for a person's decision. Methods may be sync or async, and are atomic. */
export interface DeviceStore {
  /** Inserts a request; false when another one has its user code. */
  insert(record: DeviceRecord): MaybePromise<boolean>
  find(deviceCodeHash: string): MaybePromise<DeviceRecord | null>
  findByUserCode(userCodeHash: string): MaybePromise<DeviceRecord | null>
  /** Records the first decision about a request that has not expired; false for every other one. */
  decide(deviceCodeHash: string, decision: DeviceDecision, now: number): MaybePromise<boolean>
  /** Records a poll; false when it came too early, which makes the interval longer. */
  poll(deviceCodeHash: string, now: number): MaybePromise<boolean>
}

export class MemoryDeviceStore extends MemoryRecords<DeviceRecord> implements DeviceStore {
  constructor() {
    super(({ deviceCodeHash }) => deviceCodeHash)
  }

  override insert(record: DeviceRecord) {
    const isFree = this.findByUserCode(record.userCodeHash) === null
    isFree && super.insert(record)
    return isFree
  }

  findByUserCode(userCodeHash: string) {
    const [record = null] = this.where((one) => one.userCodeHash === userCodeHash)
    return record
  }

  decide(deviceCodeHash: string, decision: DeviceDecision, now: number) {
    const isOpen = (one: DeviceRecord) =>
      one.deviceCodeHash === deviceCodeHash && one.decision === null && one.expiresAt > now
    const decided = decision.approved
      ? { decision: 'approved' as const, codeHash: decision.codeHash }
      : { decision: 'denied' as const }
    return this.change(isOpen, decided) > 0
  }

  poll(deviceCodeHash: string, now: number) {
    const record = this.find(deviceCodeHash)
    if (!record) {
      return false
    }
    const { polledAt, interval } = record
    const inTime = polledAt === null || polledAt + interval * 1000 <= now + POLL_TOLERANCE
    const slower = Math.max(interval, Math.min(interval + SLOW_DOWN, MAX_INTERVAL))
    super.insert({ ...record, polledAt: now, interval: inTime ? interval : slower })
    return inTime
  }

  purge(now: number): void {
    this.deleteWhere(({ expiresAt }) => isExpired(expiresAt, now - EXPIRED_KEPT))
  }
}

const TABLE = 'oauth_device_authorizations'

const devices = new RowCodec<Omit<DeviceRecord, 'interval'>>(
  kindsOf(OauthDeviceAuthorizationSchema, ['pollInterval'])
)

/** The first decision about a request that has not expired; it changes no row for every other one. */
export function decisionOf(deviceCodeHash: string, decision: DeviceDecision, now: number): Query {
  const [word, codeHash] = decision.approved ? ['approved', decision.codeHash] : ['denied', null]
  const sql = `UPDATE ${TABLE} SET decision = ?, code_hash = ?
    WHERE device_code_hash = ? AND decision IS NULL AND expires_at > ? RETURNING 1 AS decided`
  return { sql, bindings: [word, codeHash, deviceCodeHash, now] }
}

const POLL = `
  UPDATE ${TABLE} SET polled_at = ?
  WHERE device_code_hash = ? AND (polled_at IS NULL OR polled_at + poll_interval * 1000 <= ?)
  RETURNING 1 AS polled`

const SLOW = `
  UPDATE ${TABLE} SET polled_at = ?, poll_interval = CASE
    WHEN poll_interval + ${SLOW_DOWN} < ${MAX_INTERVAL} THEN poll_interval + ${SLOW_DOWN}
    WHEN poll_interval < ${MAX_INTERVAL} THEN ${MAX_INTERVAL} ELSE poll_interval END
  WHERE device_code_hash = ? RETURNING 1 AS slowed`

export class DatabaseDeviceStore implements DeviceStore {
  constructor(protected client: () => QueryClientContract) {}

  insert({ interval, ...record }: DeviceRecord) {
    const row = { ...devices.write(record), poll_interval: interval }
    const conflict = 'ON CONFLICT (user_code_hash) DO NOTHING'
    return this.#changes(insertion(TABLE, row, { conflict }))
  }

  find(deviceCodeHash: string) {
    return this.#findBy('device_code_hash', deviceCodeHash)
  }

  findByUserCode(userCodeHash: string) {
    return this.#findBy('user_code_hash', userCodeHash)
  }

  decide(deviceCodeHash: string, decision: DeviceDecision, now: number) {
    return this.#changes(decisionOf(deviceCodeHash, decision, now))
  }

  async poll(deviceCodeHash: string, now: number) {
    const bindings = [now, deviceCodeHash, now + POLL_TOLERANCE]
    const inTime = await this.#changes({ sql: POLL, bindings })
    if (!inTime) {
      await this.#changes({ sql: SLOW, bindings: [now, deviceCodeHash] })
    }
    return inTime
  }

  async #findBy(column: string, value: string): Promise<DeviceRecord | null> {
    const sql = `SELECT * FROM ${TABLE} WHERE ${column} = ?`
    const [row] = await selectRows(this.client(), sql, [value])
    return row ? { ...devices.read(row), interval: Number(row.poll_interval) } : null
  }

  async #changes({ sql, bindings }: Query): Promise<boolean> {
    const rows = await selectRows(this.client(), sql, bindings)
    return rows.length > 0
  }
}
