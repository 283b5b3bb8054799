import ipaddr from 'ipaddr.js'

/** The addresses that IANA has allocated for public use (IPv6 Global Unicast Address Space). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/** The platform service of Azure's virtual machines: an address of the public kind that answers inside alone. */
const OF_CLOUDS = ['168.63.129.16']

/** Names that lead to no public host: private ones (RFC 6762 §3, RFC 6761 §6.3, RFC 8375 §3, ICANN's `.internal`). */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa']

/** Names of the metadata services of clouds, which hand out credentials of the machine. Others end in `.internal`. */
const METADATA_NAMES = ['metadata.goog', 'metadata.tencentyun.com', 'instance-data']

/** Whether a host name may lead to a public address, whatever a name server says. */
export function isPublicName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  const isPrivate = PRIVATE_SUFFIXES.some(
    (suffix) => name === suffix || name.endsWith(`.${suffix}`)
  )
  return !isPrivate && !METADATA_NAMES.includes(name)
}

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
  if (OF_CLOUDS.includes(parsed.toString())) {
    return false
  }
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST))
}
