import type { Call } from '#mcp/protocol/call'
import type { Exchange } from '#mcp/protocol/exchange'
import type { RequestId } from '#mcp/protocol/json_rpc'

/**
 * The calls that this process is running, so that `notifications/cancelled` can stop them
 * (2025-11-25, "Cancellation"). It arrives in a request of its own, which another process may get:
 * then it has no effect. Revision 2026-07-28 cancels by closing the connection.
 */
class RunningCalls {
  readonly #cancels = new Map<string, Set<() => void>>()

  /** Returns the function that removes the call. */
  add(call: Call, cancel: () => void): () => void {
    const key = call.era.name === 'legacy' ? keyOf(call, call.request.id) : null
    if (key === null) {
      return () => {}
    }
    const cancels = this.#cancels.get(key) ?? new Set()
    this.#cancels.set(key, cancels.add(cancel))
    return () => {
      cancels.delete(cancel)
      if (cancels.size === 0) {
        this.#cancels.delete(key)
      }
    }
  }

  /** Two clients of one caller may use the same id: then it is unclear which call is meant. */
  cancel(exchange: Exchange, id: RequestId): void {
    const key = keyOf(exchange, id)
    const cancels = key === null ? undefined : this.#cancels.get(key)
    if (cancels?.size === 1) {
      cancels.forEach((cancel) => cancel())
    }
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
    ? JSON.stringify([definition.info.name, caller?.id ?? null, session ?? null, id])
    : null
}
