import { RuntimeException } from '@adonisjs/core/exceptions'
import type { LucidRow } from '@adonisjs/lucid/types/model'

import { toJson } from '#json_api/attributes'
import { classWithoutModels, declarationIn } from '#json_api/declarations'
import type { Fieldsets } from '#json_api/fields'
import { type IncludeTree, assertPaths, unknownPath } from '#json_api/include'
import { isRow, loadRelation, relationOf } from '#json_api/relation_loader'
import { type Target, resolve } from '#json_api/target'
import type {
  Relationships,
  Resource,
  ResourceClass,
  ResourceIdentifier,
  ResourceObject,
} from '#json_api/types'

/** A resource, what it declares, and its object in the document: the one of its type and id. */
interface Node {
  resource: Resource
  object: ResourceObject
}

/** The nodes of one class of resources. Classes of one type share `byId`. */
interface Family {
  type: string
  fieldset: Set<string> | undefined
  byId: Map<string, Node>
  byModel: Map<unknown, Node>
}

/**
 * Collects resource objects: each type and id once, primary data counted, with
 * its linkage merged from every path that reached it.
 */
export class DocumentBuilder {
  #families = new Map<ResourceClass, Family>()
  #byType = new Map<string, Map<string, Node>>()

  /** The resource objects in the order in which they were reached. */
  readonly objects: ResourceObject[] = []

  constructor(private fieldsets: Fieldsets) {}

  /** The nodes of resources, one for each object. */
  addAll(resources: Resource[]): Node[] {
    const before = this.objects.length
    const nodes = resources.map((resource) =>
      this.#add(this.#family(resource.resourceClass), resource)
    )
    return this.#distinct(nodes, before)
  }

  /** The nodes of models, one for each object. */
  #addModels(resourceClass: ResourceClass, models: unknown[]): Node[] {
    const family = this.#family(resourceClass)
    const before = this.objects.length
    const nodes = models.map((model) => this.#addModel(family, resourceClass, model))
    return this.#distinct(nodes, before)
  }

  /** The node of a model. One that was met before needs no new resource. */
  #addModel(family: Family, resourceClass: ResourceClass, model: unknown): Node {
    let node = family.byModel.get(model)
    if (!node) {
      node = this.#add(family, new resourceClass(model))
      family.byModel.set(model, node)
    }
    return node
  }

  /** Each object once. Objects that were all added since cannot be there twice. */
  #distinct(nodes: Node[], objectsBefore: number): Node[] {
    const areNew = this.objects.length - objectsBefore === nodes.length
    if (areNew || nodes.length < 2) {
      return nodes
    }
    const byObject = new Map<ResourceObject, Node>()
    for (const node of nodes) {
      byObject.has(node.object) || byObject.set(node.object, node)
    }
    return [...byObject.values()]
  }

  #family(resourceClass: ResourceClass): Family {
    let family = this.#families.get(resourceClass)
    if (!family) {
      const { type } = resourceClass
      const byId = this.#byType.get(type) ?? new Map<string, Node>()
      this.#byType.set(type, byId)
      family = { type, byId, byModel: new Map(), fieldset: this.fieldsets.get(type) }
      this.#families.set(resourceClass, family)
    }
    return family
  }

  /**
   * The node of a resource. The first resource of a type and id gives the
   * attributes, and is asked for relationships that another of its class
   * reaches: what it has loaded is not loaded again.
   */
  #add({ type, byId, fieldset }: Family, resource: Resource): Node {
    const id = idOf(resource)
    const known = byId.get(id)
    if (known) {
      const isSameClass = known.resource.resourceClass === resource.resourceClass
      return isSameClass ? known : { resource, object: known.object }
    }
    const attributes = pick(resource.toAttributes(), resource.toRelationships(), fieldset)
    const node: Node = { resource, object: { type, id, attributes } }
    byId.set(id, node)
    this.objects.push(node.object)
    return node
  }

  /**
   * Adds what the tree asks for, level by level: a relation is loaded for a
   * whole level at once.
   *
   * @throws {InvalidParameter} 400 for a relationship path that leads nowhere
   */
  async expand(nodes: Node[], tree: IncludeTree, path: string[]) {
    const [first] = nodes
    if (!first) {
      return
    }
    for (const [name, branch] of tree) {
      await loadForAll(nodes, name)
      const { related, relatedClass } = await this.#linkAll(nodes, name, path)
      if (branch.size === 0) {
        continue
      }
      await this.expand(related, branch, [...path, name])
      if (related.length === 0) {
        const nextClass = relatedClass ?? classWithoutModels(first.resource.resourceClass, name)
        nextClass && assertPaths(nextClass, branch, [...path, name], false)
      }
    }
  }

  /** Links one relationship of all nodes, and returns what it leads to. */
  async #linkAll(nodes: Node[], name: string, path: string[]) {
    const before = this.objects.length
    const related: Node[] = []
    let relatedClass: ResourceClass | null = null
    let isKnown = false

    for (const { resource, object } of nodes) {
      const declaration = declarationIn(resource.toRelationships(), name)
      if (!declaration) {
        continue
      }
      isKnown = true
      const pending = resolve(declaration, resource, name)
      const target = pending instanceof Promise ? await pending : pending
      if (target) {
        relatedClass ??= target.resourceClass
        for (const node of this.#link(object, name, target)) {
          related.push(node)
        }
      }
    }

    if (!isKnown) {
      throw unknownPath([...path, name])
    }
    return { related: this.#distinct(related, before), relatedClass }
  }

  /**
   * Merges linkage into a resource object and returns the nodes that it leads
   * to. What another path linked stays, and a to-one relationship leads to one
   * resource: nothing is included without a link to it.
   */
  #link(object: ResourceObject, name: string, target: Target): Node[] {
    const relationships = (object.relationships ??= {})
    const linkage = relationships[name]?.data

    if (!target.isToMany && linkage) {
      return [linkage].flat().map(({ type, id }) => this.#byType.get(type)!.get(id)!)
    }

    const nodes = target.resources
      ? this.addAll(target.resources)
      : this.#addModels(target.resourceClass, target.models)
    if (target.isToMany) {
      const identifiers = nodes.map(identifier)
      relationships[name] = {
        data: linkage ? union([linkage].flat(), identifiers) : identifiers,
      }
    } else {
      const [node] = nodes
      relationships[name] = { data: node ? identifier(node) : null }
    }
    return nodes
  }
}

/** Loads a Lucid relation of the name for all rows whose resources declare such a relationship. */
async function loadForAll(nodes: Node[], name: string) {
  const declaring = nodes.filter(({ resource }) => {
    const row = resource.resource
    return isRow(row) && relationOf(row, name) && declarationIn(resource.toRelationships(), name)
  })
  await loadRelation(
    declaring.map(({ resource }) => resource.resource as LucidRow),
    name
  )
}

function union(known: ResourceIdentifier[], more: ResourceIdentifier[]) {
  const keys = new Set(known.map(({ type, id }) => `${type} ${id}`))
  return [...known, ...more.filter(({ type, id }) => !keys.has(`${type} ${id}`))]
}

function identifier({ object }: Node): ResourceIdentifier {
  return { type: object.type, id: object.id }
}

function idOf({ resource, resourceClass }: Resource): string {
  const id = isRow(resource) ? resource.$primaryKeyValue : resource.id
  if (id === null || id === undefined) {
    throw new RuntimeException(`${resourceClass.name} was given a model without an id`)
  }
  return String(id)
}

/**
 * The attributes of a fieldset, or all, as JSON. What is a relationship is no
 * attribute: they share one namespace (JSON:API 1.1, Fields).
 */
function pick(attributes: object, declared: Relationships | null, fieldset?: Set<string>) {
  const picked: Record<string, unknown> = {}
  for (const name of Object.keys(attributes)) {
    const value = (attributes as Record<string, unknown>)[name]
    if (
      value !== undefined &&
      (!fieldset || fieldset.has(name)) &&
      !(declared && Object.hasOwn(declared, name))
    ) {
      picked[name] = toJson(value)
    }
  }
  return picked
}
