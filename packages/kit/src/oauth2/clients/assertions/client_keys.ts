import type { HttpContext } from '@adonisjs/core/http'
import type { JWK } from 'jose'

import { type DocumentFetcher, DocumentNotFetched } from '#http/document_fetcher'
import { BoundedMap } from '#process/remembered'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { type RegisteredKeys, readPublicKeys } from '#oauth2/clients/assertions/public_keys'
import { ServerPart } from '#oauth2/server_part'
import { readHeader } from '#oauth2/clients/assertions/signed_claims'
import { Fetches, freshFor } from '#oauth2/clients/documents/fetches'
import { nullFor } from '#process/null_for'

/** Milliseconds between two fetches of a set: for an unknown `kid`, which anybody can name, and after a failure. */
const INTERVAL = { unknownKey: 60_000, failure: 5000 }

const LIMIT = 1000

/** Reads a set from where it is: the keys and the seconds for which they may be kept; null for none. */
type KeyReader = (
  fetcher: DocumentFetcher,
  url: URL
) => Promise<{ keys: JWK[] | null; maxAge: number } | null>

/** The keys are null when they could not be had. */
type Fetched = { keys: JWK[] | null; at: number; until: number }

/** The public keys of clients: those of the registration, or those behind its `jwks_uri`. */
export class ClientKeys extends ServerPart {
  readonly #fetched = new BoundedMap<string, Fetched>(LIMIT)
  readonly #fetches = new Fetches<Fetched>(this.server)

  constructor(
    server: AuthorizationServer,
    protected read: KeyReader = readSet
  ) {
    super(server)
  }

  /**
   * @param assertion without its `kid` in the set, the set is fetched again, once a minute at most
   * @returns null when the keys cannot be fetched
   * @throws {TemporarilyUnavailable | Throttled} when too many sets were fetched
   */
  async of({ jwks, jwksUri }: RegisteredKeys, assertion: string, ctx: HttpContext) {
    if (jwks || jwksUri === null) {
      return jwks
    }
    const known = this.#fetched.get(jwksUri)
    if (known && !isOutdated(known, readHeader(assertion).kid)) {
      return known.keys
    }
    const { keys } = await this.#fetches.join(jwksUri, ctx, () => this.#fetch(jwksUri))
    return keys
  }

  async #fetch(url: string): Promise<Fetched> {
    this.#fetches.take()
    const at = Date.now()
    const document = this.read(await this.server.fetcher(), new URL(url))
    const read = await document.catch(nullFor(DocumentNotFetched))
    const { keys, maxAge } = read ?? { keys: null, maxAge: 0 }
    const fetched = { keys, at, until: at + (keys ? freshFor(maxAge) : INTERVAL.failure) }
    this.#fetched.set(url, fetched)
    return fetched
  }
}

async function readSet(fetcher: DocumentFetcher, url: URL) {
  const { content, maxAge } = await fetcher.fetch(url)
  return { keys: readPublicKeys(content), maxAge }
}

function isOutdated({ keys, at, until }: Fetched, kid: string | undefined): boolean {
  const now = Date.now()
  const isMissing = kid !== undefined && keys !== null && !keys.some((key) => key.kid === kid)
  return now >= until || (isMissing && now >= at + INTERVAL.unknownKey)
}
