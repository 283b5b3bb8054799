import type { ResolvedMcpConfig } from '#mcp/define_config'
import { assertParams, ErrorCode, McpError } from '#mcp/errors'
import type { Exchange } from '#mcp/protocol/call'
import type { JsonObject } from '#mcp/types'
import type { CallLimits } from '#mcp/protocol/running_calls'
import { PageQuestions } from '#mcp/tasks/page_questions'
import { changeRecord, newRecord, type TaskRecord, type TaskStore } from '#mcp/tasks/task_store'
import { isExpired } from '#database/records'
import type { MaybePromise } from '#process/maybe_promise'
import { generateSecret, hashSecret } from '#security/secrets'

type TaskSeed = Pick<TaskRecord, 'tool' | 'args' | 'client' | 'responses' | 'state'>

/**
 * The tasks of all servers (Tasks extension). Everything that a client can ask for is in the store, so
 * any process answers; only a handler that is running is in one of them.
 */
export class Tasks {
  /** What runs here; the next run of a task may begin before the last one has ended. */
  readonly #runs = new Set<{ id: string; limits: CallLimits; ended: Promise<void> }>()
  readonly questions: PageQuestions
  /** Milliseconds that a handler may work without asking for input. */
  readonly timeout: number

  constructor(
    private readonly store: TaskStore,
    private readonly times: Pick<ResolvedMcpConfig, 'taskTtl' | 'taskTimeout' | 'requestStateTtl'>
  ) {
    this.questions = new PageQuestions(store, times.requestStateTtl)
    this.timeout = times.taskTimeout
  }

  /** Creates a task that works; resolves when every process can find it. */
  async create(exchange: Exchange, seed: TaskSeed): Promise<{ id: string; record: TaskRecord }> {
    const id = generateSecret()
    const record = newRecord(this.times.taskTtl, {
      ...seed,
      server: exchange.definition.info.name,
      owner: exchange.caller?.id ?? null,
      status: 'working',
      runsUntil: Date.now() + this.timeout,
      questions: {},
    })
    await this.store.create(hashSecret(id), record)
    return { id, record }
  }

  /**
   * The task of this caller. One whose process has ended without a result has failed.
   * @throws {McpError} -32602 when there is none: unknown, expired, another caller's or another server's
   */
  async get(exchange: Exchange, id: string): Promise<TaskRecord> {
    const stored = await this.store.find(hashSecret(id))
    const record = stored?.record
    const { definition, caller } = exchange
    const isOwn = record?.server === definition.info.name && record.owner === (caller?.id ?? null)
    assertParams(isOwn && !isExpired(record.expiresAt), 'There is no such task')
    if (record.status !== 'working' || !isExpired(record.runsUntil)) {
      return record
    }
    const interrupted = new McpError(ErrorCode.InternalError, 'The task was interrupted')
    await this.change(id, (one) =>
      one.status === 'working' && isExpired(one.runsUntil)
        ? { ...one, status: 'failed', outcome: failure(interrupted) }
        : null
    )
    return this.get(exchange, id)
  }

  /** The task after the change; null when `alter` left it alone, or it is gone. */
  change(id: string, alter: (record: TaskRecord) => TaskRecord | null): Promise<TaskRecord | null> {
    return changeRecord(this.store, hashSecret(id), (record) => {
      const altered = record && alter(record)
      return altered && { ...altered, updatedAt: Date.now() }
    })
  }

  async isWorking(id: string): Promise<boolean> {
    const stored = await this.store.find(hashSecret(id))
    return stored?.record.status === 'working'
  }

  track(id: string, limits: CallLimits, work: Promise<void>): void {
    const run = { id, limits, ended: work.finally(() => this.#runs.delete(run)) }
    this.#runs.add(run)
  }

  abort(id: string): void {
    this.#runs.forEach((run) => run.id === id && run.limits.cancel())
  }

  /** Ends what still runs, and resolves when its outcome is stored. */
  async stop(): Promise<void> {
    this.#runs.forEach(({ limits }) => limits.stop())
    await Promise.all([...this.#runs].map(({ ended }) => ended))
  }

  purge(): MaybePromise<number> {
    return this.store.purge(Date.now())
  }
}

/** Milliseconds that a client should leave between two requests for a task. */
const POLL_INTERVAL = 1000

/** A task without what only some statuses have (Tasks extension, "Tasks"). */
export function taskMembers(id: string, record: TaskRecord): JsonObject {
  return {
    taskId: id,
    status: record.status,
    createdAt: new Date(record.createdAt).toISOString(),
    lastUpdatedAt: new Date(record.updatedAt).toISOString(),
    ttlMs: record.expiresAt - record.createdAt,
    pollIntervalMs: POLL_INTERVAL,
  }
}

/** A whole task, as `tasks/get` shows it (Tasks extension, "Task Status"). */
export function detailedTask(id: string, record: TaskRecord): JsonObject {
  const questions = Object.entries(record.questions)
  return {
    ...taskMembers(id, record),
    ...(record.status === 'input_required' && {
      inputRequests: Object.fromEntries(questions.map(([key, { request }]) => [key, request])),
    }),
    ...record.outcome,
  }
}

/** What `failed` tells: the JSON-RPC error that ended the task. */
export function failure(error: unknown): { error: JsonObject } {
  const { code, message, data } =
    error instanceof McpError ? error : new McpError(ErrorCode.InternalError, 'Internal error')
  return { error: { code, message, data } }
}
