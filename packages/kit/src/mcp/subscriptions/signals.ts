import { randomUUID } from 'node:crypto'

import type { Logger } from '@adonisjs/core/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { RedisConnection } from '@adonisjs/redis'
import type {} from '@adonisjs/redis/redis_provider'

import { purging } from '#database/expired_rows'
import { selectRows } from '#database/raw_query'
import type { MaybePromise } from '#process/maybe_promise'
import { hashSecret } from '#security/secrets'

/** Tells those who wait for a topic, here or in another process, that something has happened to it. */
export class LocalSignals {
  protected readonly listeners = new Map<string, Set<() => void>>()

  async publish(topic: string): Promise<void> {
    this.deliver(topic)
  }

  /** Resolves, with what ends it, when the listener misses nothing that is published any more. */
  watch(topic: string, listener: () => void): MaybePromise<() => void> {
    const listeners = this.listeners.get(topic) ?? new Set()
    this.listeners.set(topic, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) {
        this.listeners.delete(topic)
        this.forget(topic)
      }
    }
  }

  close(): MaybePromise<void> {}

  protected deliver(topic: string): void {
    this.listeners.get(topic)?.forEach((listener) => listener())
  }

  protected forget(_topic: string): void {}
}

/** Milliseconds between two attempts to subscribe. */
const RETRY_DELAY = 1000

/**
 * Hears what processes publish on a channel of Redis. While Redis is away it asks again: once it has
 * subscribed, the client itself does so after every interruption.
 */
export function hearChannel(
  redis: Pick<RedisConnection, 'subscribe'>,
  channel: string,
  hear: (message: string) => void,
  told: { ready?: () => void; lost: (error: unknown) => void }
): void {
  redis.subscribe(channel, hear, {
    onSubscription: () => told.ready?.(),
    onError: (error) => {
      told.lost(error)
      setTimeout(() => hearChannel(redis, channel, hear, told), RETRY_DELAY).unref()
    },
  })
}

const CHANNEL = 'mcp:signals'

/** Signals among the processes that use the same Redis. What it does not deliver is lost. */
export class RedisSignals extends LocalSignals {
  #subscribed?: Promise<void>

  constructor(
    protected redis: Pick<RedisConnection, 'publish' | 'subscribe' | 'unsubscribe'>,
    protected logger: Pick<Logger, 'warn'>
  ) {
    super()
  }

  override async publish(topic: string): Promise<void> {
    try {
      await this.redis.publish(CHANNEL, topic)
    } catch (error) {
      this.logger.warn({ err: error }, 'An MCP update does not reach other processes')
      this.deliver(topic)
    }
  }

  override async watch(topic: string, listener: () => void): Promise<() => void> {
    await (this.#subscribed ??= this.#subscribe())
    return super.watch(topic, listener)
  }

  /** Without Redis there is nothing to leave, and the process ends as it should. */
  override async close(): Promise<void> {
    this.#subscribed && (await this.redis.unsubscribe(CHANNEL).catch(() => {}))
  }

  #subscribe(): Promise<void> {
    return new Promise((resolve) =>
      hearChannel(this.redis, CHANNEL, (topic) => this.deliver(topic), {
        ready: resolve,
        lost: (error) => {
          this.logger.warn({ err: error }, 'MCP updates of other processes do not arrive')
          resolve()
        },
      })
    )
  }
}

/** Milliseconds that a row is kept. Processes look more often by far. */
const KEPT = 3_600_000
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
  readonly purge = purging(() => this.client(), { table: 'mcp_signals', key: 'id' })
  /** The last version that this process has seen of each topic; null before the first. */
  readonly #seen = new Map<string, { topic: string; version: string | null }>()
  #timer?: NodeJS.Timeout

  /** @param interval milliseconds between two looks at the table, while somebody waits */
  constructor(
    protected client: () => QueryClientContract,
    protected logger: Pick<Logger, 'warn'>,
    protected interval: number = 1000
  ) {
    super()
  }

  override async publish(topic: string): Promise<void> {
    await selectRows(this.client(), PUBLISH, [hashSecret(topic), randomUUID(), Date.now() + KEPT])
    await this.#look()
  }

  override async watch(topic: string, listener: () => void): Promise<() => void> {
    const id = hashSecret(topic)
    if (!this.#seen.has(id)) {
      const [row] = await this.#versions([id])
      this.#seen.set(id, this.#seen.get(id) ?? { topic, version: row?.version ?? null })
    }
    this.#timer ??= this.#later()
    return super.watch(topic, listener)
  }

  override close(): void {
    clearTimeout(this.#timer)
    this.#seen.clear()
  }

  protected override forget(topic: string): void {
    this.#seen.delete(hashSecret(topic))
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => void this.#tick(), this.interval).unref()
  }

  async #tick(): Promise<void> {
    await this.#look().catch((error) => {
      this.logger.warn({ err: error }, 'MCP updates of other processes cannot be read')
    })
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
    const sql = `SELECT id, version FROM mcp_signals WHERE id IN (${ids.map(() => '?').join(', ')})`
    return selectRows(this.client(), sql, ids) as Promise<any[]>
  }
}
