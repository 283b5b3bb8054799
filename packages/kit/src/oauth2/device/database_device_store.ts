import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import {
  type DeviceDecision,
  type DeviceRecord,
  type DeviceStore,
  MAX_INTERVAL,
  POLL_TOLERANCE,
  SLOW_DOWN,
} from '#oauth2/device/device_store'
import { selectRows } from '#database/raw_query'

const INSERT = `
  INSERT INTO oauth_device_authorizations (
    device_code_hash, user_code_hash, client_id, scopes, resource, ip_address, user_agent,
    poll_interval, polled_at, decision, code_hash, created_at, expires_at
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (user_code_hash) DO NOTHING RETURNING 1 AS inserted`

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
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  insert(record: DeviceRecord) {
    return this.#changes(INSERT, [
      record.deviceCodeHash,
      record.userCodeHash,
      record.clientId,
      JSON.stringify(record.scopes),
      record.resource,
      record.ipAddress,
      record.userAgent,
      record.interval,
      record.polledAt,
      record.decision,
      record.codeHash,
      record.createdAt,
      record.expiresAt,
    ])
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
      this.#client(),
      `SELECT * FROM oauth_device_authorizations WHERE ${column} = ?`,
      [value]
    )
    return row ? toDevice(row) : null
  }

  async #changes(sql: string, bindings: unknown[]): Promise<boolean> {
    const rows = await selectRows(this.#client(), sql, bindings)
    return rows.length > 0
  }
}

/** PostgreSQL hands a bigint over as text. */
function toDevice(row: Record<string, any>): DeviceRecord {
  return {
    deviceCodeHash: row.device_code_hash,
    userCodeHash: row.user_code_hash,
    clientId: row.client_id,
    scopes: JSON.parse(row.scopes),
    resource: row.resource,
    ipAddress: row.ip_address,
    userAgent: row.user_agent,
    interval: Number(row.poll_interval),
    polledAt: row.polled_at === null ? null : Number(row.polled_at),
    decision: row.decision,
    codeHash: row.code_hash,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }
}
