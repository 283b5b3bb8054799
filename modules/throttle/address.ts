import ipaddr from 'ipaddr.js'

/** A household or a server has at least this many leading bits of IPv6 to itself (RFC 6177). */
const IPV6_NETWORK_PARTS = 4

/**
 * The address that failures are counted for. Whoever has one IPv6 address has
 * the 2^64 of its network, so the network counts as one.
 */
export function countedAddress(address: string): string {
  if (!ipaddr.isValid(address)) {
    return address
  }
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, IPV6_NETWORK_PARTS)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : parsed.toString()
}
