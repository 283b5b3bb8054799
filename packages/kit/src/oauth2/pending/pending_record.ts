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
