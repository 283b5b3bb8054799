import type { MaybePromise } from '#process/maybe_promise'
import type { UserKey } from '#oauth2/tokens/token_store'

/** An authorization request that waits for a person's decision. Instants are epoch milliseconds. */
export interface PendingRecord extends UserKey {
  /** SHA-256 of the handle, which is the only way to the request. */
  handleHash: string
  /** SHA-256 of the id of the session that made the request; null without one. */
  sessionHash: string | null
  /** What the client sent. It is judged anew at the decision. */
  parameters: Record<string, string>
  createdAt: number
  expiresAt: number
}

/** Where authorization requests wait. Methods may be sync or async, and are atomic. */
export interface PendingStore {
  insert(record: PendingRecord): MaybePromise<void>

  find(handleHash: string): MaybePromise<PendingRecord | null>

  /** Deletes a request for the one who decides it; false when somebody else has. */
  take(handleHash: string): MaybePromise<boolean>
}
