import type { HttpContext } from '@adonisjs/core/http'
import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import { ErrorCode, McpError } from '#mcp/errors'
import type { Call } from '#mcp/protocol/call'
import { CallCancelled } from '#mcp/protocol/running_calls'
import { Server } from '#mcp/server'
import { LocalSignals, type Signals } from '#mcp/subscriptions/signals'
import { hashSecret } from '#security/secrets'

/**
 * Open subscriptions of one caller, or of one session or address where nobody has signed in; of all who
 * have not signed in, because anybody makes up sessions; and of the process.
 */
const LIMITS = { caller: 20, guests: 500, process: 1000 }

/** No URI makes the topic of one workspace the topic of another, or of all. */
const updateOf = (uri: string, workspace: number | null) =>
  workspace === null ? `updated ${uri}` : `updated:${workspace} ${uri}`

interface Stream {
  subject: string
  isGuest: boolean
  /** What ends the subscription from outside, if something does. */
  end?: string | null
  /** The resources, and what is called when one has changed. It returns false when that cannot be sent now. */
  uris: readonly string[]
  updated(uri: string): boolean
}

export class Subscriptions {
  readonly #open = new Map<Stream, () => void>()

  /** Set by McpProvider: how updates travel between processes, and a caller's workspace. */
  signals: Signals = new LocalSignals()
  workspaceOf: (ctx: HttpContext) => Promise<number | null> = async () => null
  /** Milliseconds between two looks whether the access of a caller has ended. */
  recheck = 15_000

  /**
   * Holds a subscription open: until `end` is published, the server stops, or the access of the caller
   * has ended. What cannot be sent at once is sent when the client has read on.
   * @param ready called when no update is missed any more
   * @throws {McpError} HTTP 429 when there are too many
   * @throws {CallCancelled} when the client has gone
   */
  async hold(call: Call, stream: Stream, ready: () => void): Promise<void> {
    this.#assertRoom(stream)
    const ended = Promise.withResolvers<void>()
    const pending = new Set<string>()
    const stops: (() => void)[] = []
    this.#open.set(stream, ended.resolve)

    let isReady = false
    const flush = () =>
      isReady && pending.forEach((uri) => stream.updated(uri) && pending.delete(uri))
    const leave = () => ended.reject(new CallCancelled())
    /* No error: a stream of `resources/subscribe` has had its response. */
    const cannotLook = (error: unknown) => {
      const text = 'Cannot look at the access token of an MCP subscription'
      call.ctx.logger.error({ err: error }, text)
      ended.resolve()
    }
    const watch = setInterval(() => {
      flush()
      /* A token may expire or be revoked while the stream is open. */
      const valid = call.ctx.authenticator?.isStillValid()
      valid?.then((isValid) => !isValid && ended.resolve(), cannotLook)
    }, this.recheck).unref()
    call.signal().addEventListener('abort', leave, { once: true })
    ended.promise.catch(() => {})
    try {
      const places = [...new Set([null, await this.workspaceOf(call.ctx)])]
      for (const uri of stream.uris) {
        const changed = () => void (pending.add(uri), flush())
        for (const topic of places.map((place) => updateOf(uri, place))) {
          stops.push(await this.signals.watch(topic, changed))
        }
      }
      if (stream.end) {
        stops.push(await this.signals.watch(stream.end, ended.resolve))
      }
      ready()
      isReady = true
      flush()
      await (call.signal().aborted ? Promise.reject(new CallCancelled()) : ended.promise)
    } finally {
      clearInterval(watch)
      call.signal().removeEventListener('abort', leave)
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

  #assertRoom({ subject, isGuest }: Stream): void {
    const open = [...this.#open.keys()]
    const own = open.filter((one) => one.subject === subject)
    const guests = isGuest ? open.filter((one) => one.isGuest) : []
    const isFull = guests.length >= LIMITS.guests || open.length >= LIMITS.process
    if (isFull || own.length >= LIMITS.caller) {
      const options = { httpStatus: 429 }
      throw new McpError(ErrorCode.TooManyCalls, 'Too many subscriptions are open', options)
    }
  }
}

export function subscriberOf({ caller, ctx, header, definition }: Call) {
  const isGuest = caller === null
  const who = caller?.id ?? header('mcp-session-id') ?? ctx.request.ip()
  return { isGuest, subject: hashSecret(JSON.stringify([definition.info.name, isGuest, who])) }
}

/**
 * Tells subscribed clients, whichever process they are connected to, that a resource has changed.
 * @param uri of a resource whose class is `subscribable`
 * @param transaction the change is told when it is committed
 * @param workspace the one whose rows have changed: who works elsewhere is not told; null for all
 * @example
 * await resourceUpdated('blog://posts/latest', post.$trx, post.workspaceId)
 */
export async function resourceUpdated(
  uri: string,
  transaction?: TransactionClientContract,
  workspace: number | null = null
): Promise<void> {
  if (transaction) {
    transaction.after('commit', () => publish(uri, workspace))
  } else {
    await publish(uri, workspace)
  }
}

/** The change itself has succeeded, so a failure to tell of it is logged and not thrown. */
async function publish(uri: string, workspace: number | null): Promise<void> {
  try {
    await Server.manager?.subscriptions.signals.publish(updateOf(uri, workspace))
  } catch (error) {
    logger.warn({ err: error, uri }, 'Subscribed MCP clients are not told of an update')
  }
}
