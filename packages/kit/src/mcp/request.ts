import type { HttpContext } from '@adonisjs/core/http'

import type { Caller } from '#mcp/caller'
import { type InputRequest, type InputRequests, isAnswerTo } from '#mcp/input_request'
import type { JsonObject } from '#mcp/protocol/json_rpc'
import { ownMember } from '#process/objects'
import { LOG_LEVELS, type ClientCapabilities, type Implementation, type LogLevel } from '#mcp/types'

export type Notify = (method: string, params: JsonObject) => void

type Answers<Questions extends InputRequests> = {
  [Name in keyof Questions]?: Questions[Name] extends InputRequest<infer Answer> ? Answer : never
}

type Shown = Pick<McpRequest, 'ctx' | 'caller' | 'signal' | 'protocolVersion' | 'client' | 'state'>

/** What handlers do not see: how to reach the client, and its answers. */
interface Hidden {
  notify: Notify | null
  progressToken?: string | number
  minimumLevel?: LogLevel
  responses: JsonObject
  /** Answers of an older client: the contents of forms by the names of the questions. */
  contents?: JsonObject
}

/** The second argument of every handler: the call and its client. */
export class McpRequest {
  readonly ctx: HttpContext
  /** Who calls; null for an anonymous caller. */
  readonly caller: Caller | null
  /** Aborts when the client disconnects or cancels the call, and after `callTimeout`. */
  readonly signal: AbortSignal
  /** Protocol revision of the request. */
  readonly protocolVersion: string
  /**
   * What the client declared about itself; nobody verifies it. Clients of revisions before
   * 2026-07-28 declare it only in their handshake, which this server does not keep, so it is empty.
   */
  readonly client: { info: Implementation | null; capabilities: ClientCapabilities }
  /** The state that the previous round gave to `Response.inputRequired`; undefined in the first round. */
  readonly state: unknown

  readonly #hidden: Hidden
  #progress = -Infinity

  constructor(options: Shown & Hidden) {
    this.ctx = options.ctx
    this.caller = options.caller
    this.signal = options.signal
    this.protocolVersion = options.protocolVersion
    this.client = options.client
    this.state = options.state
    this.#hidden = options
  }

  /**
   * Reports progress, if the client asked for it. A value that does not exceed the previous one is
   * dropped, since progress must increase (2026-07-28, "Progress").
   */
  progress(progress: number, total?: number, message?: string): void {
    const { notify, progressToken } = this.#hidden
    if (notify && progressToken !== undefined && progress > this.#progress) {
      this.#progress = progress
      notify('notifications/progress', { progressToken, progress, total, message })
    }
  }

  /**
   * Sends a log message to the client, if the server class sets `logging` and the client asked for
   * this level. It must not contain secrets or internal details.
   */
  log(level: LogLevel, data: unknown, logger?: string): void {
    const { notify, minimumLevel } = this.#hidden
    if (minimumLevel && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minimumLevel)) {
      notify?.('notifications/message', { level, logger, data })
    }
  }

  /**
   * The client's answers to these questions. An answer that is missing, malformed, or does not match
   * the schema of its form is left out: ask again for it.
   */
  answers<Questions extends InputRequests>(questions: Questions): Answers<Questions> {
    const given = Object.entries(questions).flatMap(([name, question]) => {
      const response = this.#responseTo(name, question)
      return isAnswerTo(question, response) ? [[name, response]] : []
    })
    return Object.fromEntries(given)
  }

  /** An older client has answered all questions of the round at once, by coming back. */
  #responseTo(name: string, { params }: InputRequest): unknown {
    const { contents, responses } = this.#hidden
    if (!contents) {
      return ownMember(responses, name)
    }
    const content = Object.hasOwn(contents, name) ? contents[name] : {}
    return { action: 'accept', ...(params.mode === 'form' && { content }) }
  }
}
