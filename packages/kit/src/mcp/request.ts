import type { HttpContext } from '@adonisjs/core/http'

import type { Caller } from '#mcp/caller'
import { compileSchema } from '#mcp/definition/json_schema'
import { notification } from '#mcp/protocol/json_rpc'
import type { ClientCapabilities, Implementation, JsonObject, JsonSchema } from '#mcp/types'
import { isObject, ownMember } from '#process/objects'
import { rememberedOf } from '#process/remembered'

/** Severities of log messages, least severe first (RFC 5424, section 6.2.1). */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Sends a message; false, and it is dropped, while a slow client has not read the last ones. */
export type Write = (json: string) => boolean

type Answers<Questions extends InputRequests> = {
  [Name in keyof Questions]?: Questions[Name] extends InputRequest<infer Answer> ? Answer : never
}

type Shown = Pick<McpRequest, 'ctx' | 'caller' | 'signal' | 'protocolVersion' | 'client' | 'state'>

/** What handlers do not see: how to reach the client, and its answers. */
interface Hidden {
  write: Write | null
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
    const { write, progressToken } = this.#hidden
    if (write && progressToken !== undefined && progress > this.#progress) {
      this.#progress = progress
      write(notification('notifications/progress', { progressToken, progress, total, message }))
    }
  }

  /**
   * Sends a log message to the client, if the server class sets `logging` and the client asked for
   * this level. It must not contain secrets or internal details.
   */
  log(level: LogLevel, data: unknown, logger?: string): void {
    const { write, minimumLevel } = this.#hidden
    if (minimumLevel && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minimumLevel)) {
      write?.(notification('notifications/message', { level, logger, data }))
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

/** The schema of a form: a flat object of strings, numbers, booleans and enums. */
export type FormSchema = JsonSchema & { type: 'object'; properties: Record<string, JsonSchema> }

/** What the user did with a question, and the form's content when they accepted. */
export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean | string[]>
}

export interface SamplingResult {
  role: 'user' | 'assistant'
  content: unknown
  model: string
  stopReason?: string
}

export type RootsResult = { roots: { uri: string; name?: string }[] }

/**
 * Input that a handler needs from the client before it can continue; see `Response.inputRequired`
 * (2026-07-28, "Multi Round-Trip Requests").
 */
export class InputRequest<Answer = unknown> {
  /** Type only: the answer to this request. */
  declare readonly answer: Answer

  private constructor(
    readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list',
    readonly params: Record<string, unknown>,
    readonly requires: ClientCapabilities
  ) {}

  /** Asks the user to fill in a form. Never ask for a secret this way (2026-07-28, "Elicitation"). */
  static elicit(message: string, requestedSchema: FormSchema): InputRequest<ElicitResult> {
    const params = { mode: 'form', message, requestedSchema }
    return new InputRequest('elicitation/create', params, { elicitation: { form: {} } })
  }

  /** Asks the user to open a page: the way to ask for a secret. */
  static visit(message: string, url: string): InputRequest<ElicitResult> {
    const params = { mode: 'url', message, url }
    return new InputRequest('elicitation/create', params, { elicitation: { url: {} } })
  }

  /** Asks the client's model for a message; the parameters are those of CreateMessageRequest. */
  static sample(params: { messages: object[]; maxTokens: number } & Record<string, unknown>) {
    const sampling = 'tools' in params ? { tools: {} } : {}
    return new InputRequest<SamplingResult>('sampling/createMessage', params, { sampling })
  }

  static roots(): InputRequest<RootsResult> {
    return new InputRequest('roots/list', {}, { roots: {} })
  }

  /** Whether the client declared the capabilities that this request needs. */
  isSupportedBy(capabilities: ClientCapabilities): boolean {
    const { elicitation, sampling, roots } = this.requires
    if (elicitation) {
      const declared = capabilities.elicitation
      /* An empty elicitation capability stands for forms (2026-07-28, "Elicitation", Capabilities). */
      return elicitation.url ? !!declared?.url : !!declared && (!!declared.form || !declared.url)
    }
    if (sampling) {
      return !!capabilities.sampling && (!sampling.tools || !!capabilities.sampling.tools)
    }
    return !!roots && !!capabilities.roots
  }

  toJSON() {
    return { method: this.method, params: this.params }
  }
}

/** The requests of one round, by names that the handler chooses. */
export type InputRequests = Record<string, InputRequest>

const formOf = rememberedOf((schema: JsonSchema) => compileSchema(schema, 'an elicitation'))

export function isAnswerTo({ method, params }: InputRequest, response: unknown): boolean {
  if (!isObject(response)) {
    return false
  }
  const { action, content, role, roots } = response
  if (method === 'sampling/createMessage') {
    return typeof role === 'string' && typeof content === 'object'
  }
  if (method === 'roots/list') {
    const isRoot = (root: unknown) => isObject(root) && typeof root.uri === 'string'
    return Array.isArray(roots) && roots.every(isRoot)
  }
  return action === 'accept'
    ? params.mode === 'url' || fitsForm(params.requestedSchema as FormSchema, content)
    : action === 'decline' || action === 'cancel'
}

export function fitsForm(schema: JsonSchema, content: unknown): boolean {
  return 'value' in (formOf(schema).validate(content) as object)
}
