import { randomUUID } from 'node:crypto'

import type { Logger } from '@adonisjs/core/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { ExpiredRows } from '#database/expired_rows'
import { selectRows } from '#database/raw_query'
import { LocalSignals } from '#mcp/subscriptions/signals'
import { hashSecret } from '#security/secrets'

/** Milliseconds between two looks at the table, while somebody waits for something. */
const INTERVAL = 1000

/** Milliseconds that a row is kept. Processes look more often by far. */
const KEPT = 3_600_000

/** Topics of one statement. */
const CHUNK = 200

const PUBLISH = `
  INSERT INTO mcp_signals (id, version, expires_at) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, expires_at = excluded.expires_at
  RETURNING id`

/**
 * Signals through the table `mcp_signals`: a row for each topic, with a random version that is new at
 * every signal. A process compares the rows of its own topics, so no order of commits loses one.
 */
export class DatabaseSignals extends LocalSignals {
  readonly #expired = new ExpiredRows({ table: 'mcp_signals', key: 'id' })
  /** The last version that this process has seen of each topic; null before the first. */
  readonly #seen = new Map<string, { topic: string; version: string | null }>()
  #timer?: NodeJS.Timeout

  /** @param client gives the connection that the table is on */
  constructor(
    protected client: () => QueryClientContract,
    protected logger: Pick<Logger, 'warn'>,
    protected interval: number = INTERVAL
  ) {
    super()
  }

  override async publish(topic: string): Promise<void> {
    const bindings = [hashSecret(topic), randomUUID(), Date.now() + KEPT]
    await selectRows(this.client(), PUBLISH, bindings)
    await this.#look()
  }

  override async watch(topic: string, listener: () => void): Promise<() => void> {
    const id = hashSecret(topic)
    if (!this.#seen.has(id)) {
      const rows = await this.#versions([id])
      if (!this.#seen.has(id)) {
        this.#seen.set(id, { topic, version: rows[0]?.version ?? null })
      }
    }
    this.#timer ??= this.#later()
    return super.watch(topic, listener)
  }

  override close(): void {
    clearTimeout(this.#timer)
    this.#seen.clear()
  }

  purge(now: number): Promise<number> {
    return this.#expired.purge(this.client(), now)
  }

  protected override forget(topic: string): void {
    this.#seen.delete(hashSecret(topic))
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => void this.#tick(), this.interval).unref()
  }

  async #tick(): Promise<void> {
    try {
      await this.#look()
    } catch (error) {
      this.logger.warn({ err: error }, 'MCP updates of other processes cannot be read')
    }
    this.#timer = this.#seen.size > 0 ? this.#later() : undefined
  }

  async #look(): Promise<void> {
    const ids = [...this.#seen.keys()]
    for (let start = 0; start < ids.length; start += CHUNK) {
      for (const { id, version } of await this.#versions(ids.slice(start, start + CHUNK))) {
        const seen = this.#seen.get(id)
        if (seen && seen.version !== version) {
          seen.version = version
          this.deliver(seen.topic)
        }
      }
    }
  }

  #versions(ids: string[]): Promise<{ id: string; version: string }[]> {
    const places = ids.map(() => '?').join(', ')
    const sql = `SELECT id, version FROM mcp_signals WHERE id IN (${places})`
    return selectRows(this.client(), sql, ids) as Promise<any[]>
  }
}
