import { once } from 'node:events'
import {
  type RequestListener,
  Server,
  type ServerOptions,
  type ServerResponse,
  type IncomingMessage,
} from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const LIMITS = {
  /** Milliseconds. A client that is slower than this is answered 408 and its connection closed. */
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  /** Bytes of all headers of a request; more is answered 431. */
  maxHeaderSize: 16_384,
} satisfies ServerOptions

/** What a caller may name its request; anything else gets a new id. Ids are in every line of the log and in the response. */
const REQUEST_ID = /^[\w.:+/=-]{1,128}$/

/** Milliseconds in which an ending server still answers what arrives on open connections: a proxy cannot send a POST twice. */
const LINGER = 250

/** Emitted when no handler is left. */
const HANDLED = 'handled'

const MAX_HEADERS = 200

/**
 * No client keeps a connection busy without sending, and none keeps the server from ending.
 * @param handler when it returns a promise, an ending server waits for it
 */
export function createHttpServer(handler: RequestListener, limits: ServerOptions = {}): Server {
  return new HttpServer({ ...LIMITS, ...limits }, handler)
}

/**
 * `close()` accepts no new connection, lets running requests and those of the next moment end, also without their client,
 * and closes every other connection then, in a minute at most (`requestTimeout`). Node.js leaves those that have sent
 * nothing yet, and stops watching for clients that are too slow.
 */
class HttpServer extends Server {
  /** The responses that each open connection waits for. */
  readonly #running = new Map<Socket, Set<ServerResponse>>()
  #handling = 0
  #closing = false

  constructor(options: ServerOptions, handler: RequestListener) {
    super(options)
    this.maxHeadersCount = MAX_HEADERS
    this.on('connection', (socket) => {
      this.#running.set(socket, new Set())
      socket.once('close', () => {
        this.#running.get(socket)?.forEach(tellGone)
        this.#running.delete(socket)
      })
    })
    this.on('request', (request, response) => {
      this.#begin(request, response)
      dropMalformedId(request)
      toOriginForm(request)
      const refusal = refusalOf(request)
      return refusal === null
        ? this.#handle(handler(request, response))
        : response.writeHead(refusal, { 'Connection': 'close', 'Content-Length': 0 }).end()
    })
  }

  override close(callback?: (error?: Error) => void): this {
    const deadline = Date.now() + this.requestTimeout
    super.close((error) => void this.#handlersEnded(deadline).then(() => callback?.(error)))
    if (!this.#closing) {
      this.#closing = true
      this.#running.forEach((responses, socket) => {
        responses.forEach(announceEnd)
        this.#closeWhenIdle(socket)
      })
      setTimeout(() => this.closeAllConnections(), this.requestTimeout).unref()
    }
    return this
  }

  /** A handler goes on when its client is gone, and needs the database until it ends. */
  #handle(work: unknown) {
    if (work instanceof Promise) {
      this.#handling++
      void work.finally(() => --this.#handling || this.emit(HANDLED))
    }
  }

  /** Those that go on when the time of the connections is over have had theirs, too. */
  async #handlersEnded(deadline: number) {
    if (this.#handling) {
      const waiting = new AbortController()
      const { signal } = waiting
      const late = sleep(deadline - Date.now(), undefined, { signal })
      await Promise.race([once(this, HANDLED, { signal }), late]).finally(() => waiting.abort())
    }
  }

  /** Called by `close()` of Node.js, which would close them before the moment is over. */
  override closeIdleConnections(): void {}

  /** What has arrived until then is read before "immediate" work is done. */
  #closeWhenIdle(socket: Socket) {
    const close = () => this.#running.get(socket)?.size || socket.destroy()
    setTimeout(() => setImmediate(close), LINGER)
  }

  #begin({ socket }: IncomingMessage, response: ServerResponse) {
    const responses = this.#running.get(socket)
    responses?.add(response)
    response.on('close', () => {
      responses?.delete(response)
      /* Node.js closes it now where the end was announced. Elsewhere the next request may be on its way. */
      if (this.#closing) {
        this.#closeWhenIdle(socket)
      }
    })
    if (this.#closing) {
      announceEnd(response)
    }
  }
}

/**
 * Node.js tells only the response whose turn it is. One that waits behind it (pipelining) would keep what it streams open.
 * "end" is for `response.onFinish()` of AdonisJS.
 */
function tellGone(response: ServerResponse) {
  if (!response.socket && !response.closed) {
    response.destroyed = true
    response.emit('close')
    response.emit('end')
  }
}

/** So that the client sends no other request on this connection (RFC 9112 §9.6). */
function announceEnd(response: ServerResponse) {
  if (!response.headersSent) {
    response.setHeader('Connection', 'close')
  }
}

/** A name or an address, and a port (RFC 9110 §7.2, RFC 3986 §3.2.2). */
const HOST = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i

/** The status for a request whose headers are not to be believed; null for every other one. */
function refusalOf({ rawHeaders, headers }: IncomingMessage): 400 | 431 | null {
  /* Node.js drops the headers beyond its limit without a word: what a proxy appends comes last. */
  if (rawHeaders.length >= MAX_HEADERS * 2) {
    return 431
  }
  /* RFC 9112 §3.2. Of several Node.js takes the first, and a proxy may have judged the last. */
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name))
  return hosts.length > 1 || !HOST.test(headers.host ?? '') ? 400 : null
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)\/?(.*)$/i

/** A server accepts whole addresses as well, and their host instead of the header's (RFC 9112 §3.2.2). */
function toOriginForm(request: IncomingMessage) {
  const [, host, path] = (request.url![0] !== '/' && ABSOLUTE_FORM.exec(request.url!)) || []
  if (host !== undefined) {
    request.headers.host = host
    request.url = `/${path}`
  }
}

function dropMalformedId({ headers }: IncomingMessage) {
  const id = headers['x-request-id']
  if (id !== undefined && !REQUEST_ID.test(String(id))) {
    delete headers['x-request-id']
  }
}
