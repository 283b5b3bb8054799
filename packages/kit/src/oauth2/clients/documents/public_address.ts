import ipaddr from 'ipaddr.js'

/** The addresses that IANA has allocated for public use (IPv6 Global Unicast Address Space). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/**
 * Whether an IP address is a public one: in no block of IANA's special-purpose
 * registries for IPv4 and IPv6 (RFC 6890), whether or not the block is routed.
 * IPv6 forms that carry an IPv4 address (mapped, compatible, translated, 6to4,
 * Teredo) are refused whatever that address is.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) {
    return false
  }
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST))
}
