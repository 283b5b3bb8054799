import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import { AttributeMaker, type Values } from '#json_api/attributes'
import type { Node } from '#json_api/document_node'
import type { LucidReader } from '#json_api/lucid_readers'
import type { ResourcePlan } from '#json_api/resource_plan'

/** What a relation leads to that is not loaded yet. */
export const LACKING = Symbol('not loaded')

/** Reads what a document shows of models of one kind. */
export interface Reader {
  readonly plan: ResourcePlan
  /** The same for what Lucid knows of rows; null for other objects. */
  readonly lucid: LucidReader | null
  idOf(values: any, source: any): unknown
  /** What `serialize` of the model returns without its relations, under the names of the document, as JSON. */
  attributesOf(values: any, source: any, model: any, omitted: ReadonlySet<string> | null): Values
  /** What the model of a node holds under the name of a relationship. */
  relatedTo(node: Node, name: string): unknown
  /** The model of a row that has not become one. */
  modelOf?(source: any): unknown
}

/** The same of what is a model already. */
export interface ReaderOfModels extends Reader {
  /** What holds its attributes. */
  valuesOf(model: any): unknown
  /** What else is read of it: what is behind its proxy. */
  sourceOf(model: any, values: any): unknown
}

/** Objects that are not Lucid's. */
export class ObjectReader implements ReaderOfModels {
  readonly lucid = null
  #attributes: AttributeMaker

  constructor(readonly plan: ResourcePlan) {
    this.#attributes = AttributeMaker.ofMembers(plan.shownName)
  }

  valuesOf(model: Values) {
    return model
  }

  sourceOf(model: Values) {
    return model
  }

  idOf(model: Values) {
    return model.id
  }

  attributesOf(model: object, _: object, __: object, omitted: ReadonlySet<string> | null) {
    const serialized = serializeObject(model)
    return this.#attributes.make(serialized, serialized, null, omitted)
  }

  relatedTo({ source }: Node, name: string): unknown {
    return source[name]
  }
}

/**
 * Everything that a model's own serialize call returns, without its relations:
 * attributes and relationships share one namespace (JSON:API 1.1, Fields). An
 * object without a serialize method is returned as it is, not to be changed.
 */
export function serializeModel(model: object): Values {
  return isRow(model) ? serializeRow(model) : serializeObject(model)
}

function serializeObject(model: { serialize?: () => Values }): Values {
  return typeof model.serialize === 'function' ? model.serialize() : (model as Values)
}

/**
 * What the serialize call of a row returns, without its relations: they may be
 * large, and may lead back to the row. Serializing them only to drop them is no
 * option, even when the model has a serialize method that calls Lucid's.
 */
function serializeRow(row: LucidRow): Values {
  const shadow = row as { serializeRelations?: () => object }
  shadow.serializeRelations = () => ({})
  try {
    const attributes: Values = { ...row.serialize() }
    relationNames(row.constructor as LucidModel).forEach((name) => delete attributes[name])
    return attributes
  } finally {
    delete shadow.serializeRelations
  }
}

export function isRow(value: unknown): value is LucidRow {
  return value instanceof BaseModel
}

/** Names under which the relations of a model appear when it is serialized. */
export function relationNames(model: LucidModel) {
  return [...model.$relationsDefinitions.values()].flatMap(({ serializeAs }) => serializeAs ?? [])
}
