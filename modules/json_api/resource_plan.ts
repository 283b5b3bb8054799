import { RuntimeException } from '@adonisjs/core/exceptions'
import type { LucidRow } from '@adonisjs/lucid/types/model'

import { serializeModel } from '#json_api/attributes'
import { declarationIn } from '#json_api/declared_relationships'
import { assertFieldName } from '#json_api/field_names'
import { toJson } from '#json_api/json'
import { RowReader, isRow } from '#json_api/lucid_rows'
import { isReadFromModel } from '#json_api/relationship_target'
import type {
  Relationship,
  Relationships,
  Resource,
  ResourceClass,
  ResourceIdentifier,
  ResourceObject,
} from '#json_api/types'

/** A resource, the plan of its class, and its object in the document: the one of its type and id. */
export interface Node {
  plan: ResourcePlan
  resource: Resource
  object: ResourceObject
  /** Reads the model, when that is a Lucid row. */
  rows: RowReader | null
  /** Its own relationships, once they were needed. */
  relationships?: Relationships
}

/** Nodes of one type by id, whatever their classes. */
export type NodesById = Map<string, Node>

/**
 * What a class of resources makes of its models in one document: compiled once
 * for the class and the fieldset of its type, then followed for every model. The
 * hooks are called only where the class has some of its own.
 */
export class ResourcePlan {
  readonly type: string
  /** Nodes of this class by the model that was met. */
  readonly byModel = new Map<unknown, Node>()

  #names = new Map<string, string | null>()
  #hidden: ReadonlySet<string>
  #readers = new Map<unknown, RowReader | null>()
  #steps = new Map<string, Relationship | null>()

  /**
   * @param shape what the class declares; null when it depends on the model
   * @param fieldset the attributes to show; all without one
   */
  constructor(
    readonly resourceClass: ResourceClass,
    readonly shape: Relationships | null,
    readonly byId: NodesById,
    private fieldset: ReadonlySet<string> | undefined
  ) {
    this.type = resourceClass.type
    this.#hidden = new Set(resourceClass.hidden)
    Object.keys(shape ?? {}).forEach((name) => assertFieldName(resourceClass, name))
  }

  /**
   * What is declared under a name for every model alike: null for a name that is
   * not declared, undefined when each resource has to be asked.
   */
  declarationFor(name: string): Relationship | null | undefined {
    if (!this.shape) {
      return undefined
    }
    let declaration = this.#steps.get(name)
    if (declaration === undefined) {
      declaration = declarationIn(this.shape, name)
      this.#steps.set(name, declaration)
    }
    return declaration === null || isReadFromModel(declaration) ? declaration : undefined
  }

  /** The relationships of one node, with callables that know its model. */
  relationshipsOf(node: Node): Relationships {
    return (node.relationships ??= node.resource.toRelationships() ?? {})
  }

  /** Reads rows of the model; null for a model that is not Lucid's. */
  readerOf(model: any): RowReader | null {
    const key: unknown = model.constructor
    let reader = this.#readers.get(key)
    if (reader === undefined) {
      reader = isRow(model) ? this.#compile(model) : null
      this.#readers.set(key, reader)
    }
    return reader
  }

  #compile(row: LucidRow) {
    const nameOf = (name: string) => (this.#hidden.has(name) ? null : this.#nameOf(name))
    return new RowReader(row, nameOf, toJson)
  }

  /** The id of a resource as text. */
  idOf({ resource }: Resource, rows: RowReader | null): string {
    const id = rows ? rows.idOf(resource) : resource.id
    if (id === null || id === undefined) {
      throw new RuntimeException(`${this.resourceClass.name} was given a model without an id`)
    }
    return String(id)
  }

  /**
   * The attributes of a resource, as JSON. What is a relationship is no attribute:
   * they share one namespace (JSON:API 1.1, Fields).
   */
  attributesOf(resource: Resource, rows: RowReader | null): Record<string, unknown> {
    const attributes = this.#readAttributes(resource, rows)
    if (!this.shape) {
      const names = Object.keys(resource.toRelationships() ?? {})
      names.forEach((name) => delete attributes[name])
    }
    return attributes
  }

  #readAttributes(resource: Resource, rows: RowReader | null): Record<string, unknown> {
    const model = resource.resource
    if (!this.resourceClass.hasDefaultAttributes(resource)) {
      return this.#pick(resource.toAttributes())
    }
    return rows?.attributesOf(model) ?? this.#pick(serializeModel(model), this.#hidden)
  }

  #pick(attributes: object, hidden?: ReadonlySet<string>) {
    const picked: Record<string, unknown> = {}
    for (const attribute of Object.keys(attributes)) {
      const name = hidden?.has(attribute) ? null : this.#nameOf(attribute)
      if (name === null) {
        continue
      }
      const value = (attributes as Record<string, unknown>)[attribute]
      if (typeof value === 'string' || typeof value === 'number') {
        picked[name] = value
      } else if (value !== undefined) {
        picked[name] = toJson(value)
      }
    }
    return picked
  }

  /** The name of an attribute in the document, null when it is not shown. */
  #nameOf(attribute: string): string | null {
    let name = this.#names.get(attribute)
    if (name === undefined) {
      name = this.#decideName(attribute)
      this.#names.set(attribute, name)
    }
    return name
  }

  #decideName(attribute: string): string | null {
    const { renamed } = this.resourceClass
    const name = Object.hasOwn(renamed, attribute) ? renamed[attribute]! : attribute
    if (this.shape && Object.hasOwn(this.shape, name)) {
      return null
    }
    assertFieldName(this.resourceClass, name)
    return !this.fieldset || this.fieldset.has(name) ? name : null
  }
}

export function identifierOf({ object }: Node): ResourceIdentifier {
  return { type: object.type, id: object.id }
}
