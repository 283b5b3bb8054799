import { ClientKeys } from '#oauth2/clients/assertions/client_keys'
import { parseKeysUrl } from '#oauth2/clients/assertions/keys_url'
import { readPublicKeys } from '#oauth2/clients/assertions/public_keys'
import {
  type DocumentFetcher,
  DocumentNotFetched,
  type FetchedDocument,
} from '#oauth2/clients/documents/document_fetcher'

/** Bytes of a document. Identity providers of companies publish certificates with their keys. */
const MAX_BYTES = 100_000

/** Where an issuer has its metadata: OpenID Connect Discovery 1.0 §4, and RFC 8414 §3.1, which knows another place for issuers with a path. */
function metadataUrls(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    new URL(`${origin}${path}/.well-known/openid-configuration`),
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
  ]
}

/** The public keys of trusted issuers: those of the config, or those that their metadata name. The URL that they are kept under is the issuer. */
export function createIssuerKeys(
  services: ConstructorParameters<typeof ClientKeys>[0]
): ClientKeys {
  return new ClientKeys(services, (fetcher, url) => discover(fetcher, url.href))
}

/** The metadata must be the issuer's own: else another tenant of the host could name the keys (RFC 8414 §3.3). */
async function discover(fetcher: DocumentFetcher, url: string) {
  const { content } = await fetchMetadata(fetcher, url)
  const { issuer, jwks_uri: uri } = Object(content)
  const keysUrl = typeof uri === 'string' ? parseKeysUrl(uri) : null
  if (typeof issuer !== 'string' || !isSameUrl(issuer, url) || keysUrl === null) {
    return { keys: null, maxAge: 0 }
  }
  const set = await fetcher.fetch(keysUrl, MAX_BYTES)
  return { keys: readPublicKeys(set.content), maxAge: set.maxAge }
}

async function fetchMetadata(fetcher: DocumentFetcher, issuer: string): Promise<FetchedDocument> {
  const [first, second] = metadataUrls(issuer)
  try {
    return await fetcher.fetch(first!, MAX_BYTES)
  } catch (error) {
    if (!(error instanceof DocumentNotFetched)) {
      throw error
    }
    return fetcher.fetch(second!, MAX_BYTES)
  }
}

/** An issuer without a path has been given one by the URL parser: "/". */
function isSameUrl(issuer: string, url: string) {
  return URL.canParse(issuer) && new URL(issuer).href === url
}
