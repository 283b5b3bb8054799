import type { HttpContext } from '@adonisjs/core/http'

import { AuthError, InvalidClient, InvalidClientMetadata } from '#auth/errors'
import { countedAddress } from '#http/public_address'
import { DocumentNotFetched } from '#http/document_fetcher'
import { assertOr } from '#process/assert_or'
import { BoundedMap } from '#process/remembered'
import { ServerPart } from '#oauth2/server_part'
import type { Client } from '#oauth2/clients/client'
import { readClientDocument } from '#oauth2/clients/client_metadata'
import { isWithin, parseDocumentUrl } from '#oauth2/clients/client_urls'
import { Fetches } from '#oauth2/clients/documents/fetches'

/** Milliseconds for which the last copy serves after it has expired, when it cannot be renewed. */
const OUTAGE = 86_400_000

const HOSTS_RULE = 'The jwks_uri, logo_uri and logout URIs must be on hosts that are accepted here.'

/** How long and how many failures are remembered, in milliseconds, against repeated fetches. */
const FAILURES = { remembered: 5000, limit: 1000 }

/** Clients whose id is the URL of a document that describes them. Their rows are copies of it. */
export class ClientDocuments extends ServerPart {
  readonly #fetches = new Fetches<Client>(this.server)
  readonly #failures = new BoundedMap<string, { error: AuthError; until: number }>(FAILURES.limit)

  /**
   * The client for an authorization request: as its document says, or its copy while that is fresh.
   * @returns null when the client_id is no URL of a document, or not of one that is allowed here
   * @throws {AuthError} when the copy has expired and cannot be renewed
   */
  async forAuthorization(id: string, copy: Client | null, ctx: HttpContext) {
    const url = this.#allowedUrl(id)
    return url && copy && this.#isFresh(copy) ? copy : url && this.#renew(url, copy, ctx)
  }

  /**
   * The client for a request about what was issued to it: nothing was without a copy, and nothing is
   * fetched then. The last copy serves for a day, so that an outage of its host signs nobody out.
   * @returns null when the client is unknown, or not allowed here any more
   * @throws {AuthError} when the copy expired a day ago and cannot be renewed
   */
  async forIssued(id: string, copy: Client | null): Promise<Client | null> {
    const url = this.#allowedUrl(id)
    if (!url || !copy || this.#isFresh(copy)) {
      return url && copy
    }
    try {
      return await this.#renew(url, copy, null)
    } catch (error) {
      if (error instanceof AuthError && this.#isFresh(copy, OUTAGE)) {
        return copy
      }
      throw error
    }
  }

  accepts(id: string): boolean {
    return this.#allowedUrl(id) !== null
  }

  needsFetch(copy: Client | null): boolean {
    return copy === null || (copy.source === 'document' && !copy.revoked && !this.#isFresh(copy))
  }

  get #config() {
    return this.server.config.clientDocuments
  }

  /** Both settings are checked each time, so that they apply at once at every endpoint. */
  #allowedUrl(id: string): URL | null {
    const { enabled, hosts } = this.#config
    const url = enabled ? parseDocumentUrl(id) : null
    return url && (hosts === null || hosts.includes(url.host)) ? url : null
  }

  /** Fetches the document, unless that is being done already or has just failed. */
  #renew(url: URL, copy: Client | null, ctx: HttpContext | null): Promise<Client> {
    return this.#fetches.join(url.href, ctx, async () => {
      const failure = this.#failures.get(url.href)
      if (failure && Date.now() < failure.until) {
        throw failure.error
      }
      /* No signed-in person makes a request that a client pushes. */
      const isOfPerson = ctx && ctx.authenticator.userId !== null
      this.#fetches.take(isOfPerson ? countedAddress(ctx.request.ip()) : null)
      const client = await this.#fetch(url)
      await this.server.repository.saveDocument(client)
      if (!copy) {
        const { id: clientId, name, confidential } = client
        this.server.announce('oauth2:client_registered', { clientId, name, confidential })
      }
      return client
    })
  }

  async #fetch(url: URL): Promise<Client> {
    const { config } = this.server
    const fetcher = await this.server.fetcher()
    try {
      const { content, maxAge } = await fetcher.fetch(url)
      const client = readClientDocument(url.href, content, maxAge, config)
      /* Its logo is not read, but another application may show it. */
      const isAllowed = isWithin(this.#config.hosts, client, Object(content).logo_uri)
      assertOr(isAllowed, InvalidClientMetadata, HOSTS_RULE)
      return client
    } catch (thrown) {
      const error = toRefusal(thrown)
      this.#failures.set(url.href, { error, until: Date.now() + FAILURES.remembered })
      throw error
    }
  }

  /** An older copy may name other hosts. @param more milliseconds that it serves after it has expired */
  #isFresh(copy: Client, more = 0): boolean {
    const isLive = copy.documentExpiresAt !== null && Date.now() < copy.documentExpiresAt + more
    return isLive && isWithin(this.#config.hosts, copy)
  }
}

/** The same response for every failed fetch, so that it does not reveal what this server can reach. */
function toRefusal(error: unknown): InvalidClient {
  if (error instanceof DocumentNotFetched) {
    const reason = `metadata document not fetched: ${error.message}`
    const complaint = 'The metadata document of the client cannot be fetched.'
    const code = 'client_document_unavailable'
    return Object.assign(new InvalidClient(complaint, { reason }), { code })
  }
  if (error instanceof AuthError) {
    const complaint = `The metadata document of the client is not valid. ${error.description}`
    return Object.assign(new InvalidClient(complaint), { code: 'client_document_refused' })
  }
  throw error
}
