import { type FormSchema, fitsForm } from '#mcp/request'
import type { Question } from '#mcp/response'
import { type Call, callDigest, digest } from '#mcp/protocol/call'
import { changeRecord, newRecord, type TaskRecord, type TaskStore } from '#mcp/tasks/task_store'
import type { JsonObject, JsonSchema, ToolClass } from '#mcp/types'
import { isExpired } from '#database/records'

/** The page on which they are answered, by the name of its route. */
export const QUESTION_PAGE = 'mcp.questions.show'

export type PageQuestion = ReturnType<typeof shown>

/**
 * Questions to people whose clients cannot be asked (2025-11-25). The client gets a URL with a handle, and
 * the person answers there; then the client repeats the call. They are kept among the tasks: under a key
 * that no task id leads to, made of the person and the handle, so that nobody else's link finds anything.
 */
export class PageQuestions {
  /** @param lifetime of a question and its answer, in milliseconds */
  constructor(
    private readonly store: TaskStore,
    private readonly lifetime: number
  ) {}

  /**
   * Keeps the question of a call, in place of an earlier one. An answer that has come meanwhile stays.
   * @returns the handle, which is no secret
   */
  async ask(call: Call, Class: ToolClass, { requests, state }: Question): Promise<string> {
    const { info } = call.definition
    const asked = Object.entries(requests)
    const questions = asked.map(([name, { params }]) => [name, { name, request: params }])
    const record = newRecord(this.lifetime, {
      server: info.title ?? info.name,
      tool: Class.title ?? Class.name,
      owner: call.caller!.id,
      status: 'input_required',
      runsUntil: null,
      args: {},
      client: { info: null, capabilities: {} },
      clientId: call.caller!.clientId,
      questions: Object.fromEntries(questions),
      responses: {},
      state,
    })
    await changeRecord(this.store, keyOf(call), (kept) => (isAnswered(kept) ? null : record))
    return callDigest(call)
  }

  /** The answers to the question of this call, once, and the state that the tool gave; null without them. */
  async take(call: Call): Promise<{ state: unknown; responses: JsonObject } | null> {
    if (!call.caller?.person) {
      return null
    }
    let taken: Pick<TaskRecord, 'state' | 'responses'> | null = null
    await changeRecord(this.store, keyOf(call), (kept) => {
      taken = isAnswered(kept) ? { state: kept.state, responses: kept.responses } : null
      return taken && { ...kept!, status: 'cancelled', questions: {}, responses: {}, state: null }
    })
    return taken
  }

  /** The question that this person was asked; null when there is none, or it has expired. */
  async find(person: string, handle: string): Promise<PageQuestion | null> {
    const stored = await this.store.find(keyFor(person, handle))
    return stored && !isExpired(stored.record.expiresAt) ? shown(stored.record) : null
  }

  /**
   * Keeps what the person has answered, for the next call.
   * @param version of the question that they have seen
   * @returns false when that is not what is asked any more
   */
  async answer(person: string, handle: string, version: string, responses: JsonObject) {
    const answered = await changeRecord(this.store, keyFor(person, handle), (kept) => {
      const question = kept && !isExpired(kept.expiresAt) ? shown(kept) : null
      return question?.isOpen && question.version === version
        ? { ...kept!, status: 'completed', responses }
        : null
    })
    return answered !== null
  }
}

function isAnswered(record: TaskRecord | null): record is TaskRecord {
  return record?.status === 'completed' && !isExpired(record.expiresAt)
}

/** A question is open until it was answered. */
function shown({ server, tool, clientId, status, questions, state }: TaskRecord) {
  const forms = Object.values(questions).map(({ name, request }) => {
    const { message, requestedSchema } = request as { message: string; requestedSchema: FormSchema }
    return { name, message, schema: requestedSchema }
  })
  /* Differs between questions of one call, so that no answer goes to a question that was not seen. */
  const version = digest([forms, state])
  const shownForms = forms.map((form, index) => ({ ...form, fields: fieldsOf(form.schema, index) }))
  return { server, tool, clientId, isOpen: status === 'input_required', version, forms: shownForms }
}

const keyOf = (call: Call): string => keyFor(call.caller!.person!, callDigest(call))

/** Keys of tasks are hexadecimal. */
const keyFor = (person: string, handle: string): string => `question:${digest([person, handle])}`

/** A field of the page that asks for what a form's schema describes (2025-11-25, "Elicitation", Requested Schema). */
export type QuestionField = ReturnType<typeof fieldsOf>[number]

/** A rule that a value breaks, and the limit that the rule sets. */
export type Problem = { rule: string; limit?: unknown }

/** The inputs of browsers that type these formats; a date with a time has none that knows of zones. */
const INPUTS = { email: 'email', uri: 'url', date: 'date' } as const

/** @param index of the form on its page */
export function fieldsOf({ properties, required = [] }: FormSchema, index: number) {
  return Object.entries(properties).map(([property, schema], position) => {
    const options = optionsOf(schema)
    const typed = INPUTS[schema.format as keyof typeof INPUTS] ?? 'text'
    return {
      /* Of the input; a property may be called anything. */
      name: `form${index}_field${position}`,
      property,
      schema,
      required: (required as string[]).includes(property),
      kind: kindOf(schema, options.length > 0),
      /* The `type` of the input that a text is typed into. */
      type: isNumber(schema) ? 'number' : typed,
      options,
    }
  })
}

/** What was typed, in the types of the schema, and the problems by the names of the inputs. */
export function readForm(fields: QuestionField[], typed: JsonObject) {
  const values = fields.map((field) => [field, readValue(field, typed[field.name])] as const)
  const given = values.filter(([, value]) => value !== undefined)
  const problems = values.map(([field, value]) => [field.name, problemOf(field, value)] as const)
  return {
    content: Object.fromEntries(given.map(([{ property }, value]) => [property, value])),
    problems: Object.fromEntries(problems.filter(([, problem]) => problem !== null)),
  }
}

function kindOf({ type }: JsonSchema, hasOptions: boolean) {
  if (type === 'boolean') {
    return 'yes'
  }
  const choice = type === 'array' ? 'choices' : 'choice'
  return hasOptions ? choice : 'text'
}

/** Titles are with the values, or in `enumNames` (2025-06-18). */
function optionsOf(schema: JsonSchema): { value: string; label: string }[] {
  const item = (schema.items ?? schema) as Record<string, any[]>
  const { enum: values = [], enumNames = [], oneOf: titled = item.anyOf } = item
  return titled
    ? titled.map(({ const: value, title }) => ({ value, label: title ?? value }))
    : values.map((value, index) => ({ value, label: enumNames[index] ?? value }))
}

const isNumber = ({ type }: JsonSchema): boolean => type === 'number' || type === 'integer'

/** An empty field is no value. A text that is no number stays one, and breaks the rule of its type. */
function readValue({ kind, schema, required }: QuestionField, typed: unknown): unknown {
  if (kind === 'yes') {
    return typed === 'true'
  }
  if (kind === 'choices') {
    const chosen = [typed].flat().filter((one) => typeof one === 'string')
    return chosen.length > 0 || required ? chosen : undefined
  }
  if (typeof typed !== 'string' || typed === '') {
    return undefined
  }
  const number = Number(typed)
  return isNumber(schema) && Number.isFinite(number) ? number : typed
}

function problemOf({ schema, required }: QuestionField, value: unknown): Problem | null {
  if (value === undefined) {
    return required ? { rule: 'required' } : null
  }
  if (fitsForm(schema, value)) {
    return null
  }
  const broken = Object.entries(schema).find(([rule, limit]) => !fitsForm({ [rule]: limit }, value))
  const [rule, limit] = broken ?? ['other']
  return { rule: rule === 'type' || rule === 'format' ? String(limit) : rule, limit }
}
