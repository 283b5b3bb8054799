import {
  type DeviceDecision,
  type DeviceRecord,
  type DeviceStore,
  EXPIRED_KEPT,
  MAX_INTERVAL,
  POLL_TOLERANCE,
  SLOW_DOWN,
} from '#oauth2/device/device_store'

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
    for (const [deviceCodeHash, { expiresAt }] of this.#records) {
      if (expiresAt <= now - EXPIRED_KEPT) {
        this.#records.delete(deviceCodeHash)
      }
    }
  }
}
