import ipaddr from 'ipaddr.js'

/**
 * The URL of a metadata document, when a client_id is one
 * (draft-ietf-oauth-client-id-metadata-document-02 §3): https, a path other than
 * `/`, no query, no fragment, no user-info, no IP address as its host. It must be
 * in canonical form, because URLs compare as strings: a second spelling of the
 * same URL would be another client.
 *
 * @returns null for every other client_id
 */
export function parseDocumentUrl(clientId: string): URL | null {
  if (!URL.canParse(clientId)) {
    return null
  }
  const url = new URL(clientId)
  const isCanonical = url.href === clientId
  const isPlain = !/[?#@]/.test(clientId) && url.pathname !== '/'
  return url.protocol === 'https:' && isCanonical && isPlain && !isAddress(url.hostname)
    ? url
    : null
}

/** The URL parser has already turned every other spelling of an address into the usual one. */
function isAddress(hostname: string) {
  return hostname.startsWith('[') || ipaddr.isValid(hostname)
}
