/*
| All uses of Lucid's internals, here and in row_reader.ts. Each has
| a canary in tests/unit/json_api/lucid_canary.spec.ts, which says what to look at when an
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
import type {
  RelationQueryBuilderContract,
  RelationshipsContract,
} from '@adonisjs/lucid/types/relations'

import { behindOf, hydrateQuickly } from '#database/hydration'

type RelatedQuery = RelationQueryBuilderContract<any, any>

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
      return (row) => valueOf(row, relation.localKey)
    case 'manyToMany': {
      const alias = relation.pivotAlias(relation.pivotForeignKey)
      return (row) => behindOf(row).$extras[alias]
    }
    case 'hasManyThrough': {
      const alias = relation.throughAlias(relation.foreignKeyColumnName)
      return (row) => behindOf(row).$extras[alias]
    }
    default:
      return (row) => valueOf(row, relation.foreignKey)
  }
}

/** The value of a property, which is a column as a rule. */
export function valueOf(row: LucidRow, name: string): unknown {
  const behind = behindOf(row)
  return (behind === row ? row : behind.$attributes)[name as keyof LucidRow]
}

/** The query for the related rows of parents, inside the transaction that they were read in. */
export function relatedQuery(relation: BootedRelation, parents: LucidRow[]) {
  const [first] = parents
  const client = (relation.model as LucidModel).$adapter.modelClient(first!)
  return hydrateQuickly(relation.eagerQuery(parents as never, client) as never as RelatedQuery)
    .sideload(first!.$sideloaded)
    .selectRelationKeys()
}

/** The attributes of a model that relations are found by: its own keys of each. */
export function relationKeys(model: LucidModel): string[] {
  model.boot()
  return [...model.$relationsDefinitions.keys()].map((name) => parentKey(relationOf(model, name)!))
}

/** What a row is read through: rows that differ in it cannot share a query. */
export function clientOf(row: LucidRow): unknown {
  return row.$trx ?? row.$options?.connection
}

/** Names under which the relations of a model appear when it is serialized. */
export function relationNames(model: LucidModel) {
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
