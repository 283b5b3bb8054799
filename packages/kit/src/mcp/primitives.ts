import type { ScopeName } from '#auth/scopes'
import type { Caller } from '#mcp/caller'
import type { Arguments, Structure } from '#mcp/inference'
import type { McpRequest } from '#mcp/request'
import type { Response } from '#mcp/response'
import type { AppClass, CacheScope, Icon, ResourceContents, SchemaSource } from '#mcp/types'
import type { MaybePromise } from '#process/maybe_promise'

/** Hints on the audience and the importance of a content. */
export interface Annotations {
  audience?: ('user' | 'assistant')[]
  /** From 0 (optional) to 1 (required). */
  priority?: number
  /** ISO 8601. */
  lastModified?: string
}

/** Hints on the behaviour of a tool. Clients may ignore those of servers they do not trust. */
export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** What tools, prompts and resources have in common: static, and read once, at start. */
abstract class Primitive {
  /** Unique within the server. */
  static name: string
  static description?: string
  static title?: string
  static icons?: Icon[]
  static meta?: Record<string, unknown>

  /**
   * Scopes that a caller needs: a call without them is refused before it runs, with a challenge.
   * Declare them `as const`, so that a misspelt one fails to compile.
   */
  static scopes: readonly ScopeName[] = []

  /** Returning false hides the class from this caller, as if the server did not have it. */
  static visible?(caller: Caller | null): boolean

  /** Returning false leaves the class out. Called once, at start. */
  static shouldRegister(): MaybePromise<boolean> {
    return true
  }
}

/**
 * A function that a model can call. For each call the container makes an instance and `handle` runs.
 * With the class as type argument, `handle` is checked against the schemas where it is written;
 * without, when the server is mounted.
 * @example
 * class ReadPost extends Tool<typeof ReadPost> {
 *   static name = 'read_post'
 *   static description = 'Returns a post.'
 *   static schema = () => vine.create({ id: vine.number() })
 *
 *   handle({ id }: Arguments<typeof ReadPost>) {
 *     return Response.text(`Post ${id}`)
 *   }
 * }
 */
export abstract class Tool<Class = any> extends Primitive {
  /** Unique within the server: up to 128 of A-Z, a-z, 0-9, "_", "-" and ".". */
  static override name: string
  /** Tells the model what the tool does and when to use it. */
  static override description: string
  static annotations?: ToolAnnotations
  /** The page that clients with MCP Apps show with the result; others get the result alone. */
  static app?: AppClass

  /**
   * Who calls the tool: the model, the pages of apps, or both. Clients without apps neither see nor
   * reach a tool that is for pages alone; that a client with apps keeps it from its model is its part,
   * so this saves the model from what is none of its business, and is no protection: scopes are.
   */
  static callableBy: readonly ('model' | 'app')[] = ['model', 'app']

  /**
   * Whether calls can go on as a task, for clients that support the Tasks extension (2026-07-28):
   * "optional" answers other clients when the handler has finished, "required" refuses them.
   */
  static taskSupport: 'never' | 'optional' | 'required' = 'never'

  /**
   * What becomes of questions (`Response.inputRequired`) for clients before 2026-07-28, which cannot
   * be asked during a call: "confirm" asks the person through the model, which calls again with an
   * argument `confirm`, and opens pages of `InputRequest.visit`; "visit" sends the person to a page: to
   * one with the forms of `InputRequest.elicit`, whose answers the next call of the same arguments has,
   * or to those of `InputRequest.visit`, for tools that know by themselves whether a page was used;
   * "refuse" fails the call. A model could answer "confirm" without asking, and cannot answer on a page.
   */
  static olderClients: 'refuse' | 'confirm' | 'visit' = 'refuse'

  /** Describes the arguments, which are validated before `handle`. Default: no arguments. */
  static schema(): SchemaSource {
    return { type: 'object', additionalProperties: false }
  }

  /** Describes the structured content; every result is validated against it. */
  static outputSchema(): SchemaSource | undefined {
    return undefined
  }

  /**
   * Runs before `handle`, and before a task is created: asks for input that decides whether the work
   * begins at all, or answers at once. Returning nothing goes on.
   */
  prepare?(
    args: Arguments<Class>,
    request: McpRequest
  ): MaybePromise<Response<Structure<Class>> | undefined>

  /**
   * Does the work. A failure that the model should know of is returned as `Response.error`. A
   * thrown error is logged and the client gets a generic text, unless it is an AdonisJS exception of
   * status 4xx or a VineJS validation error, whose text is sent.
   */
  abstract handle(
    args: Arguments<Class>,
    request: McpRequest
  ): MaybePromise<Response<Structure<Class>>>
}

/** An argument of a prompt. Clients send arguments as strings. */
export class Argument {
  readonly name: string
  readonly title?: string
  readonly description?: string | null
  readonly required: boolean

  constructor(options: Partial<Argument> & { name: string }) {
    this.name = options.name
    this.title = options.title
    this.description = options.description ?? undefined
    this.required = options.required ?? false
  }
}

/** A template of messages that a user picks. */
export abstract class Prompt extends Primitive {
  static override description: string

  /** The arguments. A call without a required one is refused before `handle`. */
  static arguments(): Argument[] {
    return []
  }

  /**
   * Returns the messages: one for each part of the response, with the role "user" or, after
   * `.asAssistant()`, "assistant". `Response.error` becomes the error -32602.
   */
  abstract handle(args: any, request: McpRequest): MaybePromise<Response>

  /** Suggests values for an argument, best first. The client gets the first hundred. */
  complete?(argument: string, value: string, known: Record<string, string>): MaybePromise<string[]>
}

/**
 * Data that a client can read. A `uri` with expressions ("blog://posts/{id}", RFC 6570) makes the
 * class a resource template, and `read` gets the variables.
 */
export abstract class Resource extends Primitive {
  /** Unique within the server. */
  static uri: string
  static mimeType = 'text/plain'
  static annotations?: Annotations
  /** Size in bytes, if known. */
  static size?: number
  /** How long a client may cache the contents, in milliseconds. */
  static ttlMs = 0
  static cacheScope: CacheScope = 'private'

  /**
   * Whether clients may subscribe: the app calls `resourceUpdated` with the URI when it has changed.
   * Whoever may read resources of this class learns by it that the URI has changed, and nothing more.
   */
  static subscribable = false

  /**
   * Returns the contents: text, bytes, or several parts; or asks the client for input with
   * `Response.inputRequired`. Null means that the resource does not exist, and so does an AdonisJS
   * exception of status 404, such as `findOrFail` throws.
   */
  abstract read(
    variables: any,
    request: McpRequest
  ): MaybePromise<string | Uint8Array | ResourceContents[] | Response | null>

  /** Suggestions for a variable of the template. */
  complete?(argument: string, value: string, known: Record<string, string>): MaybePromise<string[]>
}
