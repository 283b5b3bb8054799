/** Whether the instant `expiresAt` has come; null never expires. Both are epoch milliseconds. */
export function isExpired(expiresAt: number | null, now: number = Date.now()): boolean {
  return expiresAt !== null && now >= expiresAt
}

/** Deletes what has expired from a store in memory, and returns how much it was. */
export function deleteExpired(
  records: Map<unknown, { expiresAt: number | null }>,
  now: number
): number {
  const expired = [...records].filter(([, { expiresAt }]) => isExpired(expiresAt, now))
  expired.forEach(([key]) => records.delete(key))
  return expired.length
}

/** Epoch seconds, which answers to programs carry, of epoch milliseconds. */
export function toSeconds(instant: number): number {
  return Math.floor(instant / 1000)
}
