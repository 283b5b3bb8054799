import { Resolver } from 'node:dns/promises'
import { addAbortListener } from 'node:events'
import { isIP, isIPv6, type LookupFunction } from 'node:net'

import ipaddr from 'ipaddr.js'

/** The addresses that IANA has allocated for public use (IPv6 Global Unicast Address Space). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/** The platform service of Azure's virtual machines: an address of the public kind that answers inside alone. */
const OF_CLOUDS = ['168.63.129.16']

/** Names that lead to no public host: private ones (RFC 6762 §3, RFC 6761 §6.3, RFC 8375 §3, ICANN's `.internal`). */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa']

/** Names of the metadata services of clouds, which hand out credentials of the machine. Others end in `.internal`. */
const METADATA_NAMES = ['metadata.goog', 'metadata.tencentyun.com', 'instance-data']

/** Whether a host name may lead to a public address, whatever a name server says. An address is no name: nobody looks it up. */
export function isPublicName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  const isPrivate = PRIVATE_SUFFIXES.some((one) => name === one || name.endsWith(`.${one}`))
  const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0
  return !isPrivate && !isAddress && !METADATA_NAMES.includes(name)
}

/**
 * Whether an address is in no block of IANA's special-purpose registries (RFC 6890), routed or not. IPv6 forms that carry
 * an IPv4 address (mapped, compatible, translated, 6to4, Teredo) are refused whatever that address is.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) {
    return false
  }
  const parsed = ipaddr.parse(address)
  const isUnicast = parsed.range() === 'unicast' && !OF_CLOUDS.includes(parsed.toString())
  return isUnicast && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST))
}

/** A look-up that knows the answer, so that the name is not resolved a second time. */
export function answerWith(addresses: string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_hostname, { all }, callback) =>
    all ? callback(null, answers) : callback(null, answers[0]!.address, answers[0]!.family)
}

/** By the name servers: the system's look-up reads the hosts file, and waits in the threads that hash passwords. */
export async function resolvePublicly(hostname: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1000, tries: 3 })
  using end = new DisposableStack()
  end.use(addAbortListener(signal, () => resolver.cancel()))
  const records = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ])
  return records.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

/** Parts of 16 bits. A household or server has a /64 network or a larger one to itself (RFC 6177). */
const IPV6_NETWORK_PARTS = 4

/**
 * Some gateways, e.g. Azure's, add the caller's port in X-Forwarded-For: each connection has another one.
 * @param address undefined once the connection is gone
 */
export const withoutPort = (address = '') =>
  address.replace(/^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/, '$1$2')

/** What failures are counted by: an IPv6 address by its /64 network, because its owner can use all of them. */
export function countedAddress(ip: string | undefined): string {
  const address = withoutPort(ip)
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
