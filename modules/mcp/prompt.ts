import type { Argument } from '#mcp/argument'
import type { McpRequest } from '#mcp/request'
import type { Response } from '#mcp/response'
import type { Completes, Icon, MaybePromise } from '#mcp/types'

/** A template of messages that a person picks. See {@link Tool} on what is static and what is not. */
export abstract class Prompt implements Partial<Completes> {
  /** Unique within the server. */
  static name: string
  static description: string
  static title?: string
  static icons?: Icon[]
  static meta?: Record<string, unknown>

  /** False leaves the prompt out, decided once at start. */
  static shouldRegister(): MaybePromise<boolean> {
    return true
  }

  /** What the prompt asks for; required ones are there when `handle` runs. */
  static arguments(): Argument[] {
    return []
  }

  /**
   * Gives the messages: each part of the response is one, of the role "user" unless it says
   * otherwise. `Response.error` tells the client what is wrong with its arguments (-32602).
   */
  abstract handle(args: any, request: McpRequest): MaybePromise<Response>

  complete?(argument: string, value: string, known: Record<string, string>): MaybePromise<string[]>
}
