import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import { ErrorCode, McpError } from '#mcp/errors'
import type { Call } from '#mcp/protocol/call'
import { CallCancelled } from '#mcp/protocol/running_calls'
import { Server } from '#mcp/server'
import { LocalSignals, type Signals } from '#mcp/subscriptions/signals'
import { hashSecret } from '#security/secrets'

/** Open subscriptions of one caller, or of one session or address where nobody has signed in; and of the process. */
const LIMITS = { caller: 20, process: 1000 }

const updateOf = (uri: string) => `updated ${uri}`

interface Stream {
  subject: string
  /** What ends the subscription from outside, if something does. */
  end?: string
  /** The resources, and what is called when one has changed. It returns false when that cannot be sent now. */
  uris: readonly string[]
  updated(uri: string): boolean
}

/** The subscriptions that clients have open at this process. */
export class Subscriptions {
  readonly #open = new Map<Stream, () => void>()

  /** Set by McpProvider: how updates travel between processes. */
  signals: Signals = new LocalSignals()

  /** Milliseconds between two looks whether the access of a caller has ended. */
  recheck = 15_000

  /**
   * Holds a subscription open: until `end` is published, the server stops, or the access of the caller
   * has ended. What cannot be sent at once is sent when the client has read on.
   *
   * @param ready called when no update is missed any more
   * @throws {McpError} HTTP 429 when there are too many
   * @throws {CallCancelled} when the client has gone
   */
  async hold(call: Call, stream: Stream, ready: () => void): Promise<void> {
    this.#assertRoom(stream.subject)
    const ended = Promise.withResolvers<void>()
    const pending = new Set<string>()
    const stops: (() => void)[] = []
    this.#open.set(stream, ended.resolve)

    let isReady = false
    const flush = () =>
      isReady && pending.forEach((uri) => stream.updated(uri) && pending.delete(uri))
    const leave = () => ended.reject(new CallCancelled())
    const watch = setInterval(() => {
      flush()
      isStillAllowed(call).then((isAllowed) => !isAllowed && ended.resolve(), ended.reject)
    }, this.recheck).unref()
    call.signal.addEventListener('abort', leave, { once: true })
    ended.promise.catch(() => {})
    try {
      for (const uri of stream.uris) {
        const changed = () => {
          pending.add(uri)
          flush()
        }
        stops.push(await this.signals.watch(updateOf(uri), changed))
      }
      if (stream.end) {
        stops.push(await this.signals.watch(stream.end, ended.resolve))
      }
      ready()
      isReady = true
      flush()
      await (call.signal.aborted ? Promise.reject(new CallCancelled()) : ended.promise)
    } finally {
      clearInterval(watch)
      call.signal.removeEventListener('abort', leave)
      stops.forEach((stop) => stop())
      this.#open.delete(stream)
    }
  }

  get size(): number {
    return this.#open.size
  }

  /** Ends all of them: the server takes no more requests. */
  stop(): void {
    this.#open.forEach((stop) => stop())
  }

  #assertRoom(subject: string): void {
    const own = [...this.#open.keys()].filter((one) => one.subject === subject)
    if (own.length >= LIMITS.caller || this.#open.size >= LIMITS.process) {
      const message = 'Too many subscriptions are open'
      throw new McpError(ErrorCode.TooManyCalls, message, { httpStatus: 429 })
    }
  }
}

/** Who subscribes: the caller, or else the session or the address. */
export function subjectOf({ caller, ctx, header, definition }: Call): string {
  const who = caller?.id ?? header('mcp-session-id') ?? ctx.request.ip()
  return hashSecret(JSON.stringify([definition.info.name, caller !== null, who]))
}

/** A token may expire or be revoked while its stream is open. */
async function isStillAllowed({ ctx }: Call): Promise<boolean> {
  return ctx.authenticator?.isStillValid() ?? true
}

/**
 * Tells subscribed clients, whichever process they are connected to, that a resource has changed.
 *
 * @param uri of a resource whose class is `subscribable`
 * @param transaction the change is told when it is committed
 * @example
 * await resourceUpdated('blog://posts/latest', post.$trx)
 */
export async function resourceUpdated(
  uri: string,
  transaction?: TransactionClientContract
): Promise<void> {
  if (transaction) {
    transaction.after('commit', () => publish(uri))
  } else {
    await publish(uri)
  }
}

/** The change itself has succeeded, so a failure to tell of it is logged and not thrown. */
async function publish(uri: string): Promise<void> {
  try {
    await Server.manager?.subscriptions.signals.publish(updateOf(uri))
  } catch (error) {
    logger.warn({ err: error, uri }, 'Subscribed MCP clients are not told of an update')
  }
}
