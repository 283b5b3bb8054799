import type { Protection } from '#mcp/protection'

/** Requested for what outlives the session, not for a resource (OpenID Connect Core, section 11). */
const OFFLINE_ACCESS = 'offline_access'

/** The metadata of a protected mount (RFC 9728, section 2). */
export function resourceMetadata(
  protection: Protection,
  options: {
    name: string
    scopes: readonly string[]
    issuer: string
    proofAlgorithms: readonly string[]
  }
) {
  return {
    resource: protection.shownUrl,
    authorization_servers: [options.issuer],
    scopes_supported: options.scopes.filter((scope) => scope !== OFFLINE_ACCESS),
    bearer_methods_supported: ['header'],
    resource_name: options.name,
    ...(options.proofAlgorithms.length > 0 && {
      dpop_signing_alg_values_supported: options.proofAlgorithms,
    }),
  }
}
