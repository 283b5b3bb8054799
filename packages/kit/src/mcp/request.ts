import type { HttpContext } from '@adonisjs/core/http'

import type { Caller } from '#mcp/caller'
import { compileSchema, type CompiledSchema } from '#mcp/definition/json_schema'
import type { InputRequest, InputRequests } from '#mcp/input_request'
import { isObject, type JsonObject } from '#mcp/protocol/json_rpc'
import { LOG_LEVELS, type ClientCapabilities, type Implementation, type LogLevel } from '#mcp/types'

/** Sends a notification that belongs to a request. */
export type Notify = (method: string, params: JsonObject) => void

/** The valid answers that the client sent, by the names of the questions. */
export type Answers<Questions extends InputRequests> = {
  [Name in keyof Questions]?: Questions[Name] extends InputRequest<infer Answer> ? Answer : never
}

/** Compiled form schemas, by the schema object. */
const forms = new WeakMap<object, CompiledSchema>()

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

  readonly #notify: Notify | null
  readonly #progressToken: string | number | undefined
  readonly #minimumLevel: LogLevel | undefined
  readonly #responses: JsonObject
  readonly #contents: JsonObject | undefined
  #progress = -Infinity

  constructor(options: {
    ctx: HttpContext
    caller: Caller | null
    signal: AbortSignal
    protocolVersion: string
    client: { info: Implementation | null; capabilities: ClientCapabilities }
    notify: Notify | null
    progressToken?: string | number
    minimumLevel?: LogLevel
    responses?: JsonObject
    /** Answers of an older client: the contents of forms by the names of the questions. */
    contents?: JsonObject
    state?: unknown
  }) {
    this.ctx = options.ctx
    this.caller = options.caller
    this.signal = options.signal
    this.protocolVersion = options.protocolVersion
    this.client = options.client
    this.state = options.state
    this.#notify = options.notify
    this.#progressToken = options.progressToken
    this.#minimumLevel = options.minimumLevel
    this.#responses = options.responses ?? {}
    this.#contents = options.contents
  }

  /**
   * Reports progress, if the client asked for it. A value that does not exceed the previous one is
   * dropped, since progress must increase (2026-07-28, "Progress").
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
   * Sends a log message to the client, if the server class sets `logging` and the client asked for
   * this level. It must not contain secrets or internal details.
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
   * The client's answers to these questions. An answer that is missing, malformed, or does not match
   * the schema of its form is left out: ask again for it.
   */
  answers<Questions extends InputRequests>(questions: Questions): Answers<Questions> {
    const answers: JsonObject = {}
    for (const [name, question] of Object.entries(questions)) {
      const response = this.#responseTo(name, question)
      if (isObject(response) && isAnswer(question, response)) {
        answers[name] = response
      }
    }
    return answers as Answers<Questions>
  }

  /** An older client has answered all questions of the round at once, by coming back. */
  #responseTo(name: string, { params }: InputRequest): unknown {
    const contents = this.#contents
    if (!contents) {
      return Object.hasOwn(this.#responses, name) ? this.#responses[name] : undefined
    }
    const content = Object.hasOwn(contents, name) ? contents[name] : {}
    return { action: 'accept', ...(params.mode === 'form' && { content }) }
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
