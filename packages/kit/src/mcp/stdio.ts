import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'

import { HttpContext } from '@adonisjs/core/http'
import logger from '@adonisjs/core/services/logger'
import type { ApplicationService } from '@adonisjs/core/types'

import { AuthContext } from '#auth/outcome'
import { actAs } from '#auth/guards/guard'
import { assertRuntime } from '#config/checks'
import { runInContext } from '#http/current_request'
import { McpError } from '#mcp/errors'
import { Protection } from '#mcp/protection'
import { type Exchange, SILENT } from '#mcp/protocol/call'
import { answer, asMcpError } from '#mcp/protocol/dispatcher'
import { MetaKey } from '#mcp/protocol/era'
import { errorResponse, parseJson, readableId } from '#mcp/protocol/json_rpc'
import { objectOr } from '#process/objects'

/**
 * Serves a mounted server over stdio until the client closes its end. With a user, calls have every
 * scope: whoever can start the command can read the database anyway.
 * @param options.user username, usually an e-mail address, of the active user to act as
 * @throws {RuntimeException} for an unknown server or user, and for a closed mount without a user
 */
export async function serveStdio(
  app: ApplicationService,
  options: { name: string; user?: string; input: Readable; output: Writable }
): Promise<void> {
  const { name, user, input, output } = options
  const manager = await app.container.make('mcp')
  const mount = await manager.findMount(name)
  assertRuntime(mount, `There is no MCP server "${name}": see mcp:list`)
  const { definition, protection } = mount
  const actor = await findCaller(app, user)
  const fault = `The MCP server "${name}" is closed to strangers: name a user with --user`
  assertRuntime(actor || !protection || protection.optional, fault)

  const { config, announce, tasks, subscriptions } = manager
  /* Calls of a mount without protection may need scopes all the same. */
  const open = new Protection({ optional: true }, 'stdio:', () => '')
  const seen = (protection ?? open).seenUnder(null)
  const shared = { definition, config, protection: seen, announce, tasks, subscriptions }
  const transport = new StdioTransport(output, async () => {
    const ctx = await createLocalContext(app, await findCaller(app, user, actor))
    return { ...shared, count: async () => {}, ctx, caller: actor && definition.Server.caller(ctx) }
  })
  await transport.serve(input)
}

/** @param known the caller of before: their name may have changed, and be another person's now */
async function findCaller(app: ApplicationService, typed?: string, known?: AuthContext | null) {
  if (typed === undefined) {
    return null
  }
  const auth = await app.container.make('auth_manager')
  const users = auth.usersOf()
  const user = known
    ? await users.findActive(users.identify(known.user))
    : await users.findActiveByUsername(users.toUsername(typed))
  assertRuntime(user !== null, `There is no active user "${typed}"`)
  return new AuthContext({ user, scopes: ['*'] })
}

/**
 * A context for handlers that are called without HTTP: its request is empty and its response goes nowhere.
 * @param actor who calls, if somebody does
 */
export async function createLocalContext(app: ApplicationService, actor?: AuthContext | null) {
  const server = await app.container.make('server')
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const resolver = app.container.createResolver()
  const received = server.createRequest(request, response)
  const answered = server.createResponse(request, response)
  const ctx = server.createHttpContext(received, answered, resolver)
  resolver.bindValue(HttpContext, ctx)
  if (actor) {
    const auth = await app.container.make('auth_manager')
    await actAs(ctx, auth, actor)
    /* `ctx.workspace`, as middleware.workspace() of the mount gives it. */
    await auth.feature('credentialContexts')?.current(ctx)
  }
  return ctx
}

type LocalExchange = Omit<Exchange, 'header' | 'mirrorsBody' | 'signal' | keyof typeof SILENT>

/**
 * The stdio transport of every revision: one JSON-RPC message a line, in both directions. The client
 * is the process at the other end, so what `initialize` tells is kept.
 */
export class StdioTransport {
  readonly #running = new Map<unknown, AbortController>()
  #version: string | undefined
  #session: string | undefined

  constructor(
    private readonly output: Writable,
    private readonly exchange: () => Promise<LocalExchange>
  ) {}

  async serve(input: Readable): Promise<void> {
    const answers = new Set<Promise<void>>()
    for await (const line of linesOf(input)) {
      /* A byte that is visible. */
      if (line.some((byte) => byte > 0x20)) {
        const answered = this.#receive(line).finally(() => answers.delete(answered))
        answers.add(answered)
      }
    }
    this.#running.forEach((abort) => abort.abort())
    await Promise.all(answers)
  }

  async #receive(line: Buffer): Promise<void> {
    let value: unknown
    try {
      value = parseJson(line)
    } catch (error) {
      return this.#send(errorResponse(undefined, asMcpError(error, logger)))
    }
    const message = objectOr(value)
    if (message.method === 'notifications/cancelled') {
      /* Only this client writes here, so any of its calls may be cancelled (2026-07-28, "Cancellation"). */
      this.#running.get(objectOr(message.params).requestId)?.abort()
    } else {
      await this.#answer(value, message)
    }
  }

  async #answer(value: unknown, message: Record<string, unknown>): Promise<void> {
    const id = readableId(value)
    const abort = new AbortController()
    id !== undefined && this.#running.set(id, abort)
    const exchange = await this.exchange().catch((error) => asMcpError(error, logger))
    if (exchange instanceof McpError) {
      this.#running.delete(id)
      return id === undefined ? undefined : this.#send(errorResponse(id, exchange))
    }
    const { body } = await runInContext(exchange.ctx, () =>
      answer(value, {
        ...exchange,
        ...SILENT,
        header: (name) => this.#header(name, message),
        mirrorsBody: false,
        signal: () => abort.signal,
        write: (json) => {
          this.#send(json)
          return true
        },
      })
    )
    this.#running.get(id) === abort && this.#running.delete(id)
    if (body !== null) {
      if (message.method === 'initialize') {
        this.#session = exchange.ctx.response.getHeader('mcp-session-id') as string
        this.#version = JSON.parse(body).result?.protocolVersion ?? this.#version
      }
      this.#send(body)
    }
  }

  /** What HTTP has in headers: here, the version is in the message, or was negotiated. */
  #header(name: string, { method, params }: Record<string, unknown>): string | undefined {
    const claim = objectOr(objectOr(params)._meta)[MetaKey.ProtocolVersion]
    const headers: Record<string, unknown> = {
      'mcp-method': method,
      'mcp-session-id': this.#session,
      'mcp-protocol-version': typeof claim === 'string' ? claim : this.#version,
    }
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  }

  #send(json: string): void {
    this.output.write(`${json}\n`)
  }
}

const NEWLINE = 0x0a

/**
 * The lines of a stream (2026-07-28, "Transports", stdio). A newline alone ends one: the `readline` of
 * Node.js also splits at U+2028 and U+2029, which the strings of JSON may have as they are.
 */
async function* linesOf(input: Readable): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  for await (const chunk of input) {
    let bytes = Buffer.from(chunk)
    let end = bytes.indexOf(NEWLINE)
    while (end >= 0) {
      yield Buffer.concat([...begun, bytes.subarray(0, end)])
      begun = []
      bytes = bytes.subarray(end + 1)
      end = bytes.indexOf(NEWLINE)
    }
    begun.push(bytes)
  }
  yield Buffer.concat(begun)
}
