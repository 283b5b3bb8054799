import ipaddr from 'ipaddr.js'

import { destinationOf } from '#oauth2/clients/redirect_uri'
import type { Client } from '#oauth2/clients/client'

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

/** The URL of a client's keys (`jwks_uri`, RFC 7591 §2); null for every other text. */
export function parseKeysUrl(text: string): URL | null {
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
