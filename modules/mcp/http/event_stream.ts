import { PassThrough } from 'node:stream'

import type { HttpContext } from '@adonisjs/core/http'

import type { Notify } from '#mcp/request'

/**
 * The answer to one POST as server-sent events: the first notification opens the stream, the
 * response ends it. Without a notification the answer is plain JSON.
 */
export class EventStream {
  readonly #open = Promise.withResolvers<void>()
  #stream?: PassThrough

  get isOpen(): boolean {
    return this.#stream !== undefined
  }

  /** Resolves when the stream opens. */
  get opened(): Promise<void> {
    return this.#open.promise
  }

  /**
   * Sends a notification. While a slow reader's buffer is full, notifications are dropped: they are
   * hints, and must not pile up in memory.
   */
  readonly notify: Notify = (method, params) => {
    const message = JSON.stringify({ jsonrpc: '2.0', method, params })
    if (!this.#stream) {
      this.#stream = new PassThrough()
      this.#open.resolve()
    }
    if (!this.#stream.writableNeedDrain) {
      write(this.#stream, message)
    }
  }

  /** Sends the open stream as the HTTP response. */
  attach({ response }: HttpContext): void {
    response
      .status(200)
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-cache, no-transform')
      .header('x-accel-buffering', 'no')
      .stream(this.#stream!)
  }

  /** Sends the JSON-RPC response, the last message, and ends the stream. */
  end(message: string): void {
    write(this.#stream!, message)
    this.#stream!.end()
  }
}

/** Writing after the client has disconnected would raise an error. */
function write(stream: PassThrough, message: string): void {
  if (stream.writable) {
    stream.write(`event: message\ndata: ${message}\n\n`)
  }
}
