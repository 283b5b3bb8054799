import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import CachePolicy from 'http-cache-semantics'

import { assertOr } from '#process/assert_or'
import { answerWith, isPublicAddress, isPublicName, resolvePublicly } from '#http/public_address'

export interface FetchedDocument {
  content: unknown
  /** Seconds for which it may be kept, as its cache headers say (RFC 9111 §4.2); 0 without any. */
  maxAge: number
}

/** The document could not be fetched. The message is for operators: it goes into the log, never into an answer. */
export class DocumentNotFetched extends Error {}

export interface DocumentFetcherOptions {
  maxBytes: number
  /** Seconds for everything together: look-up, connection, answer. Default 5. */
  timeout?: number
  /** Addresses of a host name. Default: its A and AAAA records, asked from the name servers of the machine. */
  resolve?: (hostname: string, signal: AbortSignal) => Promise<string[]>
  /** Whether a connection to an address is allowed. Default: to public addresses. */
  isAllowed?: (address: string) => boolean
  /** Certificates of authorities that are trusted besides the usual ones, in PEM. */
  ca?: string[]
}

/** What a function in the place of `fetch` is called with. */
export interface FetchInit {
  method?: string
  headers: ConstructorParameters<typeof Headers>[0]
  body?: unknown
}

/** Sites in front of which somebody keeps robots out, e.g. Cloudflare, refuse requests without a name (RFC 9110 §10.1.5). */
const NAMED = { 'user-agent': 'adonis-auth-kit' }

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/**
 * Fetches a document from a URL that a stranger chose, without letting them reach
 * what they cannot reach themselves (draft-ietf-oauth-client-id-metadata-document-02 §8.6).
 * The application can bind another one to this class in the container.
 *
 * - Every address of the host must be public. The connection goes to these very
 *   addresses: nobody looks the name up again.
 * - No redirect is followed, no proxy is used, and only status 200 is taken.
 * - The body is JSON without content encoding, and is read up to a limit.
 */
export class DocumentFetcher {
  readonly #options: Required<Omit<DocumentFetcherOptions, 'ca'>> & { ca?: string[] }

  constructor(options: DocumentFetcherOptions) {
    this.#options = { timeout: 5, resolve: resolvePublicly, isAllowed: isPublicAddress, ...options }
  }

  /** @param url https, its host a name. @throws {DocumentNotFetched} for whatever reason it cannot be fetched */
  fetch(url: URL, maxBytes: number = this.#options.maxBytes): Promise<FetchedDocument> {
    const headers = { 'accept': 'application/json', 'accept-encoding': 'identity' }
    return this.#ask(url, { headers }, async (response) => {
      const { statusCode, headers: got } = response
      const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = got
      assertOr(statusCode === 200, DocumentNotFetched, `the status is ${statusCode}`)
      assertOr(encoding === 'identity', DocumentNotFetched, 'the document has a content encoding')
      assertOr(JSON_TYPE.test(type), DocumentNotFetched, 'the content type is not JSON')
      const content = parseJson(await readBytes(response, maxBytes))
      const policy = new CachePolicy(
        { url: url.pathname, method: 'GET', headers },
        { status: 200, headers: got as Record<string, string> },
        { shared: false, cacheHeuristic: 0 }
      )
      return { content, maxAge: Math.floor(policy.timeToLive() / 1000) }
    })
  }

  /**
   * Posts a form under the same guards. The body of the answer is not read.
   * @throws {DocumentNotFetched} when it cannot be posted, or the status is neither 200 nor 204
   */
  post(url: URL, fields: Record<string, string>): Promise<void> {
    const body = new URLSearchParams(fields).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
    }
    return this.#ask(url, { method: 'POST', headers, body }, async ({ statusCode }) => {
      assertOr([200, 204].includes(statusCode!), DocumentNotFetched, `the status is ${statusCode}`)
    })
  }

  /** As `fetch`, for libraries that take a function for it. Any status is answered. @throws {DocumentNotFetched} */
  request(url: URL, { method, headers, body }: FetchInit, maxBytes: number): Promise<Response> {
    const content = body === undefined || body === null ? undefined : String(body)
    const sent = { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' }
    return this.#ask(url, { method, headers: sent, body: content }, async (response) => {
      const bytes = await readBytes(response, maxBytes)
      const type = response.headers['content-type']
      return new Response(bytes.length ? bytes : null, {
        status: response.statusCode!,
        headers: type ? { 'content-type': type } : {},
      })
    })
  }

  async #ask<T>(
    url: URL,
    { body, ...options }: { method?: string; headers: Record<string, string>; body?: string },
    read: (response: IncomingMessage) => Promise<T>
  ): Promise<T> {
    const signal = AbortSignal.timeout(this.#options.timeout * 1000)
    let outgoing: ClientRequest | undefined
    try {
      const addresses = await this.#addresses(url.hostname, signal)
      outgoing = request(url, {
        ...options,
        headers: { ...NAMED, ...options.headers },
        /* Not the global agent, which may use a proxy and keeps connections. */
        agent: new Agent({ keepAlive: false }),
        lookup: answerWith(addresses),
        ca: this.#options.ca,
        signal,
      })
      /* What goes wrong once there is an answer is told by the answer, or is no matter any more. */
      outgoing.on('error', () => {})
      outgoing.end(body)
      const [response] = (await once(outgoing, 'response', { signal })) as [IncomingMessage]
      return await read(response)
    } catch (error) {
      if (error instanceof DocumentNotFetched) {
        throw error
      }
      const reason = signal.aborted ? 'it took too long' : 'the connection failed'
      throw new DocumentNotFetched(reason, { cause: error })
    } finally {
      outgoing?.destroy()
    }
  }

  /** One private address among public ones is enough to refuse the host. */
  async #addresses(hostname: string, signal: AbortSignal): Promise<string[]> {
    assertOr(isPublicName(hostname), DocumentNotFetched, 'an address of the host is not public')
    const timedOut = once(signal, 'abort').then(() => signal.throwIfAborted())
    const addresses = await Promise.race([this.#options.resolve(hostname, signal), timedOut])
    assertOr(addresses?.length, DocumentNotFetched, 'the host has no address')
    const isPublic = addresses.every((address) => this.#options.isAllowed(address))
    assertOr(isPublic, DocumentNotFetched, 'an address of the host is not public')
    return addresses
  }
}

/** @throws {DocumentNotFetched} for an answer that is longer: it is read no further */
export async function readBytes(response: AsyncIterable<Uint8Array>, maxBytes: number) {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    assertOr(length <= maxBytes, DocumentNotFetched, 'the document is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new DocumentNotFetched('the document is not JSON')
  }
}
