import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import { hasClock, showsTime } from '#database/row_times'
import { AttributeMaker, type NameOf, type Values } from '#json_api/attributes'
import type { Node } from '#json_api/document_node'
import type { ResourcePlan } from '#json_api/resource_plan'
import { rememberedOf } from '#process/remembered'

/** What a relation leads to that is not loaded yet. */
export const LACKING = Symbol('not loaded')

/** Reads what a document shows of objects that are not Lucid's. */
export class ObjectReader {
  /** The same for what Lucid knows of rows. */
  readonly lucid = null
  #attributes: AttributeMaker

  constructor(readonly plan: ResourcePlan) {
    this.#attributes = AttributeMaker.ofMembers(plan.shownName)
  }

  /** What holds the attributes of a model. */
  valuesOf(model: Values) {
    return model
  }

  /** What else is read of it: what is behind its proxy. */
  sourceOf(model: Values) {
    return model
  }

  idOf(model: Values) {
    return model.id
  }

  /** What `serialize` of the model returns without its relations, under the names of the document, as JSON. */
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

export const isRow = (value: unknown): value is LucidRow => value instanceof BaseModel

/** Names under which the relations of a model appear when it is serialized. */
export function relationNames(model: LucidModel) {
  return [...model.$relationsDefinitions.values()].flatMap(({ serializeAs }) => serializeAs ?? [])
}

/** One column, as `serialize` shows it. */
export interface Column {
  attribute: string
  name: string
  /** The column of a result. */
  column: string
  hasGetter: boolean
  /** Whether Lucid serializes it as a time: one that nobody has read is not made. */
  isTime: boolean
  /** Whether a function of it is given the model. */
  takesModel: boolean
  consume?: (value: unknown, attribute: string, row: any) => unknown
  serialize?: (value: unknown, attribute: string, row: any) => unknown
}

/** What a model serializes: names under which relations appear are not attributes. */
const serializedMembers = rememberedOf((model: LucidModel) => {
  const related = new Set(relationNames(model))
  const isShown = ({ name }: { name: string | null }) => name !== null && !related.has(name)
  const columns = [...model.$columnsDefinitions].map(([attribute, definition]) => {
    const { serializeAs: name, columnName: column, hasGetter, consume, serialize } = definition
    const isLucids = !hasGetter && showsTime(definition)
    const takesModel = !isLucids && [consume, serialize].some((one) => one && one.length > 2)
    const isTime = isLucids && hasClock(definition)
    return { attribute, name, column, hasGetter, isTime, takesModel, consume, serialize }
  })
  const computed = [...model.$computedDefinitions].map(([attribute, { serializeAs: name }]) => {
    return { attribute, name }
  })
  return {
    columns: columns.filter(isShown) as Column[],
    computed: computed.filter(isShown) as Pick<Column, 'attribute' | 'name'>[],
  }
})

export function shownMembers(model: LucidModel, nameOf: NameOf) {
  const { columns, computed } = serializedMembers(model)
  const shown = <Member extends { name: string }>(members: Member[]) =>
    members.flatMap((one) => {
      const name = nameOf(one.name)
      return name === null ? [] : [{ ...one, name }]
    })
  const byAttribute = shown(columns).map((one) => [one.attribute, one] as const)
  return { columns: new Map(byAttribute), computed: shown(computed) }
}

const METHODS = ['serialize', 'serializeAttributes', 'serializeComputed', 'shouldSerializeField']

/** Whether a row, or all those of a prototype, are serialized as Lucid does it: column by column. */
export function serializesColumns(row: LucidRow): boolean {
  const [own, lucid] = [row, BaseModel.prototype] as unknown as [Values, Values]
  return METHODS.every((method) => own[method] === lucid[method])
}
