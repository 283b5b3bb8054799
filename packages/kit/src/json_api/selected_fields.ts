import type { LucidModel, LucidRow, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

import { shapeOf } from '#json_api/declared_relationships'
import { hydrateQuickly } from '#database/quick_query'
import { parseFields } from '#json_api/query_parameters'
import { relationKeys } from '#json_api/lucid_relations'
import { serializesColumns } from '#json_api/readers'
import type { ResourceClass } from '#json_api/types'

const HOOKS = ['toAttributes', 'toResourceMeta', 'toRelationshipMeta'] as const

/** Queries whose columns `selectFields` has chosen. */
export const withFields = new WeakSet<object>()

/**
 * Selects only what a request's `fields` show of a list's resources (JSON:API 1.1, Sparse
 * Fieldsets), and the keys that ids and relations need. Columns of tables that the query joins are
 * not selected.
 *
 * Selects whole rows when the columns cannot be told from the names: without a fieldset, for a
 * resource with such a hook of its own as may read others, for a model that serializes itself, and for getters.
 */
export function selectFields<Model extends LucidModel>(
  query: ModelQueryBuilderContract<Model, InstanceType<Model>>,
  resourceClass: ResourceClass,
  queryString: Record<string, unknown>
) {
  const names = parseFields(queryString)[resourceClass.type]
  const columns = columnsOf(query.model, resourceClass, names) ?? ['*']
  void query.select(columns.map((column) => `${query.model.table}.${column}`))
  withFields.add(query)
  return hydrateQuickly(query)
}

function columnsOf(model: LucidModel, resourceClass: ResourceClass, names?: string[]) {
  const shape = names ? shapeOf(resourceClass) : null
  const isTold = shape && HOOKS.every((hook) => resourceClass.hasDefault(hook, shape.sample))
  if (!names || !isTold || !serializesColumns(model.prototype as LucidRow)) {
    return null
  }
  const shown = new Set(names)
  const keys = new Set([model.primaryKey, ...relationKeys(model)])
  const { renamed } = resourceClass
  const isShown = (serialized: string | null) =>
    serialized !== null && shown.has(renamed[serialized] ?? serialized)
  if ([...model.$computedDefinitions.values()].some(({ serializeAs }) => isShown(serializeAs))) {
    return null
  }
  const needed = [...model.$columnsDefinitions].filter(
    ([attribute, { serializeAs }]) => keys.has(attribute) || isShown(serializeAs)
  )
  /* A getter may read other columns. */
  return needed.some(([, { hasGetter }]) => hasGetter)
    ? null
    : needed.map(([, { columnName }]) => columnName)
}
