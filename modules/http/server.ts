import { type RequestListener, type Server, type ServerOptions, createServer } from 'node:http'

/** Milliseconds. A client that is slower than this is answered 408 and its connection closed. */
const LIMITS: ServerOptions = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
}

/** The HTTP server of the application: no client keeps a connection busy without sending. */
export function createHttpServer(handler: RequestListener, limits: ServerOptions = {}): Server {
  return createServer({ ...LIMITS, ...limits }, handler)
}
