import { type ErrorExtras, InvalidParameter } from '#json_api/errors'
import { listValues } from '#json_api/query_parameters'
import { ownMember } from '#process/objects'

/** One criterion, ready for `query.orderBy(...)`. */
export interface SortCriterion {
  column: string
  order: 'asc' | 'desc'
}

/**
 * Reads the `sort` parameter: comma-separated names, `-` before one that descends (JSON:API 1.1,
 * Sorting).
 *
 * @param columns the columns to sort by, under the names that callers know
 * @throws {InvalidParameter} 400 for a name that is not among them
 */
export function parseSort(
  query: Record<string, unknown>,
  columns: Record<string, string>,
  extras?: ErrorExtras
): SortCriterion[] {
  const names = listValues(query.sort)
  if (query.sort === undefined || (names.length === 1 && names[0] === '')) {
    return []
  }

  const criteria = new Map<string, SortCriterion>()
  for (const name of names) {
    const isDescending = name.startsWith('-')
    const field = isDescending ? name.slice(1) : name
    const column = ownMember(columns, field)
    if (column === undefined || criteria.has(field)) {
      throw unsortable(columns, extras)
    }
    criteria.set(field, { column, order: isDescending ? 'desc' : 'asc' })
  }
  if (criteria.size === 0) {
    throw unsortable(columns, extras)
  }
  return [...criteria.values()]
}

function unsortable(columns: Record<string, string>, extras?: ErrorExtras) {
  const names = Object.keys(columns).join(', ')
  return new InvalidParameter('sort', `Each of these can be named once: ${names}.`, extras)
}
