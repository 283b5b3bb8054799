import type { McpRequest } from '#mcp/request'
import type { Response } from '#mcp/response'
import type { Icon, JsonSchema, MaybePromise, SchemaSource, ToolAnnotations } from '#mcp/types'

/**
 * Something a model can do. What the class says about itself is static and read once, at start;
 * for each call the container makes an instance and `handle` runs.
 */
export abstract class Tool {
  /** Unique within the server: up to 128 of A-Z, a-z, 0-9, "_", "-" and ".". */
  static name: string

  /** Tells the model what the tool does and when to use it. */
  static description: string

  static title?: string
  static annotations?: ToolAnnotations
  static icons?: Icon[]
  static meta?: Record<string, unknown>

  /** False leaves the tool out, decided once at start. */
  static shouldRegister(): MaybePromise<boolean> {
    return true
  }

  /** Describes the arguments; they are validated against it before `handle`. None by default. */
  static schema(): SchemaSource {
    const none: JsonSchema = { type: 'object', additionalProperties: false }
    return none
  }

  /** Describes `structuredContent`; each result is validated against it. */
  static outputSchema(): SchemaSource | undefined {
    return undefined
  }

  /**
   * Does the work. What the model should know of a failure is returned as `Response.error`;
   * a thrown error is logged and the client hears only that the tool failed, unless it is an
   * AdonisJS exception of status 4xx or a VineJS validation error.
   */
  abstract handle(args: any, request: McpRequest): MaybePromise<Response>
}
