import ipaddr from 'ipaddr.js'

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
  assertArgument(!String(uri).includes('#'), `The redirect URI "${uri}" must not have a fragment`)
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

/**
 * The URL of a metadata document, when a client_id is one
 * (draft-ietf-oauth-client-id-metadata-document-02 §3); null for every other client_id. It is in
 * canonical form: a second spelling of the same URL would be another client.
 */
export function parseDocumentUrl(clientId: string): URL | null {
  const url = parseHttps(clientId)
  const isPlain = !/[?#@]/.test(clientId) && url?.pathname !== '/'
  return url?.href === clientId && isPlain ? url : null
}

/** The parser takes control characters out, and commands print the text as it came. */
const PRINTABLE = /^[\x21-\x7e]{1,2000}$/

/** A URL that this server may call, as that of a client's keys (`jwks_uri`, RFC 7591 §2); null for every other text. */
export function parseOutgoingUrl(text: string): URL | null {
  const url = PRINTABLE.test(text) ? parseHttps(text) : null
  return url !== null && !url.username && !url.password && !url.hash ? url : null
}

/** An https URL with a host name. The parser has turned every spelling of an address into the usual one. */
function parseHttps(text: string): URL | null {
  const url = URL.parse(text)
  const isNamed = url !== null && !url.hostname.startsWith('[') && !ipaddr.isValid(url.hostname)
  return isNamed && url.protocol === 'https:' ? url : null
}

/**
 * Whether all addresses of a client, which this server may be led to, are on hosts of the list, on the
 * person's own computer, or in an app there; any host without a list. @param more other addresses
 */
export function isWithin(
  hosts: readonly string[] | null,
  { jwksUri, openid }: Client,
  ...more: unknown[]
): boolean {
  const ofLogout = [openid?.backchannelLogoutUri, ...(openid?.postLogoutRedirectUris ?? [])]
  const addresses = [jwksUri, ...ofLogout, ...more].filter((uri) => typeof uri === 'string')
  return addresses.every((uri) => {
    const target = URL.canParse(uri) ? destinationOf(uri) : null
    return hosts === null || (target && (target.kind !== 'web' || hosts.includes(target.host)))
  })
}
