import type { LucidModel } from '@adonisjs/lucid/types/model'

import { hydrator } from '#database/hydration'
import type { UserJoin } from '#auth/user_providers/user_provider'
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
export class LucidUserJoin<Model extends LucidModel = LucidModel> implements UserJoin<
  InstanceType<Model>
> {
  readonly columns: string
  readonly select: string
  readonly build: (row: Record<string, unknown>) => InstanceType<Model>
  readonly #table: string
  readonly #key: string
  readonly #keyType: KeyType
  readonly #names: { alias: string; column: string }[]

  constructor(model: Model, idField: string, keyType: KeyType) {
    this.build = hydrator(model)
    this.#table = `"${model.table}"`
    this.#keyType = keyType
    this.#key = model.$keys.attributesToColumns.resolve(idField)
    const columns = [...model.$columnsDefinitions.values()].map(({ columnName }) => columnName)
    this.#names = columns.map((column) => ({ alias: `${PREFIX}${column}`, column }))
    this.columns = this.#names
      .map(({ alias, column }) => `${this.#table}."${column}" AS "${alias}"`)
      .join(', ')
    const names = columns.map((column) => `"${column}"`).join(', ')
    this.select = `SELECT ${names} FROM ${this.#table} WHERE "${this.#key}" = ?`
  }

  clause(userIdColumn: string): string {
    return `LEFT JOIN ${this.#table} ON ${this.#table}."${this.#key}" = ${this.#cast(userIdColumn)}`
  }

  hydrate(row: Record<string, unknown>): InstanceType<Model> | null {
    if (row[`${PREFIX}${this.#key}`] === null) {
      return null
    }
    const result: Record<string, unknown> = {}
    for (const { alias, column } of this.#names) {
      result[column] = row[alias]
    }
    return this.build(result)
  }

  /** Casts the id to the type of the key, so that the database can use the key's index. */
  #cast(column: string) {
    if (this.#keyType === 'any') {
      return column
    }
    return this.#keyType === 'uuid'
      ? `CASE WHEN ${column} ~ '${UUID.source}' THEN CAST(${column} AS uuid) END`
      : `CASE WHEN ${column} ~ '${WHOLE.source}' AND lpad(${column}, 19, '0') <= '${LARGEST.bigint}' THEN CAST(${column} AS bigint) END`
  }
}
