import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import type { Node } from '#json_api/document_node'
import { toJson } from '#json_api/json'
import type { LucidReader } from '#json_api/lucid_readers'

export type Values = Record<string, unknown>

/** The name of an attribute in the document; null when it is not shown. */
export type NameOf = (attribute: string) => string | null

/** Reads what a document shows of models of one kind. */
export interface Reader {
  /** The same for what Lucid knows of rows; null for other objects. */
  readonly lucid: LucidReader | null
  idOf(source: any): unknown
  /** What `serialize` of the model returns without its relations, under the names of the document, as JSON. */
  attributesOf(source: any, model: any, omitted: ReadonlySet<string> | null): Values
  /** What the model of a node holds under the name of a relationship. */
  relatedTo(node: Node, name: string): unknown
  /** The model of a row that has not become one. */
  modelOf?(source: any): unknown
}

/** Objects that are not Lucid's. */
export class ObjectReader implements Reader {
  readonly lucid = null

  constructor(private pick: Picker) {}

  idOf(model: Values) {
    return model.id
  }

  attributesOf(model: object, _: object, omitted: ReadonlySet<string> | null) {
    return this.pick(serializeModel(model), omitted)
  }

  relatedTo({ source }: Node, name: string): unknown {
    return source[name]
  }
}

/**
 * Gives members under their names in the document, as JSON.
 *
 * @param omitted names of relationships that the class does not declare
 */
export type Picker = (members: object, omitted: ReadonlySet<string> | null) => Values

/** Objects of one kind have their members in one order: a name is looked up when its place has another. */
export function picker(nameOf: NameOf): Picker {
  const known: string[] = []
  const names: (string | null)[] = []
  return (members, omitted) => {
    const picked: Values = {}
    let index = 0
    for (const member of Object.keys(members)) {
      if (known[index] !== member) {
        known[index] = member
        names[index] = nameOf(member)
      }
      const name = names[index++]!
      if (name !== null && !omitted?.has(name)) {
        setJson(picked, name, (members as Values)[member])
      }
    }
    return picked
  }
}

/** Sets a member to a value as JSON has it; undefined is none. */
export function setJson(members: Values, name: string, value: unknown) {
  if (typeof value === 'string' || typeof value === 'number' || value === null) {
    members[name] = value
  } else if (value !== undefined) {
    members[name] = toJson(value)
  }
}

/**
 * Everything that a model's own serialize call returns, without its relations:
 * attributes and relationships share one namespace (JSON:API 1.1, Fields). An
 * object without a serialize method is returned as it is, not to be changed.
 */
export function serializeModel(model: object): Values {
  if (isRow(model)) {
    return serializeRow(model)
  }
  const { serialize } = model as { serialize?: () => Values }
  return typeof serialize === 'function' ? serialize.call(model) : (model as Values)
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
