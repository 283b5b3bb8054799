import { InvalidClientMetadata } from '#auth/errors'
import { destinationOf } from '#oauth2/authorize/destination'
import type { Client } from '#oauth2/clients/client'

/** The addresses of a client beside its redirect URIs: this server calls them, or browsers do. */
function addressesOf({ jwksUri, openid }: Client): string[] {
  return [
    ...(jwksUri === null ? [] : [jwksUri]),
    ...(openid?.backchannelLogoutUri ? [openid.backchannelLogoutUri] : []),
    ...(openid?.postLogoutRedirectUris ?? []),
  ]
}

/** Whether all addresses of a client are on hosts of the list, on the person's own computer, or in an app there. */
export function isWithin(hosts: readonly string[] | null, client: Client): boolean {
  return hosts === null || addressesOf(client).every((uri) => isListed(hosts, uri))
}

/**
 * Refuses a document that names addresses on other hosts than the listed ones: the
 * list is of hosts that this server may be led to. Its logo is not read, and
 * another application may show it.
 *
 * @throws {InvalidClientMetadata}
 */
export function assertWithin(
  hosts: readonly string[] | null,
  client: Client,
  { logo_uri: logo }: Record<string, unknown>
): void {
  const isLogoListed = hosts === null || typeof logo !== 'string' || isListed(hosts, logo)
  if (!isWithin(hosts, client) || !isLogoListed) {
    throw new InvalidClientMetadata(
      'The jwks_uri, logo_uri and logout URIs must be on hosts that are accepted here.'
    )
  }
}

function isListed(hosts: readonly string[], uri: string) {
  if (!URL.canParse(uri)) {
    return false
  }
  const { kind } = destinationOf(uri)
  return kind !== 'web' || hosts.includes(new URL(uri).host)
}
