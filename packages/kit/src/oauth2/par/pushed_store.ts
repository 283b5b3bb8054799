import type { MaybePromise } from '#process/maybe_promise'

/** An authorization request that its client has pushed (RFC 9126). Instants are epoch milliseconds. */
export interface PushedRecord {
  /** SHA-256 of the `request_uri`, which is the only way to the request. */
  uriHash: string
  clientId: string
  /** What the client sent. It is judged anew when the browser comes. */
  parameters: Record<string, string>
  createdAt: number
  expiresAt: number
}

/** Where pushed requests wait for the browser. Methods may be sync or async, and are atomic. */
export interface PushedStore {
  insert(record: PushedRecord): MaybePromise<void>

  find(uriHash: string): MaybePromise<PushedRecord | null>

  /** Lets a request that is still there expire later. */
  extend(uriHash: string, expiresAt: number): MaybePromise<void>

  /** Deletes a request for the one who uses it; false when somebody else has. */
  take(uriHash: string): MaybePromise<boolean>
}
