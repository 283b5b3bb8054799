import type { Call } from '#mcp/protocol/call'
import type { CallLimits } from '#mcp/protocol/call_limits'
import type { Exchange } from '#mcp/protocol/exchange'
import type { RequestId } from '#mcp/protocol/json_rpc'
import { hashSecret } from '#security/secrets'

/** Takes the key of a call to the other processes. */
export interface SharedCancellations {
  publish(key: string): void
}

/**
 * The calls that this process is running, so that `notifications/cancelled` and the end of the
 * server can stop them.
 *
 * The notification (2025-11-25, "Cancellation") arrives in a request of its own, which another
 * process may get. When processes share cancellations, that one tells the others; else it has no
 * effect. Revision 2026-07-28 cancels by closing the connection.
 */
export class RunningCalls {
  readonly #all = new Set<CallLimits>()
  readonly #byKey = new Map<string, Set<CallLimits>>()
  #shared: SharedCancellations | null = null

  /** Shares cancellations of calls with a session id; null ends it. */
  share(shared: SharedCancellations | null): void {
    this.#shared = shared
  }

  /** Returns the function that removes the call. */
  add(call: Call, limits: CallLimits): () => void {
    const key = call.era.name === 'legacy' ? keyOf(call, call.request.id) : null
    const twins = (key && this.#byKey.get(key)) || new Set()
    this.#all.add(limits)
    if (key !== null) {
      this.#byKey.set(key, twins.add(limits))
    }
    return () => {
      this.#all.delete(limits)
      twins.delete(limits)
      if (key !== null && twins.size === 0) {
        this.#byKey.delete(key)
      }
    }
  }

  cancel(exchange: Exchange, id: RequestId): void {
    const key = keyOf(exchange, id)
    if (key === null || this.cancelKey(key)) {
      return
    }
    if (exchange.header('mcp-session-id')) {
      this.#shared?.publish(key)
    }
  }

  /**
   * Two clients of one caller may use the same id: then it is unclear which call is meant.
   *
   * @returns whether there is such a call here
   */
  cancelKey(key: string): boolean {
    const twins = this.#byKey.get(key)
    if (twins?.size === 1) {
      twins.forEach((limits) => limits.cancel())
    }
    return twins !== undefined
  }

  /** Ends every call that is still running after this time: the server takes no more requests. */
  stopAfter(milliseconds: number): void {
    setTimeout(() => this.#all.forEach((limits) => limits.stop()), milliseconds).unref()
  }
}

export const runningCalls = new RunningCalls()

/**
 * Request ids are small numbers, so the caller has to match. An anonymous caller is known by the
 * random session id that `initialize` gave it, and cannot cancel without.
 */
function keyOf({ caller, definition, header }: Exchange, id: RequestId): string | null {
  const session = header('mcp-session-id')
  return caller || session
    ? hashSecret(JSON.stringify([definition.info.name, caller?.id ?? null, session ?? null, id]))
    : null
}
