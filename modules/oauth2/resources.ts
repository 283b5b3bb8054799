import { InvalidTarget } from '#auth/errors'

/**
 * The resource indicator of a request (RFC 8707 §2), compared as an exact
 * string; null when none was sent.
 *
 * @throws {InvalidTarget} when it is not served here
 */
export function resolveResource(requested: string | null, served: string[]): string | null {
  if (requested !== null && !served.includes(requested)) {
    throw new InvalidTarget('The resource is not served here.')
  }
  return requested
}
