/**
 * Whether something has expired: from the instant `expiresAt` on, so that it
 * never lives longer than was promised. Null never expires. Both are epoch
 * milliseconds.
 */
export function isExpired(expiresAt: number | null, now: number = Date.now()): boolean {
  return expiresAt !== null && now >= expiresAt
}
