import type { LucidRow } from '@adonisjs/lucid/types/model'

import { behindOf } from '#database/hydration'
import {
  type BootedRelation,
  clientOf,
  isToMany,
  modelOf,
  parentKey,
  relatedKey,
  relatedQuery,
  relationOf,
  valueOf,
} from '#json_api/lucid_rows'

/** SQLite takes 32,766 bindings in a statement, PostgreSQL 65,535. */
const MAX_KEYS = 30_000

/**
 * Loads a relation of many rows with one query, inside the rows' transaction if
 * they have one. What is loaded already stays as it is.
 *
 * Lucid's own preloader looks through all related rows for every parent, which
 * is quadratic. Here they are handed out by their key.
 */
export async function loadRelation(rows: LucidRow[], name: string) {
  for (const siblings of groupByClient(
    rows.filter((row) => !behindOf(row).$hasRelated(name as never))
  )) {
    await loadForSiblings(siblings, name)
  }
}

/** Rows of one model that are read through the same connection or transaction. */
function groupByClient(rows: LucidRow[]) {
  const groups = new Map<unknown, Map<unknown, LucidRow[]>>()
  for (const row of rows) {
    const model = row.constructor
    const source = clientOf(behindOf(row))
    const byClient = groups.get(model) ?? groups.set(model, new Map()).get(model)!
    const siblings = byClient.get(source) ?? byClient.set(source, []).get(source)!
    siblings.push(row)
  }
  return [...groups.values()].flatMap((byClient) => [...byClient.values()])
}

async function loadForSiblings(rows: LucidRow[], name: string) {
  const relation = relationOf(modelOf(rows[0]!), name)!
  const key = parentKey(relation)

  /* An undefined key was not selected: Lucid throws when it builds the query. */
  const parents = new Map<string | undefined, LucidRow[]>()
  const orphans: LucidRow[] = []
  for (const row of rows) {
    const value = valueOf(row, key)
    if (value === null) {
      orphans.push(row)
      continue
    }
    const text = value === undefined ? undefined : String(value)
    const sharers = parents.get(text)
    sharers ? sharers.push(row) : parents.set(text, [row])
  }

  const related = await fetchRelated(
    relation,
    [...parents.values()].map(([row]) => row!)
  )
  distribute(relation, parents, related)
  orphans.forEach((row) =>
    behindOf(row).$setRelated(name as never, (isToMany(relation) ? [] : null) as never)
  )
}

async function fetchRelated(relation: BootedRelation, parents: LucidRow[]) {
  const related: LucidRow[] = []
  for (let start = 0; start < parents.length; start += MAX_KEYS) {
    const query = relatedQuery(relation, parents.slice(start, start + MAX_KEYS))
    for (const row of (await query.exec()) as LucidRow[]) {
      related.push(row)
    }
  }
  return related
}

function distribute(
  relation: BootedRelation,
  parents: Map<string | undefined, LucidRow[]>,
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
    rows.forEach((row) => behindOf(row).$setRelated(relation.relationName as never, value as never))
  }
}
