import type { ScopeName } from '#auth/scopes'
import type { Caller } from '#mcp/caller'
import type { McpRequest } from '#mcp/request'
import type { Response } from '#mcp/response'
import type { Annotations, CacheScope, Completes, Icon, ResourceContents } from '#mcp/types'
import type { MaybePromise } from '#process/maybe_promise'

/**
 * Data that a client can read. A `uri` with expressions ("blog://posts/{id}", RFC 6570) makes the
 * class a resource template, and `read` gets the variables. As in a {@link Tool}, the description is
 * static.
 */
export abstract class Resource implements Partial<Completes> {
  /** Unique within the server. */
  static uri: string
  static name: string
  static description?: string
  static mimeType = 'text/plain'

  static title?: string
  static annotations?: Annotations
  /** Size in bytes, if known. */
  static size?: number
  static icons?: Icon[]
  static meta?: Record<string, unknown>

  /** How long a client may cache the contents, in milliseconds. */
  static ttlMs = 0
  static cacheScope: CacheScope = 'private'

  /**
   * Whether clients may subscribe: the app calls `resourceUpdated` with the URI when it has changed.
   * Whoever may read resources of this class learns by it that the URI has changed, and nothing more.
   */
  static subscribable = false

  /**
   * Scopes that a caller needs: a call without them is refused before it runs, with a challenge.
   * Declare them `as const`, so that a misspelt one fails to compile.
   */
  static scopes: readonly ScopeName[] = []

  /** Returning false hides the resource from this caller, as if the server did not have it. */
  static visible?(caller: Caller | null): boolean

  /** Returning false leaves the resource out. Called once, at start. */
  static shouldRegister(): MaybePromise<boolean> {
    return true
  }

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
