import { runningCalls } from '#mcp/protocol/running_calls'
import type { Call } from '#mcp/protocol/call'

/** The server ends the call: it took longer than `callTimeout`, or the server stops. The client may know. */
export class CallEnded extends Error {}

/** The client cancelled the call or disconnected: there is nobody to answer. */
export class CallCancelled extends Error {}

/** What can end a call before its handler does: time, a cancellation, a client that disconnects, the end of the server. */
export class CallLimits {
  readonly #abort = new AbortController()
  readonly #ended = Promise.withResolvers<never>()
  readonly #timer: NodeJS.Timeout
  readonly #exchange: AbortSignal
  readonly #unregister: () => void

  /** @param timeout in milliseconds */
  constructor(call: Call, timeout: number = call.config.callTimeout) {
    this.#ended.promise.catch(() => {})
    this.#exchange = call.signal
    this.#timer = setTimeout(() => this.#end(new CallEnded('The call timed out')), timeout)
    this.#unregister = runningCalls.add(call, this)
    if (call.signal.aborted) {
      this.cancel()
    } else {
      call.signal.addEventListener('abort', this.cancel, { once: true })
    }
  }

  /** For the handler: aborts when the call has ended. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  readonly cancel = (): void => this.#end(new CallCancelled())

  stop(): void {
    this.#end(new CallEnded('The server is stopping. Try again'))
  }

  /**
   * The result of the handler, unless the call ends before. A handler that ignores the signal goes
   * on, and its result is dropped.
   *
   * @throws {CallEnded}
   * @throws {CallCancelled}
   */
  race<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#ended.promise])
  }

  /** Called when the call is answered. */
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
