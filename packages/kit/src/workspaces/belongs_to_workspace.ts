import type { NormalizeConstructor } from '@adonisjs/core/types/helpers'
import { type BaseModel, ModelQueryBuilder, beforeCreate, beforeUpdate } from '@adonisjs/lucid/orm'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelAdapterOptions } from '@adonisjs/lucid/types/model'

import { assertRuntime } from '#config/checks'
import { currentWorkspaceId, holdWorkspace, readyWorkspace } from '#workspaces/current_workspace'

const COLUMN = 'workspace_id'

const SCOPED = Symbol('belongs to a workspace')

const across = new WeakSet<object>()

/**
 * A mixin for models whose table has the column `workspace_id`. Every query, update and delete of the model concerns rows of
 * the current workspace alone, also where a relation leads to the model; a new row belongs to it. Without a current
 * workspace they throw. `db.from()` and raw SQL know no models and are not narrowed.
 *
 * @example
 * export default class Post extends compose(PostSchema, BelongsToWorkspace) {}
 */
export function BelongsToWorkspace<Model extends NormalizeConstructor<typeof BaseModel>>(
  superclass: Model
) {
  class OfWorkspace extends superclass {
    static readonly [SCOPED] = true

    /** A query over the rows of all workspaces. Each use is a question for a review. */
    static acrossWorkspaces<Self extends LucidModel>(this: Self, options?: ModelAdapterOptions) {
      const query = this.query(options)
      across.add(query)
      return query
    }

    @beforeCreate()
    static async placeInWorkspace(row: any) {
      const { name, $adapter } = row.constructor
      await holdWorkspace($adapter.modelClient(row))
      const current = currentWorkspaceId(name)
      row.workspaceId ??= current
      const isHere = row.workspaceId === current
      assertRuntime(isHere, `A new ${name} can be in the current workspace alone`)
    }

    @beforeUpdate()
    static keepInWorkspace(row: any) {
      const stays = !('workspaceId' in row.$dirty)
      assertRuntime(stays, `A ${row.constructor.name} cannot be moved to another workspace`)
    }
  }
  return OfWorkspace
}

interface Builder {
  model: LucidModel & { [SCOPED]?: true }
  isChildQuery: boolean
  tableAlias?: string
  client: QueryClientContract
  knexQuery: any
}

/** Knex's names of an update and a delete. */
const WRITES = ['update', 'del']

const isScoped = (query: Builder) =>
  query.model[SCOPED] === true && !query.isChildQuery && !across.has(query)

/*
| Lucid has hooks for reading a model, and none for updates and deletes of a query or
| for the sub-queries of relations. All of them come by these methods of its builder.
*/
const builder = ModelQueryBuilder.prototype as any
const { applyWhere, execQuery, clone } = builder

builder.execQuery = async function (this: Builder) {
  if (isScoped(this)) {
    await (WRITES.includes(this.knexQuery._method) ? holdWorkspace(this.client) : readyWorkspace())
  }
  return execQuery.call(this)
}

/** The condition stands beside all others together, so that no `orWhere` leads out of the workspace. */
builder.applyWhere = function (this: Builder) {
  applyWhere.call(this)
  if (!isScoped(this)) {
    return
  }
  const { knexQuery } = this
  const conditions = knexQuery._statements.filter(({ grouping }: any) => grouping === 'where')
  knexQuery.clearWhere()
  if (conditions.length) {
    knexQuery.where((group: any) => group._statements.push(...conditions))
  }
  knexQuery.where(columnOf(this), currentWorkspaceId(this.model.name))
}

builder.clone = function (this: Builder) {
  const cloned = clone.call(this)
  if (across.has(this)) {
    across.add(cloned)
  }
  return cloned
}

/** With the name of its table, because a join may bring the column of another one. */
function columnOf({ knexQuery, tableAlias }: Builder): string {
  const { table } = knexQuery._single
  if (typeof table !== 'string') {
    return tableAlias ? `${tableAlias}.${COLUMN}` : COLUMN
  }
  return `${table.split(/\s+as\s+/i).at(-1)}.${COLUMN}`
}
