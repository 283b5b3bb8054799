import { column } from '@adonisjs/lucid/orm'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { purging } from '#database/expired_rows'
import { affectedRows, modelOptions } from '#database/raw_query'
import { McpTaskSchema } from '#database/schema'
import type { ClientCapabilities, Implementation, JsonObject } from '#mcp/types'
import { BoundedMap } from '#process/remembered'
import type { MaybePromise } from '#process/maybe_promise'

/** A task (Tasks extension, 2026-07-28). Instants are epoch milliseconds. */
export interface TaskRecord {
  /** Name of the server, and the caller's id; null for an anonymous caller. Nobody else sees the task. */
  server: string
  owner: string | null
  status: 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed'
  createdAt: number
  updatedAt: number
  expiresAt: number
  /** With status `working`: when the process that works on it must have finished. */
  runsUntil: number | null
  /** What it takes to run the handler again. */
  tool: string
  args: unknown
  client: { info: Implementation | null; capabilities: ClientCapabilities }
  /** Of the caller, for a question on a page. */
  clientId?: string | null
  /** How often the handler has asked for input. */
  rounds: number
  /** Without an answer yet, by the client's keys, with the names that the handler gave them. */
  questions: Record<string, { name: string; request: unknown }>
  /** Answers by the handler's names. */
  responses: JsonObject
  state: unknown
  /** With status `completed` or `failed`. */
  outcome: { result: JsonObject } | { error: JsonObject } | null
}

/** A record that begins now. @param lifetime in milliseconds */
export function newRecord(
  lifetime: number,
  own: Omit<TaskRecord, 'createdAt' | 'updatedAt' | 'expiresAt' | 'rounds' | 'outcome'>
): TaskRecord {
  const now = Date.now()
  const times = { createdAt: now, updatedAt: now, expiresAt: now + lifetime }
  return { ...times, rounds: 0, outcome: null, ...own }
}

/** A task as it was read; a change needs the version that it is based on. */
export type StoredTask = { record: TaskRecord; version: number }

/**
 * Where tasks are kept. A store finds them by a key, the hash of their id, which is what an
 * anonymous caller is known by. Questions on pages are records too, under keys of up to 64 characters.
 * Methods may be sync or async.
 */
export interface TaskStore {
  create(key: string, record: TaskRecord): MaybePromise<void>

  find(key: string): MaybePromise<StoredTask | null>

  /**
   * @param version the version that the change is based on
   * @returns false when there is no such task (any more), or another change came first
   */
  replace(key: string, version: number, record: TaskRecord): MaybePromise<boolean>

  /**
   * Deletes tasks whose `expiresAt` is at or before `now`. It may leave some to the next run.
   * @returns how many it has deleted
   */
  purge(now: number): MaybePromise<number>
}

/**
 * Changes a record, once. When another change comes first, this one is made on its result.
 * @param alter gives the changed record, or a new one where there is none; null to leave it alone
 * @returns the record after the change; null when it was left alone
 */
export async function changeRecord(
  store: TaskStore,
  key: string,
  alter: (record: TaskRecord | null) => TaskRecord | null
): Promise<TaskRecord | null> {
  for (;;) {
    const stored = await store.find(key)
    const record = alter(stored?.record ?? null)
    if (!record) {
      return null
    }
    const isKept = stored
      ? await store.replace(key, stored.version, record)
      : await isCreated(store, key, record)
    if (isKept) {
      return record
    }
  }
}

/** @returns false when another process was first */
async function isCreated(store: TaskStore, key: string, record: TaskRecord): Promise<boolean> {
  try {
    await store.create(key, record)
    return true
  } catch (error) {
    if (await store.find(key)) {
      return false
    }
    throw error
  }
}

/** Tasks of one process, kept as JSON so that nobody shares an object with the store. */
export class MemoryTaskStore implements TaskStore {
  readonly #tasks: BoundedMap<string, { json: string; expiresAt: number; version: number }>

  /** @param limit tasks at most; the oldest one makes room */
  constructor(limit: number = 10_000) {
    this.#tasks = new BoundedMap(limit)
  }

  create(key: string, record: TaskRecord, version: number = 1): void {
    this.#tasks.set(key, { json: JSON.stringify(record), expiresAt: record.expiresAt, version })
  }

  find(key: string): StoredTask | null {
    const task = this.#tasks.get(key)
    return task ? { record: JSON.parse(task.json), version: task.version } : null
  }

  replace(key: string, version: number, record: TaskRecord): boolean {
    const isCurrent = this.#tasks.get(key)?.version === version
    isCurrent && this.create(key, record, version + 1)
    return isCurrent
  }

  purge(now: number): number {
    const expired = [...this.#tasks].filter(([, { expiresAt }]) => expiresAt <= now)
    expired.forEach(([key]) => this.#tasks.delete(key))
    return expired.length
  }
}

/** A row of the database task store. Its id is the hash of the task id; instants are epoch milliseconds. */
export class McpTask extends McpTaskSchema {
  /** JSON: the arguments, answers and result of the call. */
  @column({ serializeAs: null }) declare data: string
}

export class DatabaseTaskStore implements TaskStore {
  readonly purge = purging(() => this.client(), { table: 'mcp_tasks', key: 'id' })

  constructor(private readonly client: () => QueryClientContract) {}

  async create(key: string, record: TaskRecord): Promise<void> {
    await McpTask.create({ id: key, version: 1, ...columns(record) }, modelOptions(this.client()))
  }

  async find(key: string): Promise<StoredTask | null> {
    const row = await McpTask.query({ client: this.client() }).where('id', key).first()
    return row && { record: JSON.parse(row.data), version: row.version }
  }

  async replace(key: string, version: number, record: TaskRecord): Promise<boolean> {
    const query = McpTask.query({ client: this.client() }).where('id', key)
    const changes = { version: version + 1, ...columns(record) }
    return affectedRows(await query.where('version', version).update(changes)) > 0
  }
}

/** The members that a person or a purge looks for have columns of their own. */
function columns(record: TaskRecord) {
  const { server, owner, status, createdAt, expiresAt } = record
  return { server, owner, status, createdAt, expiresAt, data: JSON.stringify(record) }
}
