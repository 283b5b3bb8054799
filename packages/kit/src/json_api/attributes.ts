import { isRow, serializeRow } from '#json_api/lucid_rows'

/**
 * Everything that a model's own serialize call returns, without its relations:
 * attributes and relationships share one namespace (JSON:API 1.1, Fields). An
 * object without a serialize method is returned as it is, not to be changed.
 */
export function serializeModel(model: object): Record<string, unknown> {
  return isRow(model) ? serializeRow(model) : serializeObject(model)
}

/** The same for a model that is not a Lucid row. */
export function serializeObject(model: object): Record<string, unknown> {
  const { serialize } = model as { serialize?: () => Record<string, unknown> }
  return typeof serialize === 'function'
    ? serialize.call(model)
    : (model as Record<string, unknown>)
}
