import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

import { McpError } from '#mcp/errors'
import { answer } from '#mcp/protocol/dispatcher'
import type { Exchange } from '#mcp/protocol/exchange'
import {
  errorResponse,
  isObject,
  type JsonObject,
  parseJson,
  readableId,
  type RequestId,
} from '#mcp/protocol/json_rpc'
import { MetaKey } from '#mcp/protocol/versions'

/** What a message needs besides what the transport knows. */
export type LocalExchange = Omit<
  Exchange,
  'header' | 'mirrorsBody' | 'signal' | 'notify' | 'write' | 'canChallenge' | 'handlerStarts'
>

/**
 * The stdio transport of every revision: one JSON-RPC message a line, in both directions. The client
 * is the process at the other end, so what `initialize` tells is kept.
 */
export class StdioTransport {
  readonly #output: Writable
  readonly #exchange: () => Promise<LocalExchange>
  readonly #running = new Map<RequestId, AbortController>()
  #version: string | undefined
  #session: string | undefined

  /** @param exchange makes what one message needs */
  constructor(output: Writable, exchange: () => Promise<LocalExchange>) {
    this.#output = output
    this.#exchange = exchange
  }

  /** Serves until the client closes its end; then aborts what is still running. */
  async serve(input: Readable): Promise<void> {
    const answers = new Set<Promise<void>>()
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      if (line.trim() !== '') {
        const answered = this.#receive(line).finally(() => answers.delete(answered))
        answers.add(answered)
      }
    }
    this.#running.forEach((abort) => abort.abort())
    await Promise.all(answers)
  }

  async #receive(line: string): Promise<void> {
    let message: unknown
    try {
      message = parseJson(Buffer.from(line))
    } catch (error) {
      if (!(error instanceof McpError)) {
        throw error
      }
      return this.#send(errorResponse(undefined, error))
    }
    if (!this.#cancel(message)) {
      await this.#answer(message)
    }
  }

  async #answer(message: unknown): Promise<void> {
    const id = readableId(message)
    const abort = new AbortController()
    if (id !== undefined) {
      this.#running.set(id, abort)
    }
    const exchange = await this.#exchange()
    const { body } = await answer(message, {
      ...exchange,
      header: (name) => this.#header(name, message),
      mirrorsBody: false,
      signal: abort.signal,
      notify: (method, params) => this.#send(JSON.stringify({ jsonrpc: '2.0', method, params })),
      write: (json) => {
        this.#send(json)
        return true
      },
      canChallenge: () => false,
      handlerStarts: () => {},
    })
    if (id !== undefined && this.#running.get(id) === abort) {
      this.#running.delete(id)
    }
    if (body !== null) {
      this.#remember(message, body, exchange)
      this.#send(body)
    }
  }

  /** Only this client writes here, so any of its calls may be cancelled (2026-07-28, "Cancellation"). */
  #cancel(message: unknown): boolean {
    if (!isObject(message) || message.method !== 'notifications/cancelled') {
      return false
    }
    const { requestId } = (isObject(message.params) ? message.params : {}) as JsonObject
    this.#running.get(requestId as RequestId)?.abort()
    return true
  }

  /** What HTTP has in headers: here, the version is in the message, or was negotiated. */
  #header(name: string, message: unknown): string | undefined {
    const { method, params } = (isObject(message) ? message : {}) as JsonObject
    if (name === 'mcp-method') {
      return typeof method === 'string' ? method : undefined
    }
    if (name !== 'mcp-protocol-version') {
      return name === 'mcp-session-id' ? this.#session : undefined
    }
    const meta = isObject(params) && isObject(params._meta) ? params._meta : {}
    const claim = meta[MetaKey.ProtocolVersion]
    return typeof claim === 'string' ? claim : this.#version
  }

  #remember(message: unknown, body: string, { ctx }: LocalExchange): void {
    if (isObject(message) && message.method === 'initialize') {
      this.#session = ctx.response.getHeader('mcp-session-id') as string
      this.#version = JSON.parse(body).result?.protocolVersion ?? this.#version
    }
  }

  #send(json: string): void {
    this.#output.write(`${json}\n`)
  }
}
