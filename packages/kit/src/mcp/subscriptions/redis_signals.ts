import type { Logger } from '@adonisjs/core/logger'
import type { RedisConnection } from '@adonisjs/redis'
import type {} from '@adonisjs/redis/redis_provider'

import { LocalSignals } from '#mcp/subscriptions/signals'

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

  override async close(): Promise<void> {
    if (this.#subscribed) {
      await this.redis.unsubscribe(CHANNEL)
    }
  }

  #subscribe(): Promise<void> {
    return new Promise((resolve) =>
      this.redis.subscribe(CHANNEL, (topic) => this.deliver(topic), {
        onSubscription: () => resolve(),
        onError: (error) => {
          this.logger.warn({ err: error }, 'MCP updates of other processes do not arrive')
          resolve()
        },
      })
    )
  }
}
