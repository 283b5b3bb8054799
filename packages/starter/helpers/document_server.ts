import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import app from '@adonisjs/core/services/app'
import { getActiveTest } from '@japa/runner'

import { DocumentFetcher, type DocumentFetcherOptions } from '#kit/http/document_fetcher'
import { readTls, testFetcher } from '#starter/helpers/document_fetcher'

const HOST = 'clients.test'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A site on this machine with metadata documents, over https with a certificate of an authority of the tests. */
export class DocumentServer {
  readonly requests: IncomingMessage[] = []
  readonly #server: Server
  readonly #handlers = new Map<string, Handler>()

  constructor() {
    const identity = { cert: readTls('server.pem'), key: readTls('server.key') }
    this.#server = createServer(identity, (request, response) => {
      this.requests.push(request)
      const handler = this.#handlers.get(request.url!)
      return handler ? handler(request, response) : response.writeHead(404).end()
    })
  }

  /** Begins anew, without documents. @returns what stops it */
  async start() {
    this.requests.length = 0
    this.#handlers.clear()
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return () => this.stop()
  }

  async stop() {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  get port() {
    return (this.#server.address() as AddressInfo).port
  }

  get host() {
    return `${HOST}:${this.port}`
  }

  url(path: string) {
    return `https://${this.host}${path}`
  }

  handle(path: string, handler: Handler): string {
    this.#handlers.set(path, handler)
    return this.url(path)
  }

  /** Serves a body, JSON unless the headers say otherwise, and returns its URL. */
  serve(path: string, body: string | Buffer, headers: Record<string, string> = {}, status = 200) {
    return this.handle(path, (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
    })
  }

  /** Serves the document of a client that nothing is wrong with, and returns its URL. */
  serveClient(path: string, members: object = {}, headers: Record<string, string> = {}): string {
    const document = { ...CLIENT, client_id: this.url(path), ...members }
    return this.serve(path, JSON.stringify(document), headers)
  }
}

const CLIENT = {
  client_name: 'Test agent',
  redirect_uris: ['https://agent.example.com/callback', 'http://localhost/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** Lets the application fetch documents from a site of the tests, until the test ends. */
export function useTestFetcher(options: Partial<DocumentFetcherOptions> = {}): void {
  app.container.swap(DocumentFetcher, () => testFetcher(options))
  getActiveTest()!.cleanup(() => app.container.restore(DocumentFetcher))
}
