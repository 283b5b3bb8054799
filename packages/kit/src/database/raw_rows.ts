import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'

import { type DirectConnection, atOnce } from '#database/direct_connection'
import type { MaybePromise } from '#process/maybe_promise'
import { type Row, selectRows } from '#database/raw_query'
import { isStorable } from '#database/storable_text'
import { rememberedOf } from '#process/remembered'

const same = (value: any) => value

const READERS = {
  text: same,
  /** PostgreSQL hands a bigint over as text. */
  number: (value: any) => (value === null ? null : Number(value)),
  /** SQLite stores booleans as numbers. */
  boolean: Boolean,
  json: (value: any) => (value === null ? null : JSON.parse(value)),
}

const WRITERS = {
  text: same,
  number: same,
  boolean: same,
  json: (value: any) => (value === null ? null : JSON.stringify(value)),
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
  readonly columns: string[]
  readonly read: (row: Row) => Coded
  readonly write: (record: Coded) => Row

  constructor(kinds: Kinds<Coded>) {
    const members = Object.entries<Kind>(kinds).map(([member, kind]) => {
      const column = member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      return { member, column, kind }
    })
    this.columns = members.map(({ column }) => column)
    const read = members.map(({ member, column, kind }) => `${member}: ${kind}(from.${column})`)
    const write = members.map(({ member, column, kind }) => `${column}: ${kind}(from.${member})`)
    this.read = literalOf(read, READERS)
    this.write = literalOf(write, WRITERS)
  }
}

/** Makes an object of another one: as a literal in a third of the time that members set by their names take. */
function literalOf<From, To>(members: string[], functions: Record<Kind, unknown>) {
  const make = new Function(...Object.keys(functions), `return (from) => ({ ${members.join()} })`)
  return make(...Object.values(functions)) as (from: From) => To
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
