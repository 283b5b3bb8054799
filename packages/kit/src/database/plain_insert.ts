import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelAttributes } from '@adonisjs/lucid/types/model'

import { modelOptions } from '#database/model_client'
import { changeRows } from '#database/raw_query'

const HOOKS = ['before:create', 'before:save', 'after:create', 'after:save'] as const

/** Whether a model has nothing to say when a row is inserted. */
function isSilent(model: LucidModel): boolean {
  model.boot()
  return (
    !HOOKS.some((hook) => model.$hooks.has(hook)) &&
    ![...model.$columnsDefinitions.values()].some(
      ({ meta, prepare }) => meta?.autoCreate || prepare
    )
  )
}

/**
 * Inserts a row that many requests make: on SQLite they share a commit. A model with
 * hooks, with values that it makes or with columns that it prepares inserts it itself.
 */
export async function insertRow<Model extends LucidModel>(
  client: QueryClientContract,
  model: Model,
  attributes: Partial<ModelAttributes<InstanceType<Model>>>
): Promise<void> {
  if (!isSilent(model)) {
    await model.create(attributes, modelOptions(client))
    return
  }
  const values = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const columns = values.map(([name]) => model.$getColumn(name)!.columnName)
  await changeRows(client, {
    sql: `INSERT INTO ${model.table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) RETURNING 1 AS inserted`,
    bindings: values.map(([, value]) => value),
  })
}
