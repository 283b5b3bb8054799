import ipaddr from 'ipaddr.js'

import { InvalidClientMetadata } from '#auth/errors'
import { destinationOf } from '#oauth2/clients/redirect_uri'
import type { Client } from '#oauth2/clients/client'

/**
 * The URL of a metadata document, when a client_id is one
 * (draft-ietf-oauth-client-id-metadata-document-02 §3): https, a path other than
 * `/`, no query, fragment or user-info, no IP address as its host. It must be in
 * canonical form: a second spelling of the same URL would be another client.
 *
 * @returns null for every other client_id
 */
export function parseDocumentUrl(clientId: string): URL | null {
  const url = parseHttps(clientId)
  const isPlain = !/[?#@]/.test(clientId) && url?.pathname !== '/'
  return url?.href === clientId && isPlain ? url : null
}

/**
 * The URL of a client's keys (`jwks_uri`, RFC 7591 §2): https, its host a name,
 * without user-info and fragment.
 *
 * @returns null for every other text
 */
export function parseKeysUrl(text: string): URL | null {
  const url = parseHttps(text)
  const isShort = url !== null && text.length <= 2000
  return isShort && !url.username && !url.password && !url.hash ? url : null
}

/** An https URL with a host name. The parser has turned every spelling of an address into the usual one. */
function parseHttps(text: string): URL | null {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && !/^\[/.test(url.hostname) && !ipaddr.isValid(url.hostname)
    ? url
    : null
}

/** Whether all addresses of a client are on hosts of the list, on the person's own computer, or in an app there. */
export function isWithin(hosts: readonly string[] | null, { jwksUri, openid }: Client): boolean {
  const addresses = [
    jwksUri,
    openid?.backchannelLogoutUri ?? null,
    ...(openid?.postLogoutRedirectUris ?? []),
  ]
  return addresses.every((uri) => uri === null || isListed(hosts, uri))
}

/**
 * Refuses a document that names addresses on other hosts than the listed ones, which
 * this server may be led to. Its logo is not read, and another application may show it.
 *
 * @throws {InvalidClientMetadata}
 */
export function assertWithin(
  hosts: readonly string[] | null,
  client: Client,
  { logo_uri: logo }: Record<string, unknown>
): void {
  if (!isWithin(hosts, client) || (typeof logo === 'string' && !isListed(hosts, logo))) {
    throw new InvalidClientMetadata(
      'The jwks_uri, logo_uri and logout URIs must be on hosts that are accepted here.'
    )
  }
}

function isListed(hosts: readonly string[] | null, uri: string) {
  const isOnList = (list: readonly string[]) =>
    URL.canParse(uri) && (destinationOf(uri).kind !== 'web' || list.includes(new URL(uri).host))
  return hosts === null || isOnList(hosts)
}
