import { RuntimeException } from '@adonisjs/core/exceptions'

import { behindOf } from '#database/hydration'
import { serializeObject } from '#json_api/attributes'
import { type Shape, declarationIn } from '#json_api/declared_relationships'
import { assertFieldName } from '#json_api/field_names'
import { toJson } from '#json_api/json'
import { isRow, serializeRow } from '#json_api/lucid_rows'
import { isReadFromModel } from '#json_api/relationship_target'
import { RowReader } from '#json_api/row_reader'
import type {
  ReadFromModel,
  Relationships,
  Resource,
  ResourceClass,
  ResourceHook,
} from '#json_api/types'

/** A model in a document. */
export interface Source {
  model: any
  /** Reads the row; null for a model that is not Lucid's. */
  rows: RowReader | null
  /** The model, a row past its proxy. */
  row: any
}

/** What a model holds under the name of a relationship. */
export function relatedOf({ model, rows, row }: Source, name: string): unknown {
  return rows ? rows.related(row, name, model) : model[name]
}

/**
 * What a class of resources makes of its models in one document: compiled once
 * for the class and the fieldset of its type, then followed for every model.
 * A resource is only made for a model when the class has hooks that need one.
 */
export class ResourcePlan {
  readonly type: string

  /** The declared relationships; null when they depend on the model. */
  readonly shape: Relationships | null

  /** Whether every resource shows what its model serializes, so that there need not be one. */
  readonly hasDefaultAttributes: boolean

  /** Whether resource objects may have links, meta, or linkage without an include. */
  readonly hasOptionalMembers: boolean

  #hidden: ReadonlySet<string>
  #fieldset: ReadonlySet<string> | undefined
  /** The names of attributes that were met: of `toAttributes()`, and of models, where some are hidden. */
  #names = new Map<string, string | null>()
  #shownNames = new Map<string, string | null>()
  #readers = new Map<unknown, RowReader | null>()
  #steps = new Map<string, ReadFromModel | null | undefined>()

  /**
   * @param shape what the class declares; null when it depends on the model
   * @param fieldset the attributes to show; all without one
   */
  constructor(
    readonly resourceClass: ResourceClass,
    shape: Shape | null,
    fieldset: ReadonlySet<string> | undefined
  ) {
    this.type = resourceClass.type
    this.shape = shape?.relationships ?? null
    const hasDefault = (hook: ResourceHook) =>
      shape !== null && resourceClass.hasDefault(hook, shape.sample)
    this.hasDefaultAttributes = hasDefault('toAttributes')
    this.hasOptionalMembers =
      resourceClass.route !== null ||
      resourceClass.linkage.length > 0 ||
      !hasDefault('toResourceMeta') ||
      !hasDefault('toRelationshipMeta')
    this.#hidden = new Set(resourceClass.hidden)
    this.#fieldset = fieldset
    Object.keys(this.shape ?? {}).forEach((name) => assertFieldName(resourceClass, name))
  }

  /**
   * What is declared under a name for every model alike: null for a name that is
   * not declared, undefined when each resource has to be asked.
   */
  declarationFor(name: string): ReadFromModel | null | undefined {
    if (!this.shape) {
      return undefined
    }
    if (!this.#steps.has(name)) {
      const declaration = declarationIn(this.shape, name)
      const isKnown = declaration === null || isReadFromModel(declaration)
      this.#steps.set(name, isKnown ? declaration : undefined)
    }
    return this.#steps.get(name)
  }

  /** How a model is read. */
  read(model: any): Source {
    const rows = this.#readerOf(model)
    return { model, rows, row: rows ? behindOf(model) : model }
  }

  #readerOf(model: any): RowReader | null {
    const key: unknown = model.constructor
    let reader = this.#readers.get(key)
    if (reader === undefined) {
      reader = isRow(model)
        ? new RowReader(model, (name) => this.#decideName(name, this.#shownNames), toJson)
        : null
      this.#readers.set(key, reader)
    }
    return reader
  }

  /** @throws {RuntimeException} for a model without an id */
  idOf({ rows, row }: Source): string {
    const id: unknown = rows ? rows.idOf(row) : row.id
    if (id === null || id === undefined) {
      throw new RuntimeException(`${this.resourceClass.name} was given a model without an id`)
    }
    return String(id)
  }

  /**
   * The attributes that a model serializes, as JSON.
   *
   * @param omitted names of relationships that the class does not declare
   */
  defaultAttributesOf(
    { model, rows, row }: Source,
    omitted: ReadonlySet<string> | null = null
  ): Record<string, unknown> {
    if (rows === null) {
      return this.#pick(serializeObject(model), this.#shownNames, omitted)
    }
    const attributes = rows.attributesOf(row, model)
    if (attributes === null) {
      return this.#pick(serializeRow(model), this.#shownNames, omitted)
    }
    omitted?.forEach((name) => delete attributes[name])
    return attributes
  }

  /**
   * The attributes of a resource, as JSON. Relationships are left out: both share
   * one namespace (JSON:API 1.1, Fields).
   */
  attributesOf(resource: Resource, source: Source): Record<string, unknown> {
    const omitted = this.shape ? null : new Set(Object.keys(resource.toRelationships() ?? {}))
    return this.resourceClass.hasDefault('toAttributes', resource)
      ? this.defaultAttributesOf(source, omitted)
      : this.#pick(resource.toAttributes(), this.#names, omitted)
  }

  /** Members under their names in the document, as JSON. */
  #pick(members: object, names: Map<string, string | null>, omitted: ReadonlySet<string> | null) {
    const picked: Record<string, unknown> = {}
    for (const member of Object.keys(members)) {
      let name = names.get(member)
      if (name === undefined) {
        name = this.#decideName(member, names)
      }
      if (name !== null && !omitted?.has(name)) {
        const value = (members as Record<string, unknown>)[member]
        if (typeof value === 'string' || typeof value === 'number') {
          picked[name] = value
        } else if (value !== undefined) {
          picked[name] = toJson(value)
        }
      }
    }
    return picked
  }

  /** The name of an attribute in the document, null when it is not shown; kept among the names. */
  #decideName(attribute: string, names: Map<string, string | null>): string | null {
    const isHidden = names === this.#shownNames && this.#hidden.has(attribute)
    const name = isHidden ? null : this.#nameOf(attribute)
    names.set(attribute, name)
    return name
  }

  /** Whether the fieldset of the type has a relationship (JSON:API 1.1, Sparse Fieldsets). */
  showsRelationship(name: string): boolean {
    return !this.#fieldset || this.#fieldset.has(name)
  }

  #nameOf(attribute: string): string | null {
    const { renamed } = this.resourceClass
    const name = Object.hasOwn(renamed, attribute) ? renamed[attribute]! : attribute
    if (this.shape && Object.hasOwn(this.shape, name)) {
      return null
    }
    assertFieldName(this.resourceClass, name)
    return !this.#fieldset || this.#fieldset.has(name) ? name : null
  }
}
