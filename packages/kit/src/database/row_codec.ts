import type { LucidModel } from '@adonisjs/lucid/types/model'

import type { Row } from '#database/direct_connection'

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
