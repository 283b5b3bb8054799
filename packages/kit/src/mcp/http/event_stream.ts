import { PassThrough } from 'node:stream'

import type { HttpContext } from '@adonisjs/core/http'

import type { Write } from '#mcp/request'

/** Milliseconds of a handler after which the stream opens, although there is nothing to send yet. */
const SLOW_CALL = 1000
/** Milliseconds between two comments, which keep proxies from closing an idle connection. */
const HEARTBEAT = 15_000
/** A comment of the event stream format (HTML Standard, section 9.2.6); clients ignore it. */
const COMMENT = ':\n\n'

/**
 * The answer to one POST as server-sent events: the first notification opens the stream, or a slow
 * handler; the response ends it. Otherwise the answer is plain JSON.
 */
export class EventStream {
  readonly #open = Promise.withResolvers<void>()
  readonly opened = this.#open.promise
  #stream?: PassThrough
  /** Opens the stream of a slow handler; then it is the heartbeat. */
  #timer?: NodeJS.Timeout

  get isOpen(): boolean {
    return this.#stream !== undefined
  }

  /** Called when a handler starts: from now on the stream opens if there is no answer for a second. */
  expectSlowCall(): void {
    this.#timer = setTimeout(() => this.#send(COMMENT), SLOW_CALL)
  }

  /** A message is dropped while a slow reader's buffer is full: notifications are hints, and must not pile up. */
  readonly write: Write = (json) => this.#send(message(json))

  attach({ response }: HttpContext): void {
    response
      .status(200)
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-cache, no-transform')
      .header('x-accel-buffering', 'no')
      .stream(this.#stream!)
  }

  /** Sends the JSON-RPC response, the last message, and ends the stream; null for a cancelled call. */
  end(response: string | null): void {
    this.discard()
    response !== null && write(this.#stream!, message(response))
    this.#stream!.end()
  }

  /** Stops the timer: the answer is plain JSON, or complete. */
  discard(): void {
    clearTimeout(this.#timer)
  }

  #send(event: string): boolean {
    const stream = this.#stream ?? this.#openStream()
    if (stream.writableNeedDrain) {
      return false
    }
    write(stream, event)
    return true
  }

  #openStream(): PassThrough {
    this.discard()
    this.#stream = new PassThrough()
    this.#timer = setInterval(() => this.#send(COMMENT), HEARTBEAT)
    this.#stream.once('close', () => this.discard())
    this.#open.resolve()
    return this.#stream
  }
}

const message = (json: string): string => `event: message\ndata: ${json}\n\n`

/** Writing after the client has disconnected would raise an error. */
function write(stream: PassThrough, event: string): void {
  stream.writable && stream.write(event)
}
