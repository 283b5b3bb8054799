import type { HttpContext } from '@adonisjs/core/http'

import { compileSchema, type CompiledSchema } from '#mcp/definition/json_schema'
import type { InputRequest, InputRequests } from '#mcp/input_request'
import { isObject, type JsonObject } from '#mcp/protocol/json_rpc'
import { LOG_LEVELS, type ClientCapabilities, type Implementation, type LogLevel } from '#mcp/types'

/** Where notifications go that belong to a request; null when the client takes none. */
export type Notify = (method: string, params: JsonObject) => void

/** The valid answers among those a client sent, under the names of the questions. */
export type Answers<Questions extends InputRequests> = {
  [Name in keyof Questions]?: Questions[Name] extends InputRequest<infer Answer> ? Answer : never
}

/** Compiled once for each form, however many times it is answered. */
const forms = new WeakMap<object, CompiledSchema>()

/** A call as a handler sees it, beside the arguments. */
export class McpRequest {
  readonly ctx: HttpContext

  /** Revision of the protocol the client speaks, as far as it says. */
  readonly protocolVersion: string

  /**
   * Who the client says it is, and what it can do. Clients of revisions before 2026-07-28 say so in
   * their handshake alone, which a server without sessions does not remember: nothing is known of them.
   */
  readonly client: { info: Implementation | null; capabilities: ClientCapabilities }

  /** What an earlier round of this very call gave to `Response.inputRequired`; undefined in the first. */
  readonly state: unknown

  readonly #notify: Notify | null
  readonly #progressToken: string | number | undefined
  readonly #minimumLevel: LogLevel | undefined
  readonly #responses: JsonObject
  #progress = -Infinity
  #abort?: AbortController

  constructor(options: {
    ctx: HttpContext
    protocolVersion: string
    client: { info: Implementation | null; capabilities: ClientCapabilities }
    notify: Notify | null
    progressToken?: string | number
    minimumLevel?: LogLevel
    responses?: JsonObject
    state?: unknown
  }) {
    this.ctx = options.ctx
    this.protocolVersion = options.protocolVersion
    this.client = options.client
    this.state = options.state
    this.#notify = options.notify
    this.#progressToken = options.progressToken
    this.#minimumLevel = options.minimumLevel
    this.#responses = options.responses ?? {}
  }

  /** Aborts when the client goes away: nobody is left to read the answer. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = (this.#abort = new AbortController())
      const raw = this.ctx.response.response
      const leave = () => !raw.writableFinished && abort.abort()
      if (raw.destroyed) {
        leave()
      } else {
        raw.once('close', leave)
      }
    }
    return this.#abort.signal
  }

  /**
   * Tells the client how far the work is. Nothing is sent to a client that did not ask for it, nor
   * when the value does not increase, which the protocol forbids.
   */
  progress(progress: number, total?: number, message?: string): void {
    if (this.#notify && this.#progressToken !== undefined && progress > this.#progress) {
      this.#progress = progress
      this.#notify('notifications/progress', {
        progressToken: this.#progressToken,
        progress,
        total,
        message,
      })
    }
  }

  /**
   * Sends the client a log message, when the server class declares `logging` and the client
   * wants messages of this level. Keep secrets and internals out of it.
   */
  log(level: LogLevel, data: unknown, logger?: string): void {
    if (
      this.#notify &&
      this.#minimumLevel &&
      LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(this.#minimumLevel)
    ) {
      this.#notify('notifications/message', { level, logger, data })
    }
  }

  /**
   * The client's answers to these questions. What is missing, malformed, or no valid filling of its
   * form is left out: ask again for it. Answers to other questions are ignored.
   */
  answers<Questions extends InputRequests>(questions: Questions): Answers<Questions> {
    const answers: JsonObject = {}
    for (const [name, question] of Object.entries(questions)) {
      const response = Object.hasOwn(this.#responses, name) ? this.#responses[name] : undefined
      if (isObject(response) && isAnswer(question, response)) {
        answers[name] = response
      }
    }
    return answers as Answers<Questions>
  }
}

function isAnswer(question: InputRequest, response: JsonObject): boolean {
  switch (question.method) {
    case 'sampling/createMessage':
      return typeof response.role === 'string' && typeof response.content === 'object'
    case 'roots/list':
      return (
        Array.isArray(response.roots) &&
        response.roots.every((root) => isObject(root) && typeof root.uri === 'string')
      )
    default:
      return isElicitResult(question, response)
  }
}

function isElicitResult(question: InputRequest, response: JsonObject): boolean {
  if (response.action === 'decline' || response.action === 'cancel') {
    return true
  }
  if (response.action !== 'accept' || question.params.mode === 'url') {
    return response.action === 'accept'
  }

  const schema = question.params.requestedSchema as JsonObject
  let form = forms.get(schema)
  if (!form) {
    form = compileSchema(schema, 'an elicitation')
    forms.set(schema, form)
  }
  return 'value' in (form.validate(response.content) as object)
}
