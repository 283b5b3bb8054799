import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { Assert } from '@japa/assert'

import type { CredentialContext } from '#auth/credential_contexts'
import { AuthContext } from '#auth/outcome'
import { runInContext } from '#http/current_request'
import { APP_MIME_TYPE, APPS_EXTENSION } from '#mcp/protocol/capabilities'
import { SILENT } from '#mcp/protocol/call'
import { answer } from '#mcp/protocol/dispatcher'
import { MetaKey, MODERN_VERSION } from '#mcp/protocol/era'
import type { ServerClass } from '#mcp/server'
import { createLocalContext } from '#mcp/stdio'
import type { ClientCapabilities, PromptClass, ResourceClass, ToolClass } from '#mcp/types'

type Json = Record<string, any>

const CAPABLE: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
  extensions: { [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } },
}

/**
 * Calls what a server offers: the whole protocol, without HTTP.
 * @param Server the server class; it need not be mounted
 * @param prepare sets up the HttpContext of the handlers
 * @example
 * const reply = await mcp(BlogServer).tool(SearchPosts, { query: 'adonis' })
 * reply.assertOk().assertSee('AdonisJS')
 *
 * const mine = await mcp(BlogServer).as(user, ['posts:read']).tool(MyPosts)
 */
export function mcp(Server: ServerClass, prepare: (ctx: HttpContext) => unknown = () => {}) {
  return new McpTestClient({ Server, prepare, capabilities: CAPABLE })
}

class McpTestClient {
  constructor(
    readonly options: {
      Server: ServerClass
      prepare: (ctx: HttpContext) => unknown
      capabilities: ClientCapabilities
      context?: AuthContext
    }
  ) {}

  /** The same client, with these capabilities only. */
  capableOf(capabilities: ClientCapabilities): McpTestClient {
    return new McpTestClient({ ...this.options, capabilities })
  }

  /**
   * Authenticated as a user.
   * @param scopes what was granted; everything when absent
   * @param boundTo what the token is bound to, e.g. `{ workspace_id: 7 }`; nothing when absent
   */
  as(user: object, scopes = ['*'], boundTo?: CredentialContext): McpTestClient {
    const context = new AuthContext({ user, scopes, boundTo })
    return new McpTestClient({ ...this.options, context })
  }

  tool(Tool: ToolClass, args: Json = {}): Promise<McpReply> {
    return this.send('tools/call', { name: Tool.name, arguments: args })
  }

  prompt(Prompt: PromptClass, args: Record<string, string> = {}): Promise<McpReply> {
    return this.send('prompts/get', { name: Prompt.name, arguments: args })
  }

  /** Reads a resource, or what a template makes of a URI. */
  resource(resource: ResourceClass | string): Promise<McpReply> {
    const uri = typeof resource === 'string' ? resource : resource.uri
    return this.send('resources/read', { uri })
  }

  /** Suggestions for an argument of a prompt or a variable of a template. */
  complete(
    Class: PromptClass | ResourceClass,
    argument: string,
    value: string,
    known: Record<string, string> = {}
  ): Promise<McpReply> {
    const ref =
      'uri' in Class
        ? { type: 'ref/resource', uri: Class.uri }
        : { type: 'ref/prompt', name: Class.name }
    const params = { ref, argument: { name: argument, value }, context: { arguments: known } }
    return this.send('completion/complete', params)
  }

  async send(method: string, params: Json = {}): Promise<McpReply> {
    const { Server, context, prepare } = this.options
    const ctx = await createLocalContext(app, context)
    await prepare(ctx)

    const manager = await app.container.make('mcp')
    const headers = new Headers({ 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': method })
    const failures: unknown[] = []
    const notifications: { method: string; params: Json }[] = []
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: this.#meta } }
    const definition = await manager.definition(Server)
    const { body } = await runInContext(ctx, () =>
      answer(JSON.parse(JSON.stringify(message)), {
        definition,
        config: manager.config,
        ctx,
        header: (name) => headers.get(name) ?? undefined,
        mirrorsBody: false,
        caller: Server.caller(ctx),
        protection: null,
        signal: () => new AbortController().signal,
        ...SILENT,
        canChallenge: () => true,
        announce: () => {},
        count: async () => {},
        tasks: manager.tasks,
        subscriptions: null,
        unexpected: (error) => failures.push(error),
        write(json) {
          const told = JSON.parse(json)
          return notifications.push({ method: told.method, params: told.params }) > 0
        },
      })
    )
    return new McpReply(this, method, params, JSON.parse(body!), notifications, failures)
  }

  get #meta() {
    return {
      progressToken: 1,
      [MetaKey.ProtocolVersion]: MODERN_VERSION,
      [MetaKey.ClientCapabilities]: this.options.capabilities,
      [MetaKey.LogLevel]: 'debug',
    }
  }
}

/** What came back, and assertions on it. Each returns the reply, so that they chain. */
class McpReply {
  readonly #assert = new Assert()
  readonly result: Json
  readonly error?: { code: number; message: string; data?: any }

  /** @param failures errors whose text clients do not get, such as a result that does not match its output schema */
  constructor(
    private readonly client: McpTestClient,
    private readonly method: string,
    private readonly params: Json,
    response: Json,
    readonly notifications: readonly { method: string; params: Json }[],
    readonly failures: readonly unknown[]
  ) {
    this.result = response.result ?? {}
    this.error = response.error
  }

  get text(): string {
    const blocks: Json[] =
      this.result.content ??
      this.result.contents ??
      (this.result.messages ?? []).map(({ content }: Json) => content)
    return blocks.map(({ text }) => text ?? '').join('\n')
  }

  /** Neither a protocol error nor an error result, and nothing left to ask. */
  assertOk(): this {
    const reasons = this.failures.map((one) => (one instanceof Error ? one.message : String(one)))
    const told = [this.error?.message ?? this.text, ...reasons].join(': ')
    this.#assert.isUndefined(this.error, told)
    this.#assert.notEqual(this.result.isError, true, told)
    this.#assert.equal(this.result.resultType, 'complete')
    return this
  }

  /** An error result: the tool's own failure, or arguments that it does not take. */
  assertToolError(text?: string): this {
    this.#assert.isTrue(this.result.isError, 'The tool reported no error')
    return text === undefined ? this : this.assertSee(text)
  }

  assertError(code: number): this {
    this.#assert.equal(this.error?.code, code)
    return this
  }

  assertSee(text: string): this {
    this.#assert.include(this.text, text)
    return this
  }

  assertDontSee(text: string): this {
    this.#assert.notInclude(this.text, text)
    return this
  }

  assertStructured(expected: unknown): this {
    this.#assert.deepEqual(this.result.structuredContent, expected)
    return this
  }

  /** Messages of a prompt: pairs of role and text. */
  assertMessages(expected: [string, string][]): this {
    const messages = (this.result.messages ?? []).map((one: Json) => [one.role, one.content.text])
    this.#assert.deepEqual(messages, expected)
    return this
  }

  assertCompletions(expected: string[]): this {
    this.#assert.deepEqual(this.result.completion?.values, expected)
    return this
  }

  assertProgress(expected: number[]): this {
    const seen = this.notifications
      .filter(({ method }) => method === 'notifications/progress')
      .map(({ params }) => params.progress)
    this.#assert.deepEqual(seen, expected)
    return this
  }

  assertAsks(...names: string[]): this {
    this.#assert.equal(this.result.resultType, 'input_required')
    this.#assert.sameMembers(Object.keys(this.result.inputRequests ?? {}), names)
    return this
  }

  /** Calls again, with answers to what was asked. */
  answer(inputResponses: Json): Promise<McpReply> {
    const { requestState } = this.result
    return this.client.send(this.method, { ...this.params, inputResponses, requestState })
  }
}
