import type { HttpContext } from '@adonisjs/core/http'

import type { Caller } from '#mcp/caller'
import type { ResolvedMcpConfig } from '#mcp/define_config'
import type { ServerDefinition } from '#mcp/definition/server_definition'
import type { Announce } from '#mcp/events'
import type { CountCall } from '#mcp/call_limit'
import type { Protection } from '#mcp/protection'
import type { ReadHeader } from '#mcp/protocol/era'
import type { Notify } from '#mcp/request'
import type { Subscriptions } from '#mcp/subscriptions/subscriptions'
import type { Tasks } from '#mcp/tasks/tasks'

/** One HTTP exchange: the server it addresses, who sends it, and how it is answered. */
export interface Exchange {
  definition: ServerDefinition
  config: ResolvedMcpConfig
  ctx: HttpContext
  header: ReadHeader

  /** Whether the transport repeats parts of the body in headers, which have to match: HTTP does. */
  mirrorsBody: boolean

  /** null for an anonymous caller. */
  caller: Caller | null

  /** null for a mount without `protect`. */
  protection: Protection | null

  /** Aborts when the client disconnects. */
  signal: AbortSignal

  /** Sends a notification; null when the client does not accept an event stream. */
  notify: Notify | null

  /** Sends a whole message; false while a slow client has not read the last ones. Null like `notify`. */
  write: ((json: string) => boolean) | null

  /** Whether a refusal can still set the HTTP status: not in a batch, nor once the stream is open. */
  canChallenge(): boolean

  /** Called when a handler starts. */
  handlerStarts(): void

  announce: Announce

  /** The streams that stay open; null where there are none. */
  subscriptions: Subscriptions | null

  /** Where calls go on after they were answered; null when no task can be created. */
  tasks: Tasks | null

  /**
   * Counts a call.
   *
   * @throws {McpError} HTTP 429 when the caller has made too many
   */
  count: CountCall

  /** Told of errors whose text the client does not get. */
  unexpected?(error: unknown): void
}
