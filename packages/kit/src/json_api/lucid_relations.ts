import type { LucidModel, LucidRow, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'

import { behindOf } from '#database/hydration'
import { type Unhydrated, fetchUnhydrated } from '#database/quick_query'
import type { Row } from '#database/raw_query'
import { type Node, groupedBy } from '#json_api/document_node'
import { RowReader } from '#json_api/lucid_readers'
import type { ResourcePlan } from '#json_api/resource_plan'

/** SQLite takes 32,766 bindings in a statement, PostgreSQL 65,535. */
const MAX_KEYS = 30_000

/** A Lucid relation with the members that its contract leaves out. */
type BootedRelation = RelationshipsContract & {
  localKey: string
  foreignKey: string
  pivotForeignKey: string
  foreignKeyColumnName: string
  pivotAlias(column: string): string
  throughAlias(column: string): string
}

export function relationOf(model: LucidModel, name: string): BootedRelation | null {
  if (!model.$hasRelation(name)) {
    return null
  }
  const relation = model.$getRelation(name as never) as unknown as BootedRelation
  relation.boot()
  return relation
}

/** The attribute of a parent that its related rows are found by. */
function parentKey(relation: BootedRelation): string {
  return relation.type === 'belongsTo' ? relation.foreignKey : relation.localKey
}

/** The attributes of a model that relations are found by: its own keys of each. */
export function relationKeys(model: LucidModel): string[] {
  model.boot()
  return [...model.$relationsDefinitions.keys()].map((name) => parentKey(relationOf(model, name)!))
}

/** Where a related row, or its model, holds its parent's key: an attribute, or a column between. */
function relatedKey(relation: BootedRelation, reader: RowReader | null): (row: any) => unknown {
  const alias = betweenOf(relation)
  if (alias !== null) {
    return reader ? (row) => row[alias] : (row) => behindOf(row).$extras[alias]
  }
  const key = relation.type === 'belongsTo' ? relation.localKey : relation.foreignKey
  return reader ? (row) => reader.valueOf(row, key) : (row) => row[key]
}

/** The column of a result with the key of a parent that is not in the table of the related rows. */
function betweenOf(relation: BootedRelation): string | null {
  if (relation.type === 'manyToMany') {
    return relation.pivotAlias(relation.pivotForeignKey)
  }
  return relation.type === 'hasManyThrough'
    ? relation.throughAlias(relation.foreignKeyColumnName)
    : null
}

/** Rows that a relationship of some nodes leads to, and the nodes that they became. */
export class RelatedRows {
  nodes: Node[] | null = null

  constructor(
    readonly reader: RowReader,
    readonly isList: boolean,
    readonly rows: Row[]
  ) {}
}

/**
 * Fetches a relation for many nodes with one query, inside the transaction of their rows if they
 * have one. Rows stay rows, for a plan that reads them; without one they become models, and are set
 * on those of the nodes. Lucid's own preloader looks through all related rows for every parent.
 */
export async function fetchRelation(nodes: Node[], name: string, plan: ResourcePlan | null) {
  for (const [model, some] of groupedBy(nodes, ({ reader }) => reader.lucid!.model)) {
    const connectionOf = ({ reader, source }: Node) => reader.lucid!.connectionOf(source)
    for (const siblings of groupedBy(some, connectionOf).values()) {
      await fetchForSiblings(siblings, relationOf(model, name)!, plan)
    }
  }
}

async function fetchForSiblings(
  nodes: readonly Node[],
  relation: BootedRelation,
  plan: ResourcePlan | null
) {
  const key = parentKey(relation)
  /* An undefined key was not selected: Lucid throws when it builds the query. */
  const parents = new Map<string, object>()
  const keys = nodes.map(({ reader, source }) => {
    const value = reader.lucid!.valueOf(source, key)
    const text = String(value)
    parents.has(text) || parents.set(text, { [key]: value })
    return text
  })
  parents.delete('null')
  const all = [...parents.values()]
  const { client, sideloaded } = nodes[0]!.reader.lucid!.originOf(nodes[0]!.source)
  const related = new Map<string, unknown>()
  for (let start = 0; start < all.length; start += MAX_KEYS) {
    const query = relatedQuery(relation, all.slice(start, start + MAX_KEYS), client)
    const found = await fetchUnhydrated(query.sideload(sideloaded))
    distribute(relation, found, plan, related)
  }
  const nothing = isToMany(relation) ? [] : null
  for (const [index, node] of nodes.entries()) {
    const value = related.get(keys[index]!) ?? nothing
    node.related = value
    if (!plan) {
      behindOf(node.model).$setRelated(relation.relationName as never, value as never)
    }
  }
}

const isToMany = ({ type }: RelationshipsContract) => type !== 'belongsTo' && type !== 'hasOne'

/** The query for the related rows of parents, of which it reads the key alone. */
export function relatedQuery(
  relation: BootedRelation,
  parents: object[],
  client: Unhydrated['origin']['client']
) {
  const query = relation.eagerQuery(parents as never, client)
  return query.selectRelationKeys() as unknown as ModelQueryBuilderContract<LucidModel>
}

/** Hands out rows by the keys of their parents: rows for a plan that can read them, else models. */
function distribute(
  relation: BootedRelation,
  found: Unhydrated | LucidRow[],
  plan: ResourcePlan | null,
  related: Map<string, unknown>
) {
  const isModels = Array.isArray(found)
  const reader = isModels || !plan ? null : RowReader.of(found, plan)
  const made = isModels || reader ? null : found.rows.map(found.hydrate)
  const rows: readonly any[] = made ?? (isModels ? found : found.rows)
  const keyOf = relatedKey(relation, reader)
  const byKey = Map.groupBy(rows, (row) => String(keyOf(row)))
  const many = isToMany(relation)
  byKey.forEach((some, key) => {
    related.set(key, reader ? new RelatedRows(reader, many, some) : many ? some : some[0])
  })
}
