/**
 * Where an answer goes, for the person who approves: a site, a program on the
 * person's own computer that listens on a port, or an app that the operating
 * system finds by a private-use scheme (RFC 8252 §7).
 */
export interface Destination {
  kind: 'web' | 'loopback' | 'app'
  /** `client.example.com:8443`; the scheme of an app: `com.example.app:` */
  host: string
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

/** @param uri a redirect URI that has been checked */
export function destinationOf(uri: string): Destination {
  const { protocol, host, hostname } = new URL(uri)
  if (protocol !== 'http:' && protocol !== 'https:') {
    return { kind: 'app', host: protocol }
  }
  return LOOPBACK.includes(hostname) ? { kind: 'loopback', host: hostname } : { kind: 'web', host }
}
