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
