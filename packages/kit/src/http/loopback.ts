const NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Whether a host name, without its port, means this computer. */
export const isLoopback = (hostname: string): boolean => NAMES.includes(hostname.toLowerCase())

/** Whether two URLs have one origin: the same, or one port of this computer under two of its names. */
export function isSameOrigin(one: URL, other: URL): boolean {
  const isTwin = isLoopback(one.hostname) && isLoopback(other.hostname)
  return isTwin
    ? one.protocol === other.protocol && one.port === other.port
    : one.origin === other.origin
}

/**
 * A URL of this computer under the name that a request (its Host header) has used for it. Any other URL stays: the header
 * must not decide which public name a server has.
 */
export function underUsedName(url: string, host: string | undefined): string {
  if (host === undefined || url.endsWith(`//${host}`)) {
    return url
  }
  const known = new URL(url)
  const own = URL.parse(`${known.protocol}//${host}`)
  return own?.host === host.toLowerCase() && isSameOrigin(own, known)
    ? own.origin + url.slice(known.origin.length)
    : url
}
