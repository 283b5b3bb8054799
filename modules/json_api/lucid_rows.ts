/*
| Everything that leans on the inside of Lucid, in one place. Each has a canary
| in tests/unit/json_api/lucid_canary.spec.ts, which says what to look at when an
| update of Lucid moves it:
|
| - row.$attributes, row.$primaryKeyValue, model.$columnsDefinitions and
|   model.$computedDefinitions, with `hasGetter`, `serialize` and `serializeAs`;
| - BaseModel.prototype.serialize, serializeAttributes, serializeComputed and
|   shouldSerializeField: whether a model has its own, and what they return;
| - row.serializeRelations, which `serialize` calls, and row.serializeExtras;
| - the keys and the eager query of a relation: BootedRelation.
*/

import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'

export function isRow(value: unknown): value is LucidRow {
  return value instanceof BaseModel
}

export function modelOf(row: LucidRow): LucidModel {
  return row.constructor as LucidModel
}

/** A Lucid relation with the members that its contract leaves out. */
export type BootedRelation = RelationshipsContract & {
  localKey: string
  foreignKey: string
  pivotForeignKey: string
  foreignKeyColumnName: string
  pivotAlias(column: string): string
  throughAlias(column: string): string
}

/** The Lucid relation of a model under a name, ready to use, if there is one. */
export function relationOf(model: LucidModel, name: string): BootedRelation | null {
  if (!model.$hasRelation(name)) {
    return null
  }
  const relation = model.$getRelation(name as never) as unknown as BootedRelation
  relation.boot()
  return relation
}

export function isToMany(relation: RelationshipsContract) {
  return relation.type !== 'belongsTo' && relation.type !== 'hasOne'
}

/** The property of a parent that its related rows are found by. */
export function parentKey(relation: BootedRelation): string {
  return relation.type === 'belongsTo' ? relation.foreignKey : relation.localKey
}

/** Where a related row holds the key of its parent. */
export function relatedKey(relation: BootedRelation): (row: any) => unknown {
  switch (relation.type) {
    case 'belongsTo':
      return (row) => row[relation.localKey]
    case 'manyToMany': {
      const alias = relation.pivotAlias(relation.pivotForeignKey)
      return (row) => row.$extras[alias]
    }
    case 'hasManyThrough': {
      const alias = relation.throughAlias(relation.foreignKeyColumnName)
      return (row) => row.$extras[alias]
    }
    default:
      return (row) => row[relation.foreignKey]
  }
}

/** The query for the related rows of parents, inside the transaction that they were read in. */
export function relatedQuery(relation: BootedRelation, parents: LucidRow[]) {
  const [first] = parents
  const client = (relation.model as LucidModel).$adapter.modelClient(first!)
  return relation
    .eagerQuery(parents as never, client)
    .sideload(first!.$sideloaded)
    .selectRelationKeys()
}

/** What a row is read through: rows that differ in it cannot share a query. */
export function clientOf(row: LucidRow): unknown {
  return row.$trx ?? row.$options?.connection
}

/** Names under which the relations of a model appear when it is serialized. */
function relationNames(model: LucidModel) {
  return [...model.$relationsDefinitions.values()].flatMap(({ serializeAs }) => serializeAs ?? [])
}

/**
 * What the serialize call of a row returns, without its relations: they may be
 * large, and may lead back to the row. Serializing them only to drop them is no
 * option, even when the model has a serialize method that calls Lucid's.
 */
export function serializeRow(row: LucidRow): Record<string, unknown> {
  const shadow = row as { serializeRelations?: () => object }
  shadow.serializeRelations = () => ({})
  try {
    const attributes: Record<string, unknown> = { ...row.serialize() }
    relationNames(modelOf(row)).forEach((name) => delete attributes[name])
    return attributes
  } finally {
    delete shadow.serializeRelations
  }
}

/** One column, as `serialize` would return it. */
interface ColumnReader {
  name: string
  hasGetter: boolean
  serialize?: (value: unknown, attribute: string, row: LucidRow) => unknown
}

type Values = Record<string, unknown>

const SERIALIZERS = [
  'serialize',
  'serializeAttributes',
  'serializeComputed',
  'shouldSerializeField',
] as const

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
    const own = sample as unknown as Values
    const lucid = BaseModel.prototype as unknown as Values
    this.#model = modelOf(sample)
    this.#relations = new Set(this.#model.$relationsDefinitions.keys())
    this.#primaryKey = this.#model.primaryKey
    this.#hasKeyGetter = this.#model.$getColumn(this.#primaryKey)?.hasGetter ?? false
    this.#isSerializedByLucid = SERIALIZERS.every((method) => own[method] === lucid[method])
    if (this.#isSerializedByLucid) {
      this.#compile(nameOf)
    }
  }

  #compile(nameOf: (serialized: string) => string | null) {
    const related = new Set(relationNames(this.#model))
    const shownAs = (serialized: string | null) =>
      serialized === null || related.has(serialized) ? null : nameOf(serialized)

    this.#model.$columnsDefinitions.forEach(({ serializeAs, serialize, hasGetter }, attribute) => {
      const name = shownAs(serializeAs)
      name === null || this.#columns.set(attribute, { name, hasGetter, serialize })
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
  related(row: LucidRow, name: string): unknown {
    return this.#relations.has(name)
      ? (row.$preloaded as Values)[name]
      : (row as unknown as Values)[name]
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
  attributesOf(row: LucidRow): Values | null {
    const source = row as unknown as Values & { serializeExtras?: unknown }
    if (!this.#isSerializedByLucid || source.serializeExtras) {
      return null
    }
    const values = row.$attributes as Values
    const attributes: Values = {}
    for (const attribute in values) {
      const column = this.#columns.get(attribute)
      if (column) {
        let value = column.hasGetter ? source[attribute] : values[attribute]
        /* Lucid falls back on the property of an attribute that is undefined. */
        value = value === undefined ? source[attribute] : value
        value = column.serialize ? column.serialize(value, attribute, row) : value
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
