import type { FormSchema } from '#mcp/request'
import type { Question } from '#mcp/response'
import { type Call, callDigest, digest } from '#mcp/protocol/call'
import type { JsonObject } from '#mcp/protocol/json_rpc'
import { changeRecord, type TaskRecord, type TaskStore } from '#mcp/tasks/task_store'
import type { ToolClass } from '#mcp/types'
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
    const now = Date.now()
    const { info } = call.definition
    const asked = Object.entries(requests)
    const questions = asked.map(([name, { params }]) => [name, { name, request: params }])
    const record: TaskRecord = {
      server: info.title ?? info.name,
      tool: Class.title ?? Class.name,
      owner: call.caller!.id,
      status: 'input_required',
      createdAt: now,
      updatedAt: now,
      expiresAt: now + this.lifetime,
      runsUntil: null,
      args: {},
      client: { info: null, capabilities: {} },
      clientId: call.caller!.clientId,
      rounds: 0,
      questions: Object.fromEntries(questions),
      responses: {},
      state,
      outcome: null,
    }
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
  return { server, tool, clientId, isOpen: status === 'input_required', version, forms }
}

const keyOf = (call: Call): string => keyFor(call.caller!.person!, callDigest(call))

/** Keys of tasks are hexadecimal. */
const keyFor = (person: string, handle: string): string => `question:${digest([person, handle])}`
