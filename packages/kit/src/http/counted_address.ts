import ipaddr from 'ipaddr.js'

/** Parts of 16 bits. A household or server has a /64 network or a larger one to itself (RFC 6177). */
const IPV6_NETWORK_PARTS = 4

/** What failures are counted by: an IPv6 address by its /64 network, because its owner can use all of them. */
export function countedAddress(address: string): string {
  if (!ipaddr.isValid(address)) {
    return address
  }
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) {
    return parsed.toString()
  }
  const network = parsed.parts.slice(0, IPV6_NETWORK_PARTS).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
