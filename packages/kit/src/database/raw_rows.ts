import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'

import { type DirectConnection, atOnce } from '#database/direct_connection'
import type { MaybePromise } from '#process/maybe_promise'
import { type Row, selectRows } from '#database/raw_query'
import { isStorable } from '#database/storable_text'
import { rememberedOf } from '#process/remembered'

const READERS = {
  text: (value: any) => value,
  /** PostgreSQL hands a bigint over as text. */
  number: (value: any) => (value === null ? null : Number(value)),
  /** SQLite stores booleans as numbers. */
  boolean: (value: any) => Boolean(value),
  json: (value: any) => (value === null ? null : JSON.parse(value)),
}

type Kind = keyof typeof READERS

/** How each member of a record is stored; `text` is taken as it is. */
type Kinds<Coded> = { [Member in keyof Coded]: Kind }

/** The kinds of the columns of a class of `database/schema.ts`, but for some of its members. */
export function kindsOf<Coded>(schema: LucidModel, except: string[] = []): Kinds<Coded> {
  const columns = [...schema.$columnsDefinitions].filter(([member]) => !except.includes(member))
  const kinds = columns.map(([member, { consume, prepare }]): [string, Kind] => {
    const plain = consume === Boolean ? 'boolean' : consume ? 'number' : 'text'
    return [member, prepare ? 'json' : plain]
  })
  return Object.fromEntries(kinds) as Kinds<Coded>
}

/**
 * Rows of raw statements as records, and back: the column `user_id` is the member `userId`.
 * For statements that every request makes; elsewhere a Lucid model does the same.
 */
export class RowCodec<Coded extends object> {
  readonly #columns: { member: string; column: string; kind: Kind }[]

  constructor(kinds: Kinds<Coded>) {
    this.#columns = Object.entries<Kind>(kinds).map(([member, kind]) => ({
      member,
      column: member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      kind,
    }))
  }

  get columns(): string[] {
    return this.#columns.map(({ column }) => column)
  }

  read(row: Row): Coded {
    const record: Record<string, unknown> = {}
    for (const { member, column, kind } of this.#columns) {
      record[member] = READERS[kind](row[column])
    }
    return record as Coded
  }

  write(record: Coded): Row {
    const row: Row = {}
    for (const { member, column, kind } of this.#columns) {
      const value = record[member as keyof Coded]
      row[column] = kind === 'json' && value !== null ? JSON.stringify(value) : value
    }
    return row
  }
}

/** Columns of another table that are read in the same statement. */
export interface RowJoin<Joined = unknown> {
  /** `LEFT JOIN …` on a column of the table that is looked up in. */
  clause(column: string): string

  /** The columns for the select list, under names that cannot collide. */
  columns: string

  /** Builds the joined record from a row of the result; null when there is none. */
  hydrate(row: Row): Joined | null

  /** A statement that finds the joined record by the value of the referring column, for SQLite. */
  select: string

  /** Builds the joined record from a row of `select`. */
  build(row: Row): Joined | null
}

export interface RowLookupOptions<Found> {
  table: string
  /** Unique column that rows are found by. */
  key: string
  /** Makes a record of a row. Default of the columns: all. */
  rows: { columns?: string[]; read(row: Row): Found }
}

/**
 * Finds the record of one row by a unique column, and its user with it where both are on one connection: in the
 * same statement, or in a second one where the driver answers at once, which takes a third of the
 * time of a join.
 */
export function rowLookup<Found>({ table, key, rows }: RowLookupOptions<Found>) {
  const { columns = ['*'] } = rows
  const selected = columns.map((column) => `${table}.${column}`).join(', ')
  const condition = `WHERE ${table}.${key} = ?`
  const plain = `SELECT ${selected} FROM ${table} ${condition}`
  const joined = rememberedOf((join: RowJoin) => {
    const clause = join.clause(`${table}.user_id`)
    return `SELECT ${selected}, ${join.columns} FROM ${table} ${clause} ${condition}`
  })

  function findInTwo(connection: DirectConnection, value: string, join: RowJoin) {
    const [row] = connection.run(plain, [value])
    if (!row) {
      return null
    }
    const { user_id: userId } = row
    const [found] = userId === null ? [] : connection.run(join.select, [userId])
    return { record: rows.read(row), user: found ? join.build(found) : null }
  }

  /** `user` is null when the row's user is gone, and undefined when it was not looked for. */
  return async (
    client: QueryClientContract,
    value: string,
    users?: { join(client: QueryClientContract): MaybePromise<RowJoin | null> }
  ): Promise<{ record: Found; user?: unknown } | null> => {
    if (!isStorable(value)) {
      return null
    }
    const join = users ? await users.join(client) : null
    const done = join && atOnce(client, (connection) => findInTwo(connection, value, join))
    if (done) {
      return done.result
    }
    const [row] = await selectRows(client, join ? joined(join) : plain, [value])
    if (!row) {
      return null
    }
    const record = rows.read(row)
    return join ? { record, user: join.hydrate(row) } : { record }
  }
}
