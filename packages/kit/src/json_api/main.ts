export { atomicOperations } from '#json_api/atomic_operations'
export { UNSUPPORTED_SORT, cursorPaginate, parseCursorPage } from '#json_api/cursor_pagination'
export { toMany, toOne } from '#json_api/declared_relationships'
export { JsonApiError } from '#json_api/errors'
export { type FilterRule, applyFilter, parseFilter } from '#json_api/filter'
export { JsonResource } from '#json_api/json_resource'
export { parsePage, simplePaginate } from '#json_api/pagination'
export {
  assertNewResource,
  assertUpdatedResource,
  readLinkage,
  readRelationship,
} from '#json_api/request_document'
export { jsonApiResource } from '#json_api/resource_routes'
export { type Write, defineWrites, validated, writing } from '#json_api/resource_writes'
export { selectFields } from '#json_api/selected_fields'
export { parseFields, parseInclude, parseSort } from '#json_api/query_parameters'
export type { InferDocument, ResourceIdentifier, SortCriterion } from '#json_api/types'
export { isObject } from '#process/objects'
