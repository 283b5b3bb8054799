import { assertArgument } from '#config/checks'
import { isLoopback } from '#http/loopback'
import type { Client } from '#oauth2/clients/client'

/** The characters of a URI (RFC 3986 §2), after a scheme. */
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/

/** Schemes that a browser handles by itself, or hands to another program than the client. */
const REFUSED_SCHEMES =
  /^(about|blob|chrome|data|file|filesystem|ftp|intent|javascript|mailto|sms|tel|vbscript|view-source|wss?):$/

/** `http` on the caller's own machine: host, then port, then the rest. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?((?:[/?].*)?)$/

/** A user name before the host: who reads the URI takes it for the host. */
const USER_INFO = /^[^:]+:\/\/[^/?]*@/

/** For registrations (RFC 6749 §3.1.2; RFC 9700 §2.6, RFC 8252 §7.3). @throws {InvalidArgumentsException} */
export function assertRedirectUri(uri: string): void {
  assertArgument(!uri.includes('#'), `The redirect URI "${uri}" must not have a fragment`)
  const hasHost = !/^https?:/i.test(uri) || /^https?:\/\/[^/]/i.test(uri)
  const isAbsolute = ABSOLUTE_URI.test(uri) && URL.canParse(uri) && hasHost
  assertArgument(isAbsolute, `The redirect URI "${uri}" must be an absolute URI`)
  assertArgument(!uri.includes('*'), `The redirect URI "${uri}" must not have wildcards`)
  assertArgument(!USER_INFO.test(uri), `The redirect URI "${uri}" must not have a user name`)
  const { protocol } = new URL(uri)
  const unsafe = `The redirect URI "${uri}" must have https: http is for 127.0.0.1, [::1] and localhost alone`
  assertArgument(protocol !== 'http:' || LOOPBACK.test(uri), unsafe)
  const refused = `The redirect URI "${uri}" has the scheme "${protocol}", which is refused`
  assertArgument(!REFUSED_SCHEMES.test(protocol), refused)
}

/**
 * Whether a client has registered this exact redirect URI (RFC 9700 §2.1). The port of a public
 * client's loopback URI is free, because a native app listens where it can (RFC 8252 §7.3).
 */
export function isRegistered(client: Client, uri: string): boolean {
  return client.redirectUris.includes(uri) || (!client.confidential && matchesLoopback(client, uri))
}

function matchesLoopback(client: Client, uri: string): boolean {
  const requested = LOOPBACK.exec(uri)
  if (!requested || Number(requested[2] ?? 0) > 65535 || !ABSOLUTE_URI.test(uri)) {
    return false
  }
  return client.redirectUris.some((candidate) => {
    const registered = LOOPBACK.exec(candidate)
    return registered && registered[1] === requested[1] && registered[3] === requested[3]
  })
}

/** A redirect URI with response parameters added; its own query stays as it is (RFC 6749 §3.1.2). */
export function extendRedirectUri(uri: string, parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== null)
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join('&')
  if (!uri.includes('?')) {
    return `${uri}?${query}`
  }
  return /[?&]$/.test(uri) ? `${uri}${query}` : `${uri}&${query}`
}

/**
 * Where an answer goes: a site, a port of the person's own computer, or an app there (RFC 8252 §7). The
 * host is `client.example.com:8443`, that of an app its scheme: `com.example.app:`.
 * @param uri a redirect URI that has been checked
 */
export function destinationOf(uri: string) {
  const { protocol, host, hostname } = new URL(uri)
  if (protocol !== 'http:' && protocol !== 'https:') {
    return { kind: 'app' as const, host: protocol }
  }
  const isOwn = isLoopback(hostname)
  return isOwn ? { kind: 'loopback' as const, host: hostname } : { kind: 'web' as const, host }
}
