import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import { showsTime, unreadTime } from '#database/hydration'
import { modelOf, relationNames, relationOf } from '#json_api/lucid_rows'

/** One column, as `serialize` would return it. */
interface ColumnReader {
  name: string
  hasGetter: boolean
  /** The column of a time that Lucid serializes: one that nobody has read is not made. */
  timeColumn: string | null
  serialize?: (value: unknown, attribute: string, row: LucidRow) => unknown
}

type Values = Record<string, unknown>

const SERIALIZERS = [
  'serialize',
  'serializeAttributes',
  'serializeComputed',
  'shouldSerializeField',
] as const

/** Whether the rows of a model are serialized as Lucid does it: column by column. */
export function serializesColumns(model: LucidModel): boolean {
  return isSerializedByLucid(model.prototype as unknown as Values)
}

function isSerializedByLucid(row: Values): boolean {
  const lucid = BaseModel.prototype as unknown as Values
  return SERIALIZERS.every((method) => row[method] === lucid[method])
}

/**
 * Reads the rows of one model past their proxies, which Lucid asks for every
 * column: with a thousand rows that is most of the work.
 */
export class RowReader {
  #model: LucidModel
  #columns = new Map<string, ColumnReader>()
  #computed: { attribute: string; name: string }[] = []
  #relations: ReadonlySet<string>
  #primaryKey: string
  #hasKeyGetter: boolean
  #isSerializedByLucid: boolean

  /**
   * @param nameOf the name of an attribute in the document, null to leave it out
   * @param convert makes plain JSON of a value that is more than a text or a number
   */
  constructor(
    sample: LucidRow,
    nameOf: (serialized: string) => string | null,
    private convert: (value: unknown) => unknown
  ) {
    this.#model = modelOf(sample)
    this.#relations = new Set(this.#model.$relationsDefinitions.keys())
    this.#primaryKey = this.#model.primaryKey
    this.#hasKeyGetter = this.#model.$getColumn(this.#primaryKey)?.hasGetter ?? false
    this.#isSerializedByLucid = isSerializedByLucid(sample as unknown as Values)
    if (this.#isSerializedByLucid) {
      this.#compile(nameOf)
    }
  }

  #compile(nameOf: (serialized: string) => string | null) {
    const related = new Set(relationNames(this.#model))
    const shownAs = (serialized: string | null) =>
      serialized === null || related.has(serialized) ? null : nameOf(serialized)

    this.#model.$columnsDefinitions.forEach((column, attribute) => {
      const { serializeAs, serialize, hasGetter, columnName } = column
      const name = shownAs(serializeAs)
      const timeColumn = !hasGetter && showsTime(column) ? columnName : null
      name === null || this.#columns.set(attribute, { name, hasGetter, serialize, timeColumn })
    })
    this.#model.$computedDefinitions.forEach(({ serializeAs }, attribute) => {
      const name = shownAs(serializeAs)
      name === null || this.#computed.push({ attribute, name })
    })
  }

  /** Whether a row has a relation of the name that is not loaded yet. */
  lacks(row: LucidRow, name: string): boolean {
    return this.#relations.has(name) && (row.$preloaded as Values)[name] === undefined
  }

  /** What a row holds under the name of a relationship: a relation as a rule. */
  related(row: LucidRow, name: string, model: LucidRow): unknown {
    return this.#relations.has(name)
      ? (row.$preloaded as Values)[name]
      : (model as unknown as Values)[name]
  }

  /** The foreign key of a `belongsTo`; undefined for anything else, and when it was not selected. */
  foreignKeyOf(row: LucidRow, name: string): unknown {
    const relation = relationOf(this.#model, name)
    return relation?.type === 'belongsTo'
      ? (row.$attributes as Values)[relation.foreignKey]
      : undefined
  }

  idOf(row: LucidRow): unknown {
    return this.#hasKeyGetter ? row.$primaryKeyValue : (row.$attributes as Values)[this.#primaryKey]
  }

  /** What `serializeRow` returns, under the names of the document. Null when Lucid has to be asked. */
  attributesOf(row: LucidRow, model: LucidRow): Values | null {
    const source = row as unknown as Values & { serializeExtras?: unknown }
    if (!this.#isSerializedByLucid || source.serializeExtras) {
      return null
    }
    const values = row.$attributes as Values
    const attributes: Values = {}
    for (const attribute in values) {
      const column = this.#columns.get(attribute)
      if (column) {
        const time = column.timeColumn && unreadTime(values, column.timeColumn)
        if (time) {
          attributes[column.name] = time
          continue
        }
        let value = column.hasGetter ? source[attribute] : values[attribute]
        /* Lucid falls back on the property of an attribute that is undefined. */
        value = value === undefined ? source[attribute] : value
        value = column.serialize ? column.serialize(value, attribute, model) : value
        this.#set(attributes, column.name, value)
      }
    }
    for (const { attribute, name } of this.#computed) {
      this.#set(attributes, name, source[attribute])
    }
    return attributes
  }

  #set(attributes: Values, name: string, value: unknown) {
    if (typeof value === 'string' || typeof value === 'number' || value === null) {
      attributes[name] = value
    } else if (value !== undefined) {
      attributes[name] = this.convert(value)
    }
  }
}
