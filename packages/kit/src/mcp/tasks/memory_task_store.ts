import type { StoredTask, TaskRecord, TaskStore } from '#mcp/tasks/task_store'

/** Tasks at most; the oldest one makes room. */
const LIMIT = 10_000

/** Tasks of one process, kept as JSON so that nobody shares an object with the store. */
export class MemoryTaskStore implements TaskStore {
  readonly #tasks = new Map<string, { json: string; expiresAt: number; version: number }>()
  readonly #limit: number

  constructor(limit: number = LIMIT) {
    this.#limit = limit
  }

  create(key: string, record: TaskRecord): void {
    if (!this.#tasks.has(key) && this.#tasks.size >= this.#limit) {
      this.#tasks.delete(this.#tasks.keys().next().value!)
    }
    this.#tasks.set(key, { json: JSON.stringify(record), expiresAt: record.expiresAt, version: 1 })
  }

  find(key: string): StoredTask | null {
    const task = this.#tasks.get(key)
    return task ? { record: JSON.parse(task.json), version: task.version } : null
  }

  replace(key: string, version: number, record: TaskRecord): boolean {
    if (this.#tasks.get(key)?.version !== version) {
      return false
    }
    this.create(key, record)
    this.#tasks.get(key)!.version = version + 1
    return true
  }

  purge(now: number): number {
    let purged = 0
    for (const [key, { expiresAt }] of this.#tasks) {
      if (expiresAt <= now) {
        this.#tasks.delete(key)
        purged++
      }
    }
    return purged
  }
}
