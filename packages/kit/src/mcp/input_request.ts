import { type CompiledSchema, compileSchema } from '#mcp/definition/json_schema'
import { isObject } from '#process/objects'
import type { ClientCapabilities, JsonSchema } from '#mcp/types'

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

export interface RootsResult {
  roots: { uri: string; name?: string }[]
}

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

const forms = new WeakMap<object, CompiledSchema>()

/** Whether a client's response is well-formed, and matches the schema of the form. */
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

/** Whether the content of a form, or the value of a field, matches its schema. */
export function fitsForm(schema: JsonSchema, content: unknown): boolean {
  const form = forms.get(schema) ?? compileSchema(schema, 'an elicitation')
  forms.set(schema, form)
  return 'value' in (form.validate(content) as object)
}
