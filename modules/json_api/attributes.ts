import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import { isRow } from '#json_api/relation_loader'

/** A value as JSON has it. */
export type Json<Value = unknown> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends bigint | Date
    ? string
    : Value extends { toJSON(): infer Result }
      ? Json<Result>
      : Value extends (...args: never[]) => unknown
        ? never
        : Value extends readonly (infer Item)[]
          ? Json<Item>[]
          : Value extends object
            ? { [Key in keyof Value]: Json<Value[Key]> }
            : unknown

/**
 * Everything that a model's own serialize call returns, without its relations:
 * attributes and relationships share one namespace (JSON:API 1.1, Fields). An
 * object without a serialize method is returned as it is, not to be changed.
 */
export function serializeModel(model: object): Record<string, unknown> {
  if (isRow(model)) {
    return serializeRow(model)
  }
  const { serialize } = model as { serialize?: () => Record<string, unknown> }
  return typeof serialize === 'function'
    ? serialize.call(model)
    : (model as Record<string, unknown>)
}

/**
 * Loaded relations may be large, and may lead back to the row: serializing them
 * only to drop them is not an option, even when the model has a serialize method
 * of its own that calls Lucid's.
 */
function serializeRow(row: LucidRow): Record<string, unknown> {
  const model = row.constructor as LucidModel
  const shadow = row as { serializeRelations?: () => object }
  shadow.serializeRelations = () => ({})
  try {
    const attributes: Record<string, unknown> = { ...row.serialize() }
    model.$relationsDefinitions.forEach(({ serializeAs }) => {
      if (serializeAs) {
        delete attributes[serializeAs]
      }
    })
    return attributes
  } finally {
    delete shadow.serializeRelations
  }
}

/**
 * Turns a value into plain JSON, as JSON.stringify would see it; a bigint, which
 * JSON.stringify refuses, becomes text.
 */
export function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return String(value)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return toJson(value.toJSON())
  }
  if (Array.isArray(value)) {
    return value.map(toJson)
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]))
}
