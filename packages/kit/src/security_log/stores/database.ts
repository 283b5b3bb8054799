import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import SecurityEvent from '#security_log/models/security_event'
import type { Owner, SecurityLogRecord, SecurityLogStore, Selection } from '#security_log/types'
import { ExpiredRows } from '#database/expired_rows'
import { modelOptions } from '#database/model_client'

/** Security events in the table `security_events`, through the Lucid model `SecurityEvent`. */
export class DatabaseSecurityLogStore implements SecurityLogStore {
  readonly #expired = new ExpiredRows({
    table: 'security_events',
    key: 'id',
    column: 'created_at',
  })
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async append(record: SecurityLogRecord) {
    await SecurityEvent.create({ ...record }, modelOptions(this.#client()))
  }

  async latest(owner: Owner, limit: number, { offset = 0, only, except }: Selection = {}) {
    const rows = await this.#of(owner)
      .if(only, (query) => query.whereIn('type', [...only!]))
      .if(except, (query) => query.whereNotIn('type', [...except!]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .offset(offset)
      .limit(limit)
    return rows.map(toRecord)
  }

  async about(subject: string, limit: number) {
    const rows = await SecurityEvent.query({ client: this.#client() })
      .where('about', subject)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    return rows.map(toRecord)
  }

  async has(owner: Owner, types: string[]) {
    return (await this.#of(owner).whereIn('type', types).first()) !== null
  }

  async forget(owner: Owner) {
    await this.#of(owner).delete()
  }

  async purge(until: number) {
    return this.#expired.purge(this.#client(), until)
  }

  #of({ userId, provider }: Owner) {
    return SecurityEvent.query({ client: this.#client() }).where({ userId, provider })
  }
}

function toRecord(row: SecurityEvent): SecurityLogRecord {
  const { userId, provider, type, details, createdAt, ipAddress, userAgent, about } = row
  return { userId, provider, type, details, createdAt, ipAddress, userAgent, about }
}
