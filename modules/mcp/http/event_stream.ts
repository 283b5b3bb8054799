import { PassThrough } from 'node:stream'

import type { HttpContext } from '@adonisjs/core/http'

import type { Notify } from '#mcp/request'

/**
 * The answer to one POST as server-sent events: opened by the first notification, ended by the
 * response. A request that causes no notification never opens it.
 */
export class EventStream {
  readonly #open = Promise.withResolvers<void>()
  #stream?: PassThrough

  get isOpen(): boolean {
    return this.#stream !== undefined
  }

  /** Settles with the first notification. */
  get opened(): Promise<void> {
    return this.#open.promise
  }

  /**
   * Sends a notification. One that a slow reader has no room for is dropped: they are hints, and a
   * handler must not fill the memory with them.
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

  /** Makes the stream, which is open, the response. */
  attach({ response }: HttpContext): void {
    response
      .status(200)
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-cache, no-transform')
      .header('x-accel-buffering', 'no')
      .stream(this.#stream!)
  }

  /** Sends the response, which is the last message. */
  end(message: string): void {
    write(this.#stream!, message)
    this.#stream!.end()
  }
}

/** Nothing is written once the client has gone. */
function write(stream: PassThrough, message: string): void {
  if (stream.writable) {
    stream.write(`event: message\ndata: ${message}\n\n`)
  }
}
