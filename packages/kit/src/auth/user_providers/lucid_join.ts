import type { LucidModel } from '@adonisjs/lucid/types/model'

import { hydrator } from '#database/hydration'
import type { RowJoin } from '#database/raw_rows'
import { isStorable } from '#database/storable_text'

const PREFIX = 'user__'

/** The largest keys that PostgreSQL's columns of whole numbers hold. */
const LARGEST = { smallint: 2n ** 15n - 1n, integer: 2n ** 31n - 1n, bigint: 2n ** 63n - 1n }

/** Which texts PostgreSQL compares with the key; it fails for others. SQLite compares anything. */
export type KeyType = 'any' | 'uuid' | keyof typeof LARGEST

/* Written so that PostgreSQL reads them, too. */
const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
const WHOLE = /^[0-9]{1,19}$/

export async function findKeyType(model: LucidModel, idField: string): Promise<KeyType> {
  const { client } = model.query()
  if (client.dialect.name !== 'postgres') {
    return 'any'
  }
  /* Not Lucid's columnsInfo: inside a transaction it ignores the table. */
  const { type } = (await client
    .knexQuery()
    .table(model.table)
    .columnInfo(model.$keys.attributesToColumns.resolve(idField))) as unknown as { type: string }
  return type === 'uuid' || type in LARGEST ? (type as KeyType) : 'any'
}

export function canHold(keyType: KeyType, id: string): boolean {
  if (keyType === 'any') {
    return isStorable(id)
  }
  return keyType === 'uuid' ? UUID.test(id) : WHOLE.test(id) && BigInt(id) <= LARGEST[keyType]
}

/** Joins the model's table to the table of a store, whose user ids are text. */
export function joinUsers<Model extends LucidModel>(
  model: Model,
  idField: string,
  keyType: KeyType
): RowJoin<InstanceType<Model>> {
  const build = hydrator(model)
  const table = `"${model.table}"`
  const key = model.$keys.attributesToColumns.resolve(idField)
  const columns = [...model.$columnsDefinitions.values()].map(({ columnName }) => columnName)
  const names = columns.map((column) => ({ alias: `${PREFIX}${column}`, column }))
  const selected = columns.map((column) => `"${column}"`).join(', ')

  return {
    columns: names.map(({ alias, column }) => `${table}."${column}" AS "${alias}"`).join(', '),
    select: `SELECT ${selected} FROM ${table} WHERE "${key}" = ?`,
    build,
    clause: (column) => `LEFT JOIN ${table} ON ${table}."${key}" = ${castTo(keyType, column)}`,
    hydrate(row) {
      if (row[`${PREFIX}${key}`] === null) {
        return null
      }
      const result: Record<string, unknown> = {}
      for (const { alias, column } of names) {
        result[column] = row[alias]
      }
      return build(result)
    },
  }
}

/** Casts an id to the type of the key, so that the database can use the key's index. */
function castTo(keyType: KeyType, column: string): string {
  if (keyType === 'any') {
    return column
  }
  return keyType === 'uuid'
    ? `CASE WHEN ${column} ~ '${UUID.source}' THEN CAST(${column} AS uuid) END`
    : `CASE WHEN ${column} ~ '${WHOLE.source}' AND lpad(${column}, 19, '0') <= '${LARGEST.bigint}' THEN CAST(${column} AS bigint) END`
}
