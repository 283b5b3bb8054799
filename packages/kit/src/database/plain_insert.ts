import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelAttributes } from '@adonisjs/lucid/types/model'

import type { Row } from '#database/direct_connection'
import { isHooked, modelOptions } from '#database/models'
import { type Query, changeRows, selectRows } from '#database/raw_query'

type Attributes<Model extends LucidModel> = Partial<ModelAttributes<InstanceType<Model>>>

/**
 * Inserts a row that many requests make: on SQLite they share a commit. A model with hooks, with
 * values that it makes or with columns that it prepares inserts it itself.
 */
export async function insertRow<Model extends LucidModel>(
  client: QueryClientContract,
  model: Model,
  attributes: Attributes<Model>
) {
  if (isHooked(model) || [...model.$columnsDefinitions.values()].some(({ prepare }) => prepare)) {
    await model.create(attributes, modelOptions(client))
    return
  }
  const { sql, bindings } = insertion(model, attributes)
  await changeRows(client, { sql: `${sql} RETURNING 1 AS inserted`, bindings })
}

/**
 * Inserts a row unless there is one with the same values in columns that are unique
 * together; null then. The query builders cannot tell what has happened. No hooks run.
 */
export async function insertUnlessThere<Model extends LucidModel>(
  client: QueryClientContract,
  model: Model,
  attributes: Attributes<Model>,
  unique: readonly (keyof Attributes<Model> & string)[]
): Promise<Row | null> {
  const { sql, bindings } = insertion(model, attributes)
  const conflict = unique.map((name) => model.$getColumn(name)!.columnName).join(', ')
  const statement = `${sql} ON CONFLICT (${conflict}) DO NOTHING RETURNING *`
  const [row] = await selectRows(client, statement, bindings)
  return row ?? null
}

function insertion(model: LucidModel, attributes: object): Query {
  const values = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const columns = values.map(([name]) => model.$getColumn(name)!)
  const names = columns.map(({ columnName }) => columnName).join(', ')
  return {
    sql: `INSERT INTO ${model.table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
    bindings: values.map(([name, value], index) => {
      const { prepare } = columns[index]!
      return prepare ? prepare(value, name, model.prototype) : value
    }),
  }
}
