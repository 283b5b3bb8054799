import db from '@adonisjs/lucid/services/db'

import type { Users } from '#auth/users'
import { affectedRows } from '#database/raw_query'
import { COMMON_ID, type WorkspaceModel } from '#workspaces/define_config'
import type { Workspaces } from '#workspaces/workspaces'

/** Gives rows from before workspaces that of their owner, or the common one, in batches: an interrupted run can go on. */
export class Adoption {
  constructor(
    protected workspaces: Workspaces,
    protected users: Users,
    protected batch: number
  ) {}

  async run() {
    /* Those that others refer to are first here. */
    const models = this.workspaces.config.models.toReversed()
    return Array.fromAsync(models, (model) => this.#adopt(model))
  }

  async #adopt({ load, owner = 'user_id', partOf }: WorkspaceModel) {
    const { default: model } = await load()
    model.boot()
    const { table } = model
    const key = model.$keys.attributesToColumns.get(model.primaryKey, model.primaryKey)
    /* Rows of a table without the column, e.g. customers of a team, are nobody's. */
    const isOwned = !partOf && (await db.connection().schema.hasColumn(table, owner))
    const column = isOwned ? `${table}.${owner}` : 'NULL'
    const [value, ...bindings] = this.#workspaceOf(table, column, partOf)
    const homeless = () => db.from(table).whereNull('workspace_id')
    /* Left are rows whose owner, or whose parent's workspace, there is none of. */
    const counts = { rows: 0, left: 0 }
    let batch: Record<string, any>[] = []
    do {
      const after = batch.at(-1)?.[key]
      batch = await homeless()
        .select(isOwned ? [key, owner] : [key])
        .if(after !== undefined, (query) => query.where(key, '>', after))
        .orderBy(key)
        .limit(this.batch)
      if (isOwned && !this.workspaces.config.common) {
        const users = await this.users.findAll([...new Set(batch.map((row) => String(row[owner])))])
        for (const userId of users.keys()) {
          await this.workspaces.ensurePersonal({ userId, provider: this.users.name })
        }
      }
      const keys = batch.map((row) => row[key])
      const changed = await homeless()
        .whereIn(key, keys)
        .whereRaw(`${value} IS NOT NULL`, bindings)
        .update({ workspace_id: db.raw(value!, bindings) })
      counts.rows += affectedRows(changed)
      counts.left += batch.length - affectedRows(changed)
    } while (batch.length === this.batch)
    return { table, ...counts }
  }

  /** SQL for the workspace of a row, and its bindings. */
  #workspaceOf(table: string, column: string, partOf: WorkspaceModel['partOf']) {
    if (this.workspaces.config.common) {
      return [String(COMMON_ID)]
    }
    return partOf
      ? [`(SELECT p.workspace_id FROM ${partOf.table} p WHERE p.id = ${table}.${partOf.key})`]
      : [
          `(SELECT w.id FROM workspaces w WHERE w.personal_of = ? || ${column})`,
          `${this.users.name}:`,
        ]
  }
}
