import type { HttpContext } from '@adonisjs/core/http'

import { AuthError, TemporarilyUnavailable } from '#auth/errors'
import type { Services } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import { toClient } from '#oauth2/clients/documents/client_document'
import { DocumentNotFetched } from '#oauth2/clients/documents/document_fetcher'
import { parseDocumentUrl } from '#oauth2/clients/documents/document_url'
import { DocumentRefused, DocumentUnavailable } from '#oauth2/clients/documents/errors'
import { assertWithin, isWithin } from '#oauth2/clients/documents/listed_hosts'
import { FetchLimit } from '#oauth2/clients/documents/fetch_limit'
import { countedAddress } from '#http/counted_address'

/** How long the last copy goes on to serve after it has expired, when it cannot be renewed, in milliseconds. */
const OUTAGE = 86_400_000

/** How long a failure is remembered, in milliseconds: nobody makes this server knock again and again. */
const FAILURE_REMEMBERED = 5000

/**
 * Clients that describe themselves by a document at the URL that is their id
 * (Client ID Metadata Documents). Their rows are copies of the documents.
 */
export class ClientDocuments {
  readonly #limit: FetchLimit
  readonly #running = new Map<string, Promise<Client>>()
  readonly #failures = new Map<string, { error: AuthError; until: number }>()

  constructor(
    protected services: Services<'config' | 'repository' | 'fetcher' | 'manager' | 'announce'>
  ) {
    this.#limit = new FetchLimit(this.#config.fetchesPerMinute)
  }

  metadata() {
    return this.#config.enabled ? { client_id_metadata_document_supported: true } : {}
  }

  /**
   * The client for an authorization request: as its document says now, or said
   * when its copy was made, as long as that copy is fresh.
   *
   * @param copy the row; null without one
   * @param ctx the request: fetches count for the address of its caller
   * @returns null when the client_id is no URL of a document, or not of one that is allowed here
   * @throws {AuthError} when the copy has expired and cannot be renewed
   */
  async forAuthorization(
    id: string,
    copy: Client | null,
    ctx: HttpContext
  ): Promise<Client | null> {
    const url = this.#allowedUrl(id)
    if (!url) {
      return null
    }
    if (copy && this.#isFresh(copy)) {
      return copy
    }
    if (!this.#running.has(url.href)) {
      await this.services.manager.feature('throttle')?.penalize('clientDocuments', null, ctx)
    }
    return this.#renew(url, copy, addressOfPerson(ctx))
  }

  /**
   * The client for a request about what was issued to it. Its last copy serves for a
   * day after it expired, so that an outage of the client's host signs nobody out.
   * Without a copy nothing was issued, and nothing is fetched.
   *
   * @returns null when the client is unknown, or not allowed here any more
   * @throws {AuthError} when the copy expired a day ago and cannot be renewed
   */
  async forIssued(id: string, copy: Client | null): Promise<Client | null> {
    const url = this.#allowedUrl(id)
    if (!url || !copy) {
      return null
    }
    if (this.#isFresh(copy)) {
      return copy
    }
    if (!this.#isWithin(copy)) {
      return this.#renew(url, copy)
    }
    try {
      return await this.#renew(url, copy)
    } catch (error) {
      if (error instanceof AuthError && Date.now() < copy.documentExpiresAt! + OUTAGE) {
        return copy
      }
      throw error
    }
  }

  /** Whether this is the URL of a document that may be a client here. */
  accepts(id: string): boolean {
    return this.#allowedUrl(id) !== null
  }

  /** @param copy the row of a client whose id is accepted; null without one */
  needsFetch(copy: Client | null): boolean {
    return copy === null || (copy.source === 'document' && !copy.revoked && !this.#isFresh(copy))
  }

  get #config() {
    return this.services.config.clientDocuments
  }

  /** The switch and the list of hosts are judged each time, so that they count at once for every endpoint. */
  #allowedUrl(id: string): URL | null {
    const { enabled, hosts } = this.#config
    const url = enabled ? parseDocumentUrl(id) : null
    return url && (hosts === null || hosts.includes(url.host)) ? url : null
  }

  /** Fetches the document, unless that is being done already or has just failed. */
  #renew(url: URL, copy: Client | null, address: string | null = null): Promise<Client> {
    const running = this.#running.get(url.href)
    if (running) {
      return running
    }
    const started = this.#attempt(url, copy, address).finally(() => this.#running.delete(url.href))
    this.#running.set(url.href, started)
    return started
  }

  async #attempt(url: URL, copy: Client | null, address: string | null): Promise<Client> {
    this.#forgetFailures()
    const failure = this.#failures.get(url.href)
    if (failure) {
      throw failure.error
    }
    const wait = this.#limit.take(address)
    if (wait > 0) {
      throw new TemporarilyUnavailable(wait)
    }
    try {
      const client = await this.#fetch(url)
      await this.services.repository.saveDocument(client)
      if (!copy) {
        const { id: clientId, name, confidential } = client
        this.services.announce('oauth2:client_registered', { clientId, name, confidential })
      }
      return client
    } catch (error) {
      if (error instanceof AuthError) {
        this.#failures.set(url.href, { error, until: Date.now() + FAILURE_REMEMBERED })
      }
      throw error
    }
  }

  async #fetch(url: URL): Promise<Client> {
    const { config } = this.services
    const fetcher = await this.services.fetcher()
    try {
      const { content, maxAge } = await fetcher.fetch(url)
      const client = toClient(url.href, content, { maxAge, now: Date.now(), rules: config })
      assertWithin(this.#config.hosts, client, content as Record<string, unknown>)
      return client
    } catch (error) {
      if (error instanceof DocumentNotFetched) {
        throw new DocumentUnavailable(error.message)
      }
      throw error instanceof AuthError ? new DocumentRefused(error.description) : error
    }
  }

  #isFresh(copy: Client): boolean {
    const { documentExpiresAt } = copy
    return documentExpiresAt !== null && Date.now() < documentExpiresAt && this.#isWithin(copy)
  }

  /** A copy from before the list of hosts may lead elsewhere. */
  #isWithin(copy: Client): boolean {
    return isWithin(this.#config.hosts, copy)
  }

  #forgetFailures() {
    const now = Date.now()
    for (const [url, { until }] of this.#failures) {
      if (until <= now) {
        this.#failures.delete(url)
      }
    }
  }
}

/** null for a request that no signed-in person makes: one that a client pushes. */
function addressOfPerson({ authenticator, request }: HttpContext): string | null {
  return authenticator.userId === null ? null : countedAddress(request.ip())
}
