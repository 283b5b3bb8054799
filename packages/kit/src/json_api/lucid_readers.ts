import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import { attributeOf, behindOf } from '#database/hydration'
import type { Unhydrated } from '#database/quick_query'
import type { Row } from '#database/raw_query'
import { MadeOf, shownTime, unreadTime } from '#database/row_times'
import { AttributeMaker, type Values } from '#json_api/attributes'
import type { Node } from '#json_api/document_node'
import {
  type Column,
  LACKING,
  type ObjectReader,
  serializeModel,
  serializesColumns,
  shownMembers,
} from '#json_api/readers'
import { remembered } from '#process/remembered'
import type { ResourcePlan } from '#json_api/resource_plan'

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

/** Reads what a document shows of models of one kind. */
export type Reader = ObjectReader | ModelReader | RowReader

/** Models of Lucid, by what is behind their proxies. */
export class ModelReader {
  readonly lucid = this
  readonly model: LucidModel
  /** Null for models that serialize themselves. */
  #columns: AttributeMaker | null
  #serialized: AttributeMaker
  #hasKeyGetter: boolean | undefined

  constructor(
    readonly plan: ResourcePlan,
    sample: LucidRow
  ) {
    this.model = sample.constructor as LucidModel
    this.#serialized = AttributeMaker.ofMembers(plan.shownName)
    this.#columns = serializesColumns(sample) ? columnsOf(this.model, plan) : null
    this.#hasKeyGetter = this.model.$getColumn(this.model.primaryKey)?.hasGetter
  }

  valuesOf(model: LucidRow) {
    return model.$attributes as Values
  }

  sourceOf(model: LucidRow, values: Values) {
    /* As `behindOf`: the attributes cost a proxy as much as all other members. */
    return MadeOf.by(values)?.behind ?? model
  }

  relatedTo({ source, model }: Node, name: string): unknown {
    if (!this.model.$relationsDefinitions.has(name)) {
      return model[name]
    }
    const related: unknown = source.$preloaded[name]
    return related === undefined ? LACKING : related
  }

  idOf(values: Values, row: LucidRow) {
    return this.#hasKeyGetter ? row.$primaryKeyValue : values[this.model.primaryKey]
  }

  /** The value of an attribute, which a relation is found by. */
  valueOf(row: LucidRow, attribute: string) {
    return (row.$attributes as Values)[attribute]
  }

  /** What a row was read through: rows that differ in it cannot share a query. */
  connectionOf(row: LucidRow): unknown {
    return row.$trx ?? row.$options?.connection
  }

  /** What rows that it leads to are read through. */
  originOf(row: LucidRow): Unhydrated['origin'] {
    return { client: this.model.$adapter.modelClient(row), sideloaded: row.$sideloaded }
  }

  attributesOf(values: Values, row: LucidRow, model: object, omitted: ReadonlySet<string> | null) {
    const source = row as unknown as Values
    if (this.#columns && !source.serializeExtras) {
      return this.#columns.make(values, source, model, omitted)
    }
    const serialized = serializeModel(model)
    return this.#serialized.make(serialized, serialized, null, omitted)
  }
}

function columnsOf(model: LucidModel, { shownName }: ResourcePlan): AttributeMaker {
  const { columns, computed } = shownMembers(model, shownName)
  return new AttributeMaker(
    (member) => {
      const column = columns.get(member)
      return column ? { name: column.name, member, read: columnReader(column) } : null
    },
    computed.map(({ name, attribute }) => ({
      name,
      member: attribute,
      read: (_: unknown, source: Values) => source[attribute],
    }))
  )
}

function columnReader({ attribute, column, isTime, hasGetter, serialize }: Column) {
  if (!hasGetter && !serialize) {
    return undefined
  }
  return (values: Values, source: Values, model: unknown): unknown => {
    const time = isTime ? unreadTime(values, column) : undefined
    if (time !== undefined) {
      return time
    }
    let value = hasGetter ? undefined : values[attribute]
    /* Lucid falls back on the property of an attribute that is undefined. */
    value = value === undefined ? source[attribute] : value
    return serialize ? serialize(value, attribute, model) : value
  }
}

/** Rows that have not become models, of one query: nothing of their model could tell the difference. */
export class RowReader {
  readonly lucid = this
  readonly model: LucidModel
  #attributes: AttributeMaker
  /** The columns of the result by the attributes that they would become, if any. */
  #names: Map<string | undefined, string>
  /** What is shown of a column of the result. */
  #shown: (column: string) => Column | undefined

  private constructor(
    readonly plan: ResourcePlan,
    private found: Unhydrated,
    private sample: LucidRow
  ) {
    this.model = sample.constructor as LucidModel
    const names = Object.keys(found.rows[0]!)
    this.#names = new Map(names.map((column) => [attributeOf(this.model, column), column]))
    const { columns } = shownMembers(this.model, plan.shownName)
    const find = (column: string) => columns.get(attributeOf(this.model, column) ?? '')
    this.#shown = find
    this.#attributes = new AttributeMaker((column) => {
      const shown = find(column)
      return shown ? { name: shown.name, member: column, read: this.#reader(shown, column) } : null
    })
  }

  /** Null for rows that have to become models, and where there are none. */
  static of(found: Unhydrated, plan: ResourcePlan): RowReader | null {
    if (found.rows.length === 0) {
      return null
    }
    const model = found.hydrate(found.rows[0]!)
    const sample = behindOf(model)
    const reader = new RowReader(plan, found, sample)
    const isPlain =
      sample !== model &&
      serializesColumns(sample) &&
      !(sample as { serializeExtras?: unknown }).serializeExtras &&
      Object.keys(sample.$attributes).every((attribute) => reader.#names.has(attribute)) &&
      !Object.keys(found.rows[0]!).some((column) => reader.#shown(column)?.takesModel)
    return isPlain ? reader : null
  }

  #reader({ attribute, isTime, consume, serialize }: Column, column: string) {
    if (!consume && !serialize) {
      return undefined
    }
    return (row: Row): unknown => {
      let value = row[column]
      const time = isTime ? shownTime(value) : undefined
      if (time !== undefined) {
        return time
      }
      value = consume ? consume(value, attribute, this.sample) : value
      return serialize ? serialize(value, attribute, this.sample) : value
    }
  }

  idOf(row: Row) {
    return this.valueOf(row, this.model.primaryKey)
  }

  attributesOf(row: Row, _: Row, __: unknown, omitted: ReadonlySet<string> | null): Values {
    return this.#attributes.make(row, row, null, omitted)
  }

  relatedTo(node: Node, name: string): unknown {
    return this.model.$relationsDefinitions.has(name) ? LACKING : node.model[name]
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
