import { hash } from 'node:crypto'

import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelAttributes } from '@adonisjs/lucid/types/model'

import { atOnce, commitTogether, type DirectConnection } from '#database/direct_connection'
import { BoundedMap, remembered } from '#process/remembered'

/* Statements of every request, bypassing the query builder: on SQLite straight to the driver. */
export interface Query {
  sql: string
  bindings: unknown[]
}

export type Row = Record<string, unknown>

/** Statements that depend on the rows of those before, and what comes of them: `const rows = yield { sql, bindings }`. */
export type Program<Result> = Generator<Query, Result, Row[]>

/** Runs a SELECT, or a rare statement with RETURNING. */
export async function selectRows(client: QueryClientContract, sql: string, bindings: unknown[]) {
  const done = atOnce(client, (connection) => connection.run(sql, bindings))
  return done ? done.result : ask(client, sql, bindings)
}

/** Runs a statement with RETURNING that many requests make: on SQLite they share a commit. */
export async function changeRows(client: QueryClientContract, { sql, bindings }: Query) {
  const done = await commitTogether(client, (connection) => connection.run(sql, bindings))
  return done ? done.result : ask(client, sql, bindings)
}

/**
 * Runs a program in one transaction: on SQLite at once, so that the write lock is held for a moment
 * only. It may be started anew, so it must change nothing but the database.
 */
export async function runProgram<Result>(
  client: QueryClientContract,
  program: () => Program<Result>
): Promise<Result> {
  const done = await commitTogether(client, (connection) => runAtOnce(connection, program()))
  return done ? done.result : client.transaction((trx) => runInTurn(trx, program()))
}

interface Insertion {
  /** The row is inserted only if it holds. */
  condition?: Query | undefined
  /** What happens when another row has one of its unique values. Default: the statement fails. */
  conflict?: string
  returning?: string
}

export function insertion(
  table: string,
  row: Row,
  { condition, conflict = '', returning = '1 AS inserted' }: Insertion = {}
): Query {
  const names = Object.keys(row)
  const values = names.map(() => '?').join(', ')
  const rows = condition ? `SELECT ${values} WHERE ${condition.sql}` : `VALUES (${values})`
  return {
    sql: `INSERT INTO "${table}" (${names.join(', ')}) ${rows} ${conflict} RETURNING ${returning}`,
    bindings: [...Object.values(row), ...(condition?.bindings ?? [])],
  }
}

/** The number of rows that an UPDATE or DELETE of the query builder has changed. */
export function affectedRows(result: unknown): number {
  return Number(Array.isArray(result) ? (result[0] ?? 0) : result)
}

function runAtOnce<Result>(connection: DirectConnection, program: Program<Result>): Result {
  let step = program.next()
  while (!step.done) {
    step = program.next(connection.run(step.value.sql, step.value.bindings))
  }
  return step.value
}

async function runInTurn<Result>(client: QueryClientContract, program: Program<Result>) {
  let step = program.next()
  while (!step.done) {
    step = program.next(await ask(client, step.value.sql, step.value.bindings))
  }
  return step.value
}

/** Notes when a row was last used, unless that was noted after `before` (epoch milliseconds). */
export async function recordLastUse(
  client: QueryClientContract,
  { table, key }: { table: string; key: string },
  id: string,
  now: number,
  before: number
) {
  await changeRows(client, {
    sql: `UPDATE ${table} SET last_used_at = ?
      WHERE ${key} = ? AND (last_used_at IS NULL OR last_used_at <= ?) RETURNING 1 AS updated`,
    bindings: [now, id, before],
  })
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

/** Names of statements by their text. Every connection keeps its own plan for each of them. */
const names = new BoundedMap<string, string | null>(200)

/**
 * The same in every process, so that processes can share connections through a pooler. It has one plan
 * for all names of a text, so a statement whose plan is out of date has none any more: null.
 */
const nameOf = remembered((sql) => hash('sha256', sql, 'base64url').slice(0, 32), names)

/**
 * On PostgreSQL each connection parses and plans a statement once, so its text must be one of few.
 * Not inside transactions, which a plan that no longer fits would end.
 */
async function ask(client: QueryClientContract, sql: string, bindings: unknown[]): Promise<Row[]> {
  const name = !client.isTransaction && client.dialect.name === 'postgres' ? nameOf(sql) : null
  const query = client.rawQuery(sql, bindings as any[])
  name && query.knexQuery.options({ name })
  try {
    const result = await query
    return Array.isArray(result) ? result : (result.rows ?? [])
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    if (!name || code !== '0A000' || !message?.includes('cached plan')) {
      throw error
    }
    /* "cached plan must not change result type": a migration has changed it. Nothing has been run. */
    names.set(sql, null)
    return ask(client, sql, bindings)
  }
}
