import type { Logger } from '@adonisjs/core/logger'
import type { RedisConnection } from '@adonisjs/redis'
import type {} from '@adonisjs/redis/redis_provider'

import type { Call, Exchange } from '#mcp/protocol/call'
import type { RequestId } from '#mcp/protocol/json_rpc'
import { hearChannel } from '#mcp/subscriptions/signals'
import { hashSecret } from '#security/secrets'

/** The server ends the call: it took longer than `callTimeout`, or the server stops. The client may know. */
export class CallEnded extends Error {}

/** The client cancelled the call or disconnected: there is nobody to answer. */
export class CallCancelled extends Error {}

/** What can end a call before its handler: time, a cancellation, a disconnection, a server's stop. */
export class CallLimits {
  readonly #abort = new AbortController()
  /** For the handler: aborts when the call has ended. */
  readonly signal: AbortSignal = this.#abort.signal
  readonly #ended = Promise.withResolvers<never>()
  readonly #timer: NodeJS.Timeout
  readonly #exchange: AbortSignal
  readonly #unregister: () => void

  constructor(call: Call, timeout: number = call.config.callTimeout) {
    this.#ended.promise.catch(() => {})
    this.#exchange = call.signal()
    this.#timer = setTimeout(() => this.#end(new CallEnded('The call timed out')), timeout)
    this.#unregister = runningCalls.add(call, this)
    if (this.#exchange.aborted) {
      this.cancel()
    } else {
      this.#exchange.addEventListener('abort', this.cancel, { once: true })
    }
  }

  readonly cancel = (): void => this.#end(new CallCancelled())

  stop(): void {
    this.#end(new CallEnded('The server is stopping. Try again'))
  }

  /**
   * A handler that ignores the signal goes on, and its result is dropped.
   * @throws {CallEnded | CallCancelled} when the call ends before the work
   */
  race<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#ended.promise])
  }

  release(): void {
    clearTimeout(this.#timer)
    this.#exchange.removeEventListener('abort', this.cancel)
    this.#unregister()
  }

  #end(reason: CallEnded | CallCancelled): void {
    this.#ended.reject(reason)
    this.#abort.abort(reason)
  }
}

/**
 * The calls that this process is running. `notifications/cancelled` (2025-11-25, "Cancellation") arrives
 * in a request of its own, which another process may get. When processes share cancellations, that one
 * tells the others; else it has no effect. Revision 2026-07-28 cancels by closing the connection.
 */
export class RunningCalls {
  /** Each with its key; null for one that ends with its connection alone. */
  readonly #all = new Map<CallLimits, string | null>()
  /** Takes the key of a call to the other processes. */
  publish: (key: string) => void = () => {}

  add(call: Call, limits: CallLimits): () => void {
    this.#all.set(limits, call.era.name === 'legacy' ? keyOf(call, call.request.id) : null)
    return () => void this.#all.delete(limits)
  }

  cancel(exchange: Exchange, id: RequestId): void {
    const key = keyOf(exchange, id)
    if (key !== null && !this.cancelKey(key) && exchange.header('mcp-session-id')) {
      this.publish(key)
    }
  }

  /**
   * Two clients of one caller may use the same id: then it is unclear which call is meant.
   * @returns whether there is such a call here
   */
  cancelKey(key: string): boolean {
    const [first, ...twins] = [...this.#all].filter(([, one]) => one === key)
    twins.length === 0 && first?.[0].cancel()
    return first !== undefined
  }

  /** Ends every call that is still running after this time: the server takes no more requests. */
  stopAfter(milliseconds: number): void {
    setTimeout(() => this.#all.forEach((_, limits) => limits.stop()), milliseconds).unref()
  }
}

export const runningCalls = new RunningCalls()

/**
 * Request ids are small numbers, so the caller has to match. An anonymous caller is known by the
 * random session id that `initialize` gave it, and cannot cancel without.
 */
export function keyOf({ caller, definition, header }: Exchange, id: RequestId): string | null {
  const session = header('mcp-session-id')
  return caller || session
    ? hashSecret(JSON.stringify([definition.info.name, caller?.id ?? null, session ?? null, id]))
    : null
}

const CHANNEL = 'mcp:cancelled'

/**
 * Shares the keys of cancelled calls among the processes that use the same Redis. A message that it does
 * not deliver has no effect.
 */
export function shareByRedis(
  redis: Pick<RedisConnection, 'publish' | 'subscribe'>,
  calls: RunningCalls,
  logger: Pick<Logger, 'warn'>
): void {
  const lost = (error: unknown) =>
    logger.warn({ err: error }, 'MCP cancellations do not reach other processes')
  hearChannel(redis, CHANNEL, (key) => void calls.cancelKey(key), { lost })
  calls.publish = (key) => void redis.publish(CHANNEL, key).catch(lost)
}
