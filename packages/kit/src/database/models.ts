import type { Database } from '@adonisjs/lucid/database'
import type { LucidModel, ModelAttributes } from '@adonisjs/lucid/types/model'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { assertArgument } from '#config/checks'
import type { Row } from '#database/direct_connection'
import { changeRows, insertion, selectRows } from '#database/raw_query'

/**
 * Otherwise every request that uses it fails.
 * @throws {InvalidArgumentsException} for a connection that does not exist; none is the default one
 */
export function assertConnection(db: Database, name: string | undefined): void {
  const isThere = !name || db.manager.has(name)
  assertArgument(isThere, `There is no connection "${name}" in config/database.ts`)
}

/** Imports a model of the application: `() => import('#models/session')`. */
export type ModelImport<Model> = () => Promise<{ default: Model }>

/** The application's model; undefined when it has none, so that a store takes its own. */
export async function importModel<Model>(model: ModelImport<Model> | undefined) {
  const imported = await model?.()
  return imported?.default
}

const EVENTS = ['before:create', 'before:save', 'after:create', 'after:save'] as const

/**
 * What `Model.create` does around the insertion, for stores with a statement of their own: the row after what
 * its model does first, and `inserted`, which runs the hooks `afterCreate` and `afterSave`.
 */
export function prepareRow(model: LucidModel, row: Row) {
  return isHooked(model) ? runHooks(model, row) : { row, async inserted() {} }
}

/** Whether a model has a say when a row is inserted: hooks, or dates that are set by themselves. */
function isHooked(model: LucidModel): boolean {
  model.boot()
  return (
    EVENTS.some((event) => model.$hooks.has(event)) ||
    model.$columnsDefinitions.values().some(({ meta }) => meta?.autoCreate)
  )
}

async function runHooks(model: LucidModel, row: Row) {
  const instance = new model()
  instance.$consumeAdapterResult(row)
  await model.$hooks.runner('before:create').run(instance)
  await model.$hooks.runner('before:save').run(instance)
  /* Lucid's types hide them. */
  const internals = instance as unknown as {
    initiateAutoCreateColumns(): void
    prepareForAdapter(attributes: object): Row
  }
  internals.initiateAutoCreateColumns()
  return {
    row: internals.prepareForAdapter(instance.$attributes),
    async inserted() {
      instance.$hydrateOriginals()
      instance.$isPersisted = true
      await model.$hooks.runner('after:create').run(instance)
      await model.$hooks.runner('after:save').run(instance)
    },
  }
}

/**
 * Options for `Model.create` and its kin, to write where the client does. Given `client`, they use
 * it for a transaction alone, and the default connection otherwise.
 */
export function modelOptions(client: QueryClientContract) {
  return client.isTransaction ? { client } : { connection: client.connectionName }
}

/** Writes what somebody asked for earlier, in a transaction in which they still may. */
export type Commit = <Result>(
  write: (client: QueryClientContract) => Promise<Result>
) => Promise<Result>

/** The client of somebody's transaction, or the own one where that is another connection, whose rows it cannot write. */
export function within(client: QueryClientContract, own: QueryClientContract): QueryClientContract {
  return client.connectionName === own.connectionName ? client : own
}

type Attributes<Model extends LucidModel> = Partial<ModelAttributes<InstanceType<Model>>>

/** Inserts a row that many requests make: on SQLite they share a commit. A model with hooks, or with values or columns that it prepares, does it itself. */
export async function insertRow<Model extends LucidModel>(
  client: QueryClientContract,
  model: Model,
  attributes: Attributes<Model>
) {
  if (isHooked(model) || [...model.$columnsDefinitions.values()].some(({ prepare }) => prepare)) {
    await model.create(attributes, modelOptions(client))
    return
  }
  await changeRows(client, insertion(model.table, rowOf(model, attributes)))
}

/** Inserts a row; null when there is one with the same unique values, which the query builders cannot tell. No hooks run. */
export async function insertUnlessThere<Model extends LucidModel>(
  client: QueryClientContract,
  model: Model,
  attributes: Attributes<Model>,
  unique: readonly (keyof Attributes<Model> & string)[]
): Promise<Row | null> {
  const columns = unique.map((name) => model.$getColumn(name)!.columnName).join(', ')
  const unlessThere = { conflict: `ON CONFLICT (${columns}) DO NOTHING`, returning: '*' }
  const { sql, bindings } = insertion(model.table, rowOf(model, attributes), unlessThere)
  const [row] = await selectRows(client, sql, bindings)
  return row ?? null
}

function rowOf(model: LucidModel, attributes: object): Row {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const columns = given.map(([name, value]) => {
    const { columnName, prepare } = model.$getColumn(name)!
    return [columnName, prepare ? prepare(value, name, model.prototype) : value]
  })
  return Object.fromEntries(columns)
}
