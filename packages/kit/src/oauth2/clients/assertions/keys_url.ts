import ipaddr from 'ipaddr.js'

/**
 * The URL of a client's keys (`jwks_uri`, RFC 7591 §2): https, its host a name,
 * without user-info and fragment.
 *
 * @returns null for every other text
 */
export function parseKeysUrl(text: string): URL | null {
  if (!URL.canParse(text) || text.length > 2000) {
    return null
  }
  const url = new URL(text)
  const isAddress = url.hostname.startsWith('[') || ipaddr.isValid(url.hostname)
  const isPlain = !url.username && !url.password && !url.hash
  return url.protocol === 'https:' && isPlain && !isAddress ? url : null
}
