import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import { type Row, type Unhydrated, attributeOf, behindOf } from '#database/hydration'
import { shownTime, unreadTime } from '#database/row_times'
import type { Node } from '#json_api/document_node'
import { type Column, serializesColumns, shownMembers } from '#json_api/lucid_members'
import {
  type NameOf,
  type Picker,
  type Reader,
  type Values,
  picker,
  serializeModel,
  setJson,
} from '#json_api/readers'
import { remembered } from '#json_api/remembered'

/*
| Lucid's rows are read past their proxies, which Lucid asks for every column: with a
| thousand rows that is most of the work. packages/starter/unit/json_api/lucid_canary.spec.ts says
| what to look at when an update of Lucid moves what is used here:
|
| - row.$attributes, row.$preloaded, row.$primaryKeyValue, model.$columnsDefinitions and
|   model.$computedDefinitions, with `hasGetter`, `serialize` and `serializeAs`;
| - BaseModel.prototype.serialize, serializeAttributes, serializeComputed and
|   shouldSerializeField: whether a model has its own, and what they return;
| - row.serializeRelations, which `serialize` calls, and row.serializeExtras.
*/

export interface LucidReader extends Reader {
  readonly model: LucidModel
  /** Whether there is a relation of the name that is not loaded yet. */
  lacks(source: any, name: string): boolean
  /** The value of an attribute, which a relation is found by. */
  valueOf(source: any, attribute: string): unknown
  /** What a row was read through: rows that differ in it cannot share a query. */
  connectionOf(source: any): unknown
  /** What rows that it leads to are read through. */
  originOf(source: any): Unhydrated['origin']
}

/** Models of Lucid, by what is behind their proxies. */
export class ModelReader implements LucidReader {
  readonly lucid = this
  readonly model: LucidModel
  /** Null for models that serialize themselves. */
  #shown: ReturnType<typeof shownMembers> | null
  #hasKeyGetter: boolean
  #pick: Picker

  constructor(sample: LucidRow, nameOf: NameOf) {
    this.#pick = picker(nameOf)
    this.model = sample.constructor as LucidModel
    this.#shown = serializesColumns(sample) ? shownMembers(this.model, nameOf) : null
    this.#hasKeyGetter = this.model.$getColumn(this.model.primaryKey)?.hasGetter ?? false
  }

  lacks(row: LucidRow, name: string) {
    return (
      this.model.$relationsDefinitions.has(name) && (row.$preloaded as Values)[name] === undefined
    )
  }

  relatedTo({ source, model }: Node, name: string): unknown {
    return this.model.$relationsDefinitions.has(name) ? source.$preloaded[name] : model[name]
  }

  idOf(row: LucidRow) {
    return this.#hasKeyGetter ? row.$primaryKeyValue : this.valueOf(row, this.model.primaryKey)
  }

  valueOf(row: LucidRow, attribute: string) {
    return (row.$attributes as Values)[attribute]
  }

  connectionOf(row: LucidRow): unknown {
    return row.$trx ?? row.$options?.connection
  }

  originOf(row: LucidRow) {
    return { client: this.model.$adapter.modelClient(row), sideloaded: row.$sideloaded }
  }

  attributesOf(row: LucidRow, model: LucidRow, omitted: ReadonlySet<string> | null): Values {
    const source = row as unknown as Values
    if (!this.#shown || source.serializeExtras) {
      return this.#pick(serializeModel(model), omitted)
    }
    const values = row.$attributes as Values
    const attributes: Values = {}
    for (const attribute in values) {
      const column = this.#shown.columns.get(attribute)
      if (column) {
        const time = column.isTime ? unreadTime(values, column.column) : undefined
        if (time !== undefined) {
          attributes[column.name] = time
          continue
        }
        let value = column.hasGetter ? source[attribute] : values[attribute]
        /* Lucid falls back on the property of an attribute that is undefined. */
        value = value === undefined ? source[attribute] : value
        value = column.serialize ? column.serialize(value, attribute, model) : value
        setJson(attributes, column.name, value)
      }
    }
    for (const { attribute, name } of this.#shown.computed) {
      setJson(attributes, name, source[attribute])
    }
    omitted?.forEach((name) => delete attributes[name])
    return attributes
  }
}

/** Rows that have not become models, of one query: nothing of their model could tell the difference. */
export class RowReader implements LucidReader {
  readonly lucid = this
  readonly model: LucidModel
  #columns: Column[]
  /** The columns of the result by the attributes that they would become, if any. */
  #names: Map<string | undefined, string>

  private constructor(
    private found: Unhydrated,
    private sample: LucidRow,
    nameOf: NameOf
  ) {
    this.model = sample.constructor as LucidModel
    const names = Object.keys(found.rows[0]!)
    this.#names = new Map(names.map((column) => [attributeOf(this.model, column), column]))
    const { columns } = shownMembers(this.model, nameOf)
    this.#columns = [...this.#names].flatMap(([attribute, column]) => {
      const shown = columns.get(attribute ?? '')
      return shown ? { ...shown, column } : []
    })
  }

  /** Null for rows that have to become models, and where there are none. */
  static of(found: Unhydrated, nameOf: NameOf): RowReader | null {
    if (found.rows.length === 0) {
      return null
    }
    const model = found.hydrate(found.rows[0]!)
    const sample = behindOf(model)
    const reader = new RowReader(found, sample, nameOf)
    const isPlain =
      sample !== model &&
      serializesColumns(sample) &&
      !(sample as { serializeExtras?: unknown }).serializeExtras &&
      Object.keys(sample.$attributes).every((attribute) => reader.#names.has(attribute)) &&
      !reader.#columns.some(({ takesModel }) => takesModel)
    return isPlain ? reader : null
  }

  idOf(row: Row) {
    return this.valueOf(row, this.model.primaryKey)
  }

  attributesOf(row: Row, _: null, omitted: ReadonlySet<string> | null): Values {
    const attributes: Values = {}
    for (const { attribute, name, column, isTime, consume, serialize } of this.#columns) {
      let value = row[column]
      const time = isTime ? shownTime(value) : undefined
      if (time === undefined) {
        value = consume ? consume(value, attribute, this.sample) : value
        setJson(attributes, name, serialize ? serialize(value, attribute, this.sample) : value)
      } else {
        attributes[name] = time
      }
    }
    omitted?.forEach((name) => delete attributes[name])
    return attributes
  }

  relatedTo(node: Node, name: string): unknown {
    return node.model[name]
  }

  lacks(_: Row, name: string) {
    return this.model.$relationsDefinitions.has(name)
  }

  valueOf(row: Row, attribute: string): unknown {
    const { column, consume } = this.#columnOf(attribute)
    const value = column === undefined ? undefined : row[column]
    return consume && value !== undefined ? consume(value, attribute, this.sample) : value
  }

  readonly #columnOf = remembered((attribute: string) => ({
    column: this.#names.get(attribute),
    consume: this.model.$getColumn(attribute)!.consume,
  }))

  modelOf(row: Row): LucidRow {
    return this.found.hydrate(row)
  }

  connectionOf() {
    return this.found.origin
  }

  originOf() {
    return this.found.origin
  }
}
