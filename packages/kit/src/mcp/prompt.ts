import type { Argument } from '#mcp/argument'
import type { ScopeName } from '#auth/scopes'
import type { Caller } from '#mcp/caller'
import type { McpRequest } from '#mcp/request'
import type { Response } from '#mcp/response'
import type { Completes, Icon } from '#mcp/types'
import type { MaybePromise } from '#process/maybe_promise'

/** A template of messages that a user picks. As in a {@link Tool}, the description is static. */
export abstract class Prompt implements Partial<Completes> {
  /** Unique within the server. */
  static name: string
  static description: string
  static title?: string
  static icons?: Icon[]
  static meta?: Record<string, unknown>

  /**
   * Scopes that a caller needs: a call without them is refused before it runs, with a challenge.
   * Declare them `as const`, so that a misspelt one fails to compile.
   */
  static scopes: readonly ScopeName[] = []

  /** Returning false hides the prompt from this caller, as if the server did not have it. */
  static visible?(caller: Caller | null): boolean

  /** Returning false leaves the prompt out. Called once, at start. */
  static shouldRegister(): MaybePromise<boolean> {
    return true
  }

  /** The arguments. A call without a required one is refused before `handle`. */
  static arguments(): Argument[] {
    return []
  }

  /**
   * Returns the messages: one for each part of the response, with the role "user" or, after
   * `.asAssistant()`, "assistant". `Response.error` becomes the error -32602.
   */
  abstract handle(args: any, request: McpRequest): MaybePromise<Response>

  complete?(argument: string, value: string, known: Record<string, string>): MaybePromise<string[]>
}
