import type { HttpContext } from '@adonisjs/core/http'
import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import { requireScopes } from '#mcp/caller'
import { assertParams, assertRequest, ErrorCode, McpError, quoted } from '#mcp/errors'
import { type Call, objectParam, stringParam } from '#mcp/protocol/call'
import { MetaKey } from '#mcp/protocol/era'
import { notification, resultResponse } from '#mcp/protocol/json_rpc'
import { CallCancelled, keyOf } from '#mcp/protocol/running_calls'
import type { Write } from '#mcp/request'
import { Server } from '#mcp/server'
import { LocalSignals } from '#mcp/subscriptions/signals'
import { assertOr } from '#process/assert_or'
import { countedAddress } from '#http/public_address'
import { hashSecret } from '#security/secrets'

/**
 * Open subscriptions of one caller, or of one session or address where nobody has signed in; of one person, or from one
 * address, and of all who have not signed in, because anybody makes up clients and sessions; and of the process.
 */
const LIMITS = { caller: 20, near: 100, guests: 500, process: 1000 }

const MAX_URIS = 100
const UPDATED = 'notifications/resources/updated'

/** No URI makes the topic of one workspace the topic of another, or of all. */
const updateOf = (uri: string, workspace: number | null) =>
  workspace === null ? `updated ${uri}` : `updated:${workspace} ${uri}`

interface Stream extends ReturnType<typeof subscriberOf> {
  /** What ends the subscription from outside, if something does. */
  end?: string | null
  /** The resources, and what is called when one has changed. It returns false when that cannot be sent now. */
  uris: readonly string[]
  updated(uri: string): boolean
}

export class Subscriptions {
  readonly #open = new Map<Stream, () => void>()

  /** Set by McpProvider: how updates travel between processes, and a caller's workspace. */
  signals = new LocalSignals()
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
      call.ctx.logger.error({ err: error }, 'Cannot look at the token of an MCP subscription')
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

  #assertRoom({ subject, guest, person }: Stream): void {
    const open = [...this.#open.keys()]
    const own = open.filter((one) => one.subject === subject)
    const guests = guest === null ? [] : open.filter((one) => one.guest !== null)
    const near = open.filter((one) => one.guest === guest && one.person === person)
    const isFull = guests.length >= LIMITS.guests || open.length >= LIMITS.process
    const hasRoom = !isFull && own.length < LIMITS.caller && near.length < LIMITS.near
    const message = 'Too many subscriptions are open'
    assertOr(hasRoom, McpError, ErrorCode.TooManyCalls, message, { httpStatus: 429 })
  }
}

/** The caller, and the person with all their clients, or the address of somebody who has not signed in. */
export function subscriberOf({ caller, ctx, header, definition }: Call) {
  const person = caller && (caller.person ?? caller.id)
  const guest = caller ? null : countedAddress(ctx.request.ip())
  const who = caller?.id ?? header('mcp-session-id') ?? guest
  const subject = hashSecret(JSON.stringify([definition.info.name, !caller, who]))
  return { guest, person, subject }
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

/**
 * `subscriptions/listen` (2026-07-28, "Subscriptions"). Lists change with a deployment alone, so
 * nothing but updates of resources is granted.
 */
export async function listen(call: Call): Promise<string> {
  const { id, params } = call.request
  const wanted = objectParam(params, 'notifications').resourceSubscriptions ?? []
  const isList = Array.isArray(wanted) && wanted.every((uri) => typeof uri === 'string')
  assertParams(isList, '"resourceSubscriptions" must be a list of URIs')
  const isShort = wanted.length <= MAX_URIS
  assertParams(isShort, `A subscription may have at most ${MAX_URIS} resources`)
  const uris = [...new Set<string>(wanted)].filter((uri) => isSubscribable(call, uri))
  const send = await opened(call)
  const own = { [MetaKey.SubscriptionId]: id }
  const updated = (uri: string) => send(notification(UPDATED, { _meta: own, uri }))
  await call.subscriptions!.hold(call, { ...subscriberOf(call), uris, updated }, () => {
    const notifications = uris.length > 0 ? { resourceSubscriptions: uris } : {}
    send(notification('notifications/subscriptions/acknowledged', { _meta: own, notifications }))
  })
  const all = { [MetaKey.ServerInfo]: call.definition.info, ...own }
  return JSON.stringify({ resultType: 'complete', _meta: all })
}

/**
 * `resources/subscribe` (2025-11-25, "Resources"). There are no streams but the answers to requests,
 * so the answer to this one stays open after the result, and has the updates.
 */
export async function subscribe(call: Call): Promise<string> {
  const uri = stringParam(call.request.params, 'uri')
  const message = 'No such resource to subscribe to'
  const data = { uri: quoted(uri) }
  assertOr(isSubscribable(call, uri), McpError, ErrorCode.LegacyResourceNotFound, message, { data })
  const send = await opened(call)
  const updated = () => send(notification(UPDATED, { uri }))
  const stream = { ...subscriberOf(call), uris: [uri], end: endOf(call, uri), updated }
  await call.subscriptions!.hold(call, stream, () => send(resultResponse(call.request.id, '{}')))
  throw new CallCancelled()
}

/** `resources/unsubscribe` (2025-11-25, "Resources"): ends the subscription, whichever process has it. */
export async function unsubscribe(call: Call): Promise<string> {
  const end = endOf(call, stringParam(call.request.params, 'uri'))
  await (end && call.subscriptions?.signals.publish(end))
  return '{}'
}

/** @throws {McpError} 401 or 403 with a challenge when a scope is missing */
function isSubscribable(call: Call, uri: string): boolean {
  const Class = call.definition.findResource(uri, call.caller)?.Class
  if (!Class?.subscribable || !call.subscriptions) {
    return false
  }
  requireScopes(call, Class.scopes)
  return true
}

async function opened({ write, subscriptions, caller, ctx, count }: Call): Promise<Write> {
  const canHold = write && subscriptions
  assertRequest(canHold, 'A subscription takes a client that accepts text/event-stream')
  await count(caller, ctx, { kind: 'subscription', name: '' })
  return write
}

/** The topic that ends a subscription; null for somebody who could end those of others. */
function endOf(call: Call, uri: string): string | null {
  const key = keyOf(call, uri)
  return key && `ended ${key}`
}
