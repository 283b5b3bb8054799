import { deleteExpired } from '#database/expiry'
import type { MaybePromise } from '#process/maybe_promise'
import type { Caller } from '#http/device'

/** A device that asks to be signed in (RFC 8628 §3.1). Instants are epoch milliseconds. */
export interface DeviceRecord extends Caller {
  /** SHA-256 of the device code, which the device alone knows. */
  deviceCodeHash: string
  /** SHA-256 of the user code, which the device shows. */
  userCodeHash: string
  clientId: string
  scopes: string[]
  resource: string | null
  /** Seconds that have to pass between two polls. */
  interval: number
  polledAt: number | null
  /** null until a person has decided. */
  decision: 'approved' | 'denied' | null
  /** Key of the authorization code that the approval has made; nobody knows that code itself. */
  codeHash: string | null
  createdAt: number
  expiresAt: number
}

/** What a person has decided. */
export type DeviceDecision = { approved: false } | { approved: true; codeHash: string }

/** Seconds by which the interval grows with every poll that comes too early (RFC 8628 §3.5). */
export const SLOW_DOWN = 5

/** Longest interval, in seconds. */
export const MAX_INTERVAL = 60

/** Milliseconds by which a poll may be early: networks delay one request more than the next. */
export const POLL_TOLERANCE = 1000

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

/** Devices that wait in the process. */
export class MemoryDeviceStore implements DeviceStore {
  readonly #records = new Map<string, DeviceRecord>()

  get size(): number {
    return this.#records.size
  }

  insert(record: DeviceRecord): boolean {
    if (this.findByUserCode(record.userCodeHash)) {
      return false
    }
    this.#records.set(record.deviceCodeHash, { ...record })
    return true
  }

  find(deviceCodeHash: string): DeviceRecord | null {
    const record = this.#records.get(deviceCodeHash)
    return record ? { ...record } : null
  }

  findByUserCode(userCodeHash: string): DeviceRecord | null {
    const record = [...this.#records.values()].find((one) => one.userCodeHash === userCodeHash)
    return record ? { ...record } : null
  }

  decide(deviceCodeHash: string, decision: DeviceDecision, now: number): boolean {
    const record = this.#records.get(deviceCodeHash)
    if (!record || record.decision !== null || record.expiresAt <= now) {
      return false
    }
    record.decision = decision.approved ? 'approved' : 'denied'
    record.codeHash = decision.approved ? decision.codeHash : null
    return true
  }

  poll(deviceCodeHash: string, now: number): boolean {
    const record = this.#records.get(deviceCodeHash)
    if (!record) {
      return false
    }
    const { polledAt, interval } = record
    const inTime = polledAt === null || polledAt + interval * 1000 <= now + POLL_TOLERANCE
    record.polledAt = now
    record.interval = inTime ? interval : Math.min(interval + SLOW_DOWN, MAX_INTERVAL)
    return inTime
  }

  purge(now: number): void {
    deleteExpired(this.#records, now - EXPIRED_KEPT)
  }
}
