import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import McpTask from '#mcp/tasks/models/mcp_task'
import type { StoredTask, TaskRecord, TaskStore } from '#mcp/tasks/task_store'
import { purging } from '#database/expired_rows'
import { modelOptions } from '#database/models'
import { affectedRows } from '#database/raw_query'

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
