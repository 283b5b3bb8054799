/** Whether the instant `expiresAt` has come; null never expires. Both are epoch milliseconds. */
export function isExpired(expiresAt: number | null, now: number = Date.now()): boolean {
  return expiresAt !== null && now >= expiresAt
}

/** Epoch seconds, which answers to programs carry, of epoch milliseconds. */
export function toSeconds(instant: number): number {
  return Math.floor(instant / 1000)
}
