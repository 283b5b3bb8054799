import type { Argument } from '#mcp/argument'
import type { McpRequest } from '#mcp/request'
import type { Response } from '#mcp/response'
import type { Completes, Icon, MaybePromise } from '#mcp/types'

/** A template of messages that a user picks. As in a {@link Tool}, the description is static. */
export abstract class Prompt implements Partial<Completes> {
  /** Unique within the server. */
  static name: string
  static description: string
  static title?: string
  static icons?: Icon[]
  static meta?: Record<string, unknown>

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
