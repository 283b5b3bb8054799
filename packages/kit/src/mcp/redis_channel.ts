import type { RedisConnection } from '@adonisjs/redis'
import type {} from '@adonisjs/redis/redis_provider'

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
