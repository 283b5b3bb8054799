import { assertArgument } from '#config/checks'
import type { InputRequests } from '#mcp/request'
import type { Combined } from '#mcp/inference'
import type { Implementation, ResourceContents } from '#mcp/types'
import type { Annotations } from '#mcp/primitives'
import type { Json } from '#process/json'

export type ContentBlock = { type: string } & Record<string, unknown>

/** What `inputRequired` asks, and the state that comes back with the answers. */
export type Question = { requests: InputRequests; state: unknown }

type ContentOptions = { annotations?: Annotations; _meta?: Record<string, unknown> }
type Part = { block: ContentBlock; role: 'user' | 'assistant' }

/** The answer of a tool or a prompt. The static methods create one; `Response.of` combines several. */
export class Response<Structure = unknown> {
  /** Type only: the structured content; undefined without one, never for a failure or a question. */
  declare readonly structure: Structure

  private constructor(
    readonly parts: readonly Part[],
    readonly kind: 'content' | 'error' | 'structure' | 'inputRequired' = 'content',
    /** The structured content as JSON, or the questions of `inputRequired`. */
    private readonly payload?: { json: string } | Question
  ) {}

  static text(text: string, options?: ContentOptions): Response<undefined> {
    return Response.#content({ type: 'text', text: String(text), ...options })
  }

  /** @param data bytes, or base64 */
  static image(data: Uint8Array | string, mimeType: string, options?: ContentOptions) {
    return Response.#content({ type: 'image', data: base64(data), mimeType, ...options })
  }

  /** @param data bytes, or base64 */
  static audio(data: Uint8Array | string, mimeType: string, options?: ContentOptions) {
    return Response.#content({ type: 'audio', data: base64(data), mimeType, ...options })
  }

  /** An embedded resource: `text`, or base64 in `blob`. */
  static resource(resource: ResourceContents, options?: ContentOptions): Response<undefined> {
    return Response.#content({ type: 'resource', resource, ...options })
  }

  /** A link to a resource that the client can read. */
  static link(
    link: Omit<Implementation, 'version' | 'websiteUrl'> &
      Pick<ResourceContents, 'uri' | 'mimeType'> & { size?: number },
    options?: ContentOptions
  ): Response<undefined> {
    return Response.#content({ type: 'resource_link', ...link, ...options })
  }

  /**
   * Structured content, and the same JSON as a text part for clients that do not read it.
   * @throws {InvalidArgumentsException} for a value that JSON cannot represent
   */
  static structure<const Data>(data: Data): Response<Json<Data>> {
    const json: string | undefined = JSON.stringify(data)
    assertArgument(json !== undefined, 'Response.structure needs a value that JSON can represent')
    return new Response([part({ type: 'text', text: json })], 'structure', { json })
  }

  /** A failure. The text is for the model: say what it can do better. */
  static error(message: string): Response<never> {
    return new Response([part({ type: 'text', text: String(message) })], 'error')
  }

  /**
   * Asks the client for input. The client repeats the call with the answers (`request.answers`) and
   * the state (`request.state`), which is encrypted and valid for the same call of the same caller
   * only. Clients of revisions before 2026-07-28 get an error instead.
   */
  static inputRequired(requests: InputRequests, state?: unknown): Response<never> {
    const asks = Object.keys(requests).length > 0 || state !== undefined
    assertArgument(asks, 'Response.inputRequired needs a request or a state')
    return new Response([], 'inputRequired', { requests, state })
  }

  /** Combines several contents; an error among them makes the response an error. */
  static of<Responses extends Response[]>(...responses: Responses): Response<Combined<Responses>> {
    const kinds = responses.map((response) => response.kind)
    assertArgument(
      !kinds.includes('inputRequired') && kinds.filter((kind) => kind === 'structure').length <= 1,
      'Response.of combines contents, with at most one structure and without inputRequired'
    )
    const parts = responses.flatMap((response) => response.parts)
    const structured = responses.find(({ kind }) => kind === 'structure')
    const kind = kinds.includes('error') ? 'error' : structured ? 'structure' : 'content'
    return new Response(parts, kind, structured?.payload)
  }

  static #content(block: ContentBlock): Response<undefined> {
    return new Response([part(block)])
  }

  /** The same messages with the role "assistant", for prompts. */
  asAssistant(): Response<Structure> {
    const parts = this.parts.map(({ block }) => ({ block, role: 'assistant' as const }))
    return new Response(parts, this.kind, this.payload)
  }

  /** The text parts, joined by line breaks. */
  get plainText(): string {
    return this.parts.map(({ block }) => block.text ?? '').join('\n')
  }

  get structureJson(): string | undefined {
    return this.payload && 'json' in this.payload ? this.payload.json : undefined
  }

  get question(): Question | undefined {
    return this.payload && 'requests' in this.payload ? this.payload : undefined
  }
}

const part = (block: ContentBlock): Part => ({ block, role: 'user' })

function base64(data: Uint8Array | string): string {
  return typeof data === 'string'
    ? data
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
}
