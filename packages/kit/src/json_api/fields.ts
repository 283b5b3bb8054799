import { InvalidParameter } from '#json_api/errors'
import { listValues } from '#json_api/query_parameters'
import { isObject } from '#process/objects'

/** The attributes to show, by resource type. A type that is not there shows all. */
export type Fieldsets = Map<string, Set<string>>

const FLAT_NAME = /^fields\[([^\]]+)\]$/

/**
 * Reads the sparse fieldsets of a query, be it parsed (`{ fields: { posts: 'title' } }`) or flat
 * (`{ 'fields[posts]': 'title' }`) (JSON:API 1.1, Sparse Fieldsets).
 *
 * @returns the attribute names by resource type; an empty list shows none
 */
export function parseFields(query: Record<string, unknown>): Record<string, string[]> {
  const fieldsets = new Map<string, string[]>()
  const add = (type: string, value: unknown) => {
    const names = listValues(value).filter((name) => name !== '')
    fieldsets.set(type, [...(fieldsets.get(type) ?? []), ...names])
  }

  for (const [parameter, value] of Object.entries(query)) {
    const [, type] = FLAT_NAME.exec(parameter) ?? []
    if (type) {
      add(type, value)
    } else if (parameter === 'fields' && isObject(value)) {
      Object.entries(value).forEach(([name, names]) => add(name, names))
    }
  }
  return Object.fromEntries(fieldsets)
}

/** @throws {InvalidParameter} 400 for `fields` without a type, and for a value that is not a list */
export function readFields({ fields }: Record<string, unknown>): Fieldsets {
  if (fields !== undefined && !isObject(fields)) {
    throw new InvalidParameter('fields', 'A fieldset names its resource type: fields[type].')
  }
  if (Object.values(fields ?? {}).some((value) => isObject(value))) {
    throw new InvalidParameter('fields', 'A fieldset is a comma-separated list of names.')
  }
  const named = Object.entries(parseFields({ fields }))
  return new Map(named.map(([type, names]) => [type, new Set(names)]))
}
