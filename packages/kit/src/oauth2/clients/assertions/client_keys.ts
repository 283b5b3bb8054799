import type { HttpContext } from '@adonisjs/core/http'
import type { JWK } from 'jose'

import { TemporarilyUnavailable } from '#auth/errors'
import { BoundedMap } from '#process/bounded_map'
import type { Services } from '#oauth2/authorization_server'
import { readPublicKeys } from '#oauth2/clients/assertions/public_keys'
import type { Client } from '#oauth2/clients/client'
import {
  type DocumentFetcher,
  DocumentNotFetched,
} from '#oauth2/clients/documents/document_fetcher'
import { FetchLimit } from '#oauth2/clients/documents/fetch_limit'

/** Seconds for which fetched keys are used, whatever their cache headers say. */
const FRESH = { min: 300, max: 86_400 }

/** Milliseconds between two fetches of a set: for an unknown `kid`, which anybody can name, and after a failure. */
const INTERVAL = { unknownKey: 60_000, failure: 5000 }

/** Sets that a process remembers. */
const LIMIT = 1000

/** Reads a set from where it is: the keys, null for none, and the seconds for which they may be kept. */
export type KeyReader = (
  fetcher: DocumentFetcher,
  url: URL
) => Promise<{ keys: JWK[] | null; maxAge: number }>

interface Fetched {
  /** null when they could not be had. */
  keys: JWK[] | null
  at: number
  until: number
}

/** The public keys of clients: those of the registration, or those behind its `jwks_uri`. */
export class ClientKeys {
  readonly #fetched = new BoundedMap<string, Fetched>(LIMIT)
  readonly #running = new Map<string, Promise<Fetched>>()
  readonly #limit: FetchLimit

  /** @param read default: the URL is that of a JSON Web Key Set */
  constructor(
    protected services: Services<'config' | 'fetcher' | 'manager'>,
    protected read: KeyReader = readSet
  ) {
    this.#limit = new FetchLimit(services.config.clientDocuments.fetchesPerMinute)
  }

  /**
   * @param kid the key that is looked for: without it in the set, the set is fetched again, once a minute at most
   * @param ctx the request: fetches count for the address of its caller, as those of documents do
   * @returns null when the keys cannot be fetched
   * @throws {TemporarilyUnavailable | Throttled} when too many sets were fetched
   */
  async of(
    client: Pick<Client, 'jwks' | 'jwksUri'>,
    kid: string | undefined,
    ctx: HttpContext
  ): Promise<JWK[] | null> {
    if (client.jwks) {
      return client.jwks
    }
    if (client.jwksUri === null) {
      return null
    }
    const known = this.#fetched.get(client.jwksUri)
    if (known && !isOutdated(known, kid)) {
      return known.keys
    }
    if (!this.#running.has(client.jwksUri)) {
      await this.services.manager.feature('throttle')?.penalize('clientDocuments', null, ctx)
    }
    const { keys } = await this.#fetchOnce(client.jwksUri)
    return keys
  }

  #fetchOnce(url: string): Promise<Fetched> {
    const running = this.#running.get(url)
    if (running) {
      return running
    }
    const started = this.#fetch(url).finally(() => this.#running.delete(url))
    this.#running.set(url, started)
    return started
  }

  async #fetch(url: string): Promise<Fetched> {
    const wait = this.#limit.take()
    if (wait > 0) {
      throw new TemporarilyUnavailable(wait)
    }
    const fetched = await this.#request(url)
    this.#fetched.set(url, fetched)
    return fetched
  }

  async #request(url: string): Promise<Fetched> {
    const at = Date.now()
    try {
      const fetcher = await this.services.fetcher()
      const { keys, maxAge } = await this.read(fetcher, new URL(url))
      if (keys) {
        const fresh = Math.min(Math.max(maxAge, FRESH.min), FRESH.max)
        return { keys, at, until: at + fresh * 1000 }
      }
    } catch (error) {
      if (!(error instanceof DocumentNotFetched)) {
        throw error
      }
    }
    return { keys: null, at, until: at + INTERVAL.failure }
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
