import type { Logger } from '@adonisjs/core/logger'
import type { RedisConnection } from '@adonisjs/redis'
import type {} from '@adonisjs/redis/redis_provider'

import type { RunningCalls, SharedCancellations } from '#mcp/protocol/running_calls'

/** Keys are digests that name the server, the caller, the session and the request. */
const CHANNEL = 'mcp:cancelled'

/** The part of a connection of `config/redis.ts` that cancellations need. */
export type CancellationChannel = Pick<RedisConnection, 'publish' | 'subscribe' | 'unsubscribe'>

/**
 * Shares cancellations among the processes that use the same Redis: `notifications/cancelled` stops
 * a call whichever process runs it. A message that Redis does not deliver has no effect.
 */
export function shareByRedis(
  redis: CancellationChannel,
  calls: RunningCalls,
  logger: Pick<Logger, 'warn'>
): SharedCancellations {
  const lost = (error: unknown) =>
    logger.warn({ err: error }, 'MCP cancellations do not reach other processes')
  redis.subscribe(CHANNEL, (key) => void calls.cancelKey(key), {
    onSubscription: () => {},
    onError: lost,
  })
  const shared = { publish: (key: string) => void redis.publish(CHANNEL, key).catch(lost) }
  calls.share(shared)
  return shared
}
