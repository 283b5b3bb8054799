import type { McpRequest } from '#mcp/request'
import type { Response } from '#mcp/response'
import type {
  Annotations,
  CacheScope,
  Completes,
  Icon,
  MaybePromise,
  ResourceContents,
} from '#mcp/types'

/**
 * Something to read. A `uri` with expressions in it ("blog://posts/{id}", RFC 6570) makes the
 * class a resource template: `read` gets the variables. See {@link Tool} on what is static.
 */
export abstract class Resource implements Partial<Completes> {
  /** Unique within the server. */
  static uri: string
  static name: string
  static description?: string
  static mimeType = 'text/plain'

  static title?: string
  static annotations?: Annotations
  /** Size in bytes, where it is known. */
  static size?: number
  static icons?: Icon[]
  static meta?: Record<string, unknown>

  /** How long a client may keep what it read, in milliseconds. */
  static ttlMs = 0
  static cacheScope: CacheScope = 'private'

  /** False leaves the resource out, decided once at start. */
  static shouldRegister(): MaybePromise<boolean> {
    return true
  }

  /**
   * Gives the contents: text, bytes, or several parts; or asks the client for something with
   * `Response.inputRequired`. Null, like an AdonisJS exception of status 404 (Lucid's
   * `findOrFail` throws one), says there is no such resource.
   */
  abstract read(
    variables: any,
    request: McpRequest
  ): MaybePromise<string | Uint8Array | ResourceContents[] | Response | null>

  /** Suggestions for a variable of the template. */
  complete?(argument: string, value: string, known: Record<string, string>): MaybePromise<string[]>
}
