import type { ClientCapabilities, JsonSchema } from '#mcp/types'

/** A form's schema: a flat object of strings, numbers, booleans and choices. */
export type FormSchema = JsonSchema & { type: 'object'; properties: Record<string, JsonSchema> }

/** What the person did with a question, and what they filled in when they accepted. */
export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean | string[]>
}

/** A message the client's model wrote. */
export interface SamplingResult {
  role: 'user' | 'assistant'
  content: unknown
  model: string
  stopReason?: string
}

export interface RootsResult {
  roots: { uri: string; name?: string }[]
}

/**
 * Something a handler needs of the client before it can go on, for `Response.inputRequired`
 * (2026-07-28, "Multi Round-Trip Requests").
 */
export class InputRequest<Answer = unknown> {
  /** Only a type: what the answer to this request looks like. */
  declare readonly answer: Answer

  private constructor(
    readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list',
    readonly params: Record<string, unknown>,
    /** What the client must have declared for this to be sent. */
    readonly requires: ClientCapabilities
  ) {}

  /** Asks the person to fill in a form. Never ask for a secret this way. */
  static elicit(message: string, requestedSchema: FormSchema): InputRequest<ElicitResult> {
    return new InputRequest(
      'elicitation/create',
      { mode: 'form', message, requestedSchema },
      { elicitation: { form: {} } }
    )
  }

  /** Asks the person to visit a page, where secrets belong. */
  static visit(message: string, url: string): InputRequest<ElicitResult> {
    return new InputRequest(
      'elicitation/create',
      { mode: 'url', message, url },
      { elicitation: { url: {} } }
    )
  }

  /** Asks the client's model (the specification's CreateMessageRequest parameters). */
  static sample(
    params: { messages: object[]; maxTokens: number } & Record<string, unknown>
  ): InputRequest<SamplingResult> {
    return new InputRequest('sampling/createMessage', params, {
      sampling: 'tools' in params ? { tools: {} } : {},
    })
  }

  /** Asks which folders the client works in. */
  static roots(): InputRequest<RootsResult> {
    return new InputRequest('roots/list', {}, { roots: {} })
  }

  /** Whether the client declared what this request takes. */
  isSupportedBy(capabilities: ClientCapabilities): boolean {
    const { elicitation, sampling, roots } = this.requires
    if (elicitation) {
      const declared = capabilities.elicitation
      /* An empty elicitation capability means forms (2026-07-28, "Elicitation", Capabilities). */
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

/** The questions of one round, each under a name of the handler's choice. */
export type InputRequests = Record<string, InputRequest>
