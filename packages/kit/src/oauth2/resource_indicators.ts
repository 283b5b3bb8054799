import type { ServedResources } from '#oauth2/served_resources'

/**
 * The resource that the indicator of a request means (RFC 8707 §2); null when
 * none was sent.
 *
 * @throws {InvalidTarget} when it is not served here
 */
export function resolveResource(requested: string | null, served: ServedResources): string | null {
  return requested === null ? null : served.resolve(requested)
}
