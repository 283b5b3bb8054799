import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import type { InputRequests } from '#mcp/input_request'
import type { Annotations, Icon, ResourceContents } from '#mcp/types'

/** A content block of the MCP schema. */
export type ContentBlock = { type: string } & Record<string, unknown>
export type Role = 'user' | 'assistant'

interface ContentOptions {
  annotations?: Annotations
  _meta?: Record<string, unknown>
}

interface Part {
  block: ContentBlock
  role: Role
}

/**
 * What a tool or a prompt answers. The static methods make one, and `Response.of` puts several
 * together into one.
 */
export class Response {
  private constructor(
    readonly parts: readonly Part[],
    readonly kind: 'content' | 'error' | 'structure' | 'inputRequired' = 'content',
    /** JSON of the structured content, or the questions of `inputRequired`. */
    private readonly payload?: { json: string } | { requests: InputRequests; state: unknown }
  ) {}

  /** Plain text. */
  static text(text: string, options?: ContentOptions): Response {
    return Response.#content({ type: 'text', text: String(text), ...options })
  }

  /** A picture: bytes, or base64. */
  static image(data: Uint8Array | string, mimeType: string, options?: ContentOptions): Response {
    return Response.#content({ type: 'image', data: base64(data), mimeType, ...options })
  }

  /** A sound: bytes, or base64. */
  static audio(data: Uint8Array | string, mimeType: string, options?: ContentOptions): Response {
    return Response.#content({ type: 'audio', data: base64(data), mimeType, ...options })
  }

  /** A resource, contents and all: `text`, or base64 in `blob`. */
  static resource(resource: ResourceContents, options?: ContentOptions): Response {
    return Response.#content({ type: 'resource', resource, ...options })
  }

  /** A link to a resource, which the client may read on its own. */
  static link(
    link: {
      uri: string
      name: string
      title?: string
      description?: string
      mimeType?: string
      size?: number
      icons?: Icon[]
    },
    options?: ContentOptions
  ): Response {
    return Response.#content({ type: 'resource_link', ...link, ...options })
  }

  /**
   * Structured content, and the same JSON as a text part for clients that do not read it.
   *
   * @throws InvalidArgumentsException for a value that JSON has no form for
   */
  static structure(data: unknown): Response {
    const json: string | undefined = JSON.stringify(data)
    if (json === undefined) {
      throw new InvalidArgumentsException('Response.structure needs a value that JSON can carry')
    }
    return new Response([part({ type: 'text', text: json })], 'structure', { json })
  }

  /** A failure, told in words that help the model to do better. */
  static error(message: string): Response {
    return new Response([part({ type: 'text', text: String(message) })], 'error')
  }

  /**
   * Asks the client for something before the call can go on. The client calls again with the
   * answers (`request.answers`) and the state (`request.state`), which is encrypted on its way and
   * comes back only to the same call. Clients of revision 2026-07-28 can do this; older ones get an error.
   */
  static inputRequired(requests: InputRequests, state?: unknown): Response {
    if (Object.keys(requests).length === 0 && state === undefined) {
      throw new InvalidArgumentsException('Response.inputRequired needs a request or a state')
    }
    return new Response([], 'inputRequired', { requests, state })
  }

  /** Several contents as one response; an error among them makes it one. */
  static of(...responses: Response[]): Response {
    const kinds = responses.map((response) => response.kind)
    if (
      kinds.includes('inputRequired') ||
      kinds.filter((kind) => kind === 'structure').length > 1
    ) {
      throw new InvalidArgumentsException(
        'Response.of takes contents, at most one structure among them'
      )
    }
    return new Response(
      responses.flatMap((response) => response.parts),
      kinds.includes('error') ? 'error' : kinds.includes('structure') ? 'structure' : 'content',
      responses.find((response) => response.kind === 'structure')?.payload
    )
  }

  static #content(block: ContentBlock): Response {
    return new Response([part(block)])
  }

  /** In a prompt: the same messages, as if the assistant had said them. */
  asAssistant(): Response {
    return new Response(
      this.parts.map(({ block }) => ({ block, role: 'assistant' as const })),
      this.kind,
      this.payload
    )
  }

  /** Text of the text parts, for error messages. */
  get plainText(): string {
    return this.parts.map(({ block }) => block.text ?? '').join('\n')
  }

  /** The structured content as JSON, when there is some. */
  get structureJson(): string | undefined {
    return this.payload && 'json' in this.payload ? this.payload.json : undefined
  }

  /** The questions and the state of `inputRequired`. */
  get question(): { requests: InputRequests; state: unknown } | undefined {
    return this.payload && 'requests' in this.payload ? this.payload : undefined
  }
}

function part(block: ContentBlock): Part {
  return { block, role: 'user' }
}

function base64(data: Uint8Array | string): string {
  return typeof data === 'string'
    ? data
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
}
