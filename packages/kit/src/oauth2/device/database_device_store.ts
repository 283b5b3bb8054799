import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import {
  type DeviceDecision,
  type DeviceRecord,
  type DeviceStore,
  MAX_INTERVAL,
  POLL_TOLERANCE,
  SLOW_DOWN,
} from '#oauth2/device/device_store'
import type { Row } from '#database/direct_connection'
import { selectRows } from '#database/raw_query'
import { RowCodec } from '#database/row_codec'
import { insertion } from '#oauth2/tokens/statements'

const TABLE = 'oauth_device_authorizations'

const devices = new RowCodec<Omit<DeviceRecord, 'interval'>>({
  deviceCodeHash: 'text',
  userCodeHash: 'text',
  clientId: 'text',
  scopes: 'json',
  resource: 'text',
  ipAddress: 'text',
  userAgent: 'text',
  polledAt: 'number',
  decision: 'text',
  codeHash: 'text',
  createdAt: 'number',
  expiresAt: 'number',
})

const DECIDE = `
  UPDATE oauth_device_authorizations SET decision = ?, code_hash = ?
  WHERE device_code_hash = ? AND decision IS NULL AND expires_at > ? RETURNING 1 AS decided`

const POLL = `
  UPDATE oauth_device_authorizations SET polled_at = ?
  WHERE device_code_hash = ? AND (polled_at IS NULL OR polled_at + poll_interval * 1000 <= ?)
  RETURNING 1 AS polled`

const SLOW = `
  UPDATE oauth_device_authorizations
  SET polled_at = ?, poll_interval = CASE
    WHEN poll_interval + ${SLOW_DOWN} < ${MAX_INTERVAL} THEN poll_interval + ${SLOW_DOWN}
    ELSE ${MAX_INTERVAL} END
  WHERE device_code_hash = ? RETURNING 1 AS slowed`

/** Devices that wait in the table `oauth_device_authorizations`. */
export class DatabaseDeviceStore implements DeviceStore {
  constructor(protected client: () => QueryClientContract) {}

  insert({ interval, ...record }: DeviceRecord) {
    const row = { ...devices.write(record), poll_interval: interval }
    const unlessTaken = 'ON CONFLICT (user_code_hash) DO NOTHING'
    const { sql, bindings } = insertion(TABLE, row, undefined, unlessTaken)
    return this.#changes(sql, bindings)
  }

  find(deviceCodeHash: string) {
    return this.#findBy('device_code_hash', deviceCodeHash)
  }

  findByUserCode(userCodeHash: string) {
    return this.#findBy('user_code_hash', userCodeHash)
  }

  decide(deviceCodeHash: string, decision: DeviceDecision, now: number) {
    const [word, codeHash] = decision.approved ? ['approved', decision.codeHash] : ['denied', null]
    return this.#changes(DECIDE, [word, codeHash, deviceCodeHash, now])
  }

  async poll(deviceCodeHash: string, now: number) {
    const inTime = await this.#changes(POLL, [now, deviceCodeHash, now + POLL_TOLERANCE])
    if (!inTime) {
      await this.#changes(SLOW, [now, deviceCodeHash])
    }
    return inTime
  }

  async #findBy(column: string, value: string): Promise<DeviceRecord | null> {
    const [row] = await selectRows(
      this.client(),
      `SELECT * FROM oauth_device_authorizations WHERE ${column} = ?`,
      [value]
    )
    return row ? toDevice(row) : null
  }

  async #changes(sql: string, bindings: unknown[]): Promise<boolean> {
    const rows = await selectRows(this.client(), sql, bindings)
    return rows.length > 0
  }
}

function toDevice(row: Row): DeviceRecord {
  return { ...devices.read(row), interval: Number(row.poll_interval) }
}
