import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'

/** SQLite takes 32,766 bindings in a statement, PostgreSQL 65,535. */
const MAX_KEYS = 30_000

/** One row or more. */
type Rows = [LucidRow, ...LucidRow[]]

/** A Lucid relation knows more than its contract shows. */
type BootedRelation = RelationshipsContract & {
  localKey: string
  foreignKey: string
  pivotForeignKey: string
  foreignKeyColumnName: string
  pivotAlias(column: string): string
  throughAlias(column: string): string
}

export function isRow(value: unknown): value is LucidRow {
  return value instanceof BaseModel
}

/** The Lucid relation of a row under a name, if it has one. */
export function relationOf(row: LucidRow, name: string) {
  const model = row.constructor as LucidModel
  return model.$hasRelation(name) ? model.$getRelation(name as never) : undefined
}

/**
 * Loads a relation of many rows with one query, inside the rows' transaction if
 * they have one. What is loaded already stays as it is.
 *
 * Lucid's own preloader looks through all related rows for every parent, which
 * is quadratic. Here they are handed out by their key.
 */
export async function loadRelation(rows: LucidRow[], name: string) {
  for (const siblings of groupByClient(rows.filter((row) => !row.$hasRelated(name as never)))) {
    await loadForSiblings(siblings, name)
  }
}

/** Rows of one model that are read through the same connection or transaction. */
function groupByClient(rows: LucidRow[]) {
  const groups = new Map<unknown, Map<unknown, Rows>>()
  for (const row of rows) {
    const model = row.constructor
    const source = row.$trx ?? row.$options?.connection
    const byClient = groups.get(model) ?? groups.set(model, new Map()).get(model)!
    const siblings = byClient.get(source)
    siblings ? siblings.push(row) : byClient.set(source, [row])
  }
  return [...groups.values()].flatMap((byClient) => [...byClient.values()])
}

async function loadForSiblings(rows: Rows, name: string) {
  const relation = relationOf(rows[0], name) as unknown as BootedRelation
  relation.boot()
  const parentKey = relation.type === 'belongsTo' ? relation.foreignKey : relation.localKey

  /* A key that is undefined was not selected: Lucid says so when it builds the query. */
  const parents = new Map<string | undefined, Rows>()
  const orphans: LucidRow[] = []
  for (const row of rows) {
    const value = (row as Record<string, any>)[parentKey]
    if (value === null) {
      orphans.push(row)
      continue
    }
    const key = value === undefined ? undefined : String(value)
    const sharers = parents.get(key)
    sharers ? sharers.push(row) : parents.set(key, [row])
  }

  const related = await fetchRelated(
    relation,
    [...parents.values()].map(([row]) => row)
  )
  distribute(relation, parents, related)
  orphans.forEach((row) =>
    row.$setRelated(name as never, (isToMany(relation) ? [] : null) as never)
  )
}

async function fetchRelated(relation: BootedRelation, parents: LucidRow[]) {
  const related: LucidRow[] = []
  const [sample] = parents
  if (!sample) {
    return related
  }
  const client = (relation.model as LucidModel).$adapter.modelClient(sample)
  for (let start = 0; start < parents.length; start += MAX_KEYS) {
    const batch = parents.slice(start, start + MAX_KEYS)
    const query = relation.eagerQuery(batch as never, client).sideload(sample.$sideloaded)
    for (const row of (await query.selectRelationKeys().exec()) as LucidRow[]) {
      related.push(row)
    }
  }
  return related
}

function distribute(
  relation: BootedRelation,
  parents: Map<string | undefined, Rows>,
  related: LucidRow[]
) {
  const keyOf = relatedKey(relation)
  const byKey = new Map<string, LucidRow[]>()
  for (const row of related) {
    const key = String(keyOf(row))
    const sharers = byKey.get(key)
    sharers ? sharers.push(row) : byKey.set(key, [row])
  }

  for (const [key, rows] of parents) {
    const matches = byKey.get(key!) ?? []
    const value = isToMany(relation) ? matches : (matches[0] ?? null)
    rows.forEach((row) => row.$setRelated(relation.relationName as never, value as never))
  }
}

/** Where a related row holds the key of its parent. */
function relatedKey(relation: BootedRelation): (row: any) => unknown {
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

function isToMany(relation: RelationshipsContract) {
  return relation.type !== 'belongsTo' && relation.type !== 'hasOne'
}
