import { RuntimeException } from '@adonisjs/core/exceptions'
import type { LucidRow } from '@adonisjs/lucid/types/model'

import { toJson } from '#json_api/attributes'
import { declarationsOf, declaredClass, isResourceClass } from '#json_api/declarations'
import type { Fieldsets } from '#json_api/fields'
import { type IncludeTree, includeTree, unknownPath } from '#json_api/include'
import { isRow, loadRelation, relationOf } from '#json_api/relation_loader'
import { Renderable, type Selection } from '#json_api/renderable'
import type {
  Document,
  Relationship,
  Resource,
  ResourceClass,
  ResourceIdentifier,
  ResourceObject,
} from '#json_api/types'

/** A resource and its object in the document: the one object of its type and id. */
interface Node {
  resource: Resource
  object: ResourceObject
}

/** What a relationship of one resource leads to. */
interface Target {
  isToMany: boolean
  resources: Resource[]
  resourceClass: ResourceClass | null
}

/**
 * Makes the document of a resource or a collection (JSON:API 1.1, Document
 * Structure): each type and id once, primary data counted, with its linkage
 * merged from every path that reached it.
 *
 * @throws {InvalidParameter} 400 for a relationship path that leads nowhere
 */
export async function buildDocument(
  source: Renderable,
  { include, fieldsets }: Selection
): Promise<Document> {
  const builder = new DocumentBuilder(fieldsets)
  const primary = source.resources()
  const nodes = builder.addAll(Array.isArray(primary) ? primary : primary ? [primary] : [])
  const data = nodes.map(({ object }) => object)

  if (include) {
    const tree = includeTree(include, source.resourceClass.maxIncludeDepth)
    assertPaths(source.resourceClass, tree, [], nodes.length > 0)
    await builder.expand(nodes, tree, [])
  }

  return {
    data: Array.isArray(primary) ? data : (data[0] ?? null),
    ...(include && { included: builder.objects.slice(data.length) }),
    ...(primary && (await topLevel(source))),
  }
}

async function topLevel(source: Renderable) {
  const links = await source.toLinks()
  const meta = await source.toMeta()
  const extras = await source.with()
  return toJson({ ...(links && { links }), ...(meta && { meta }), ...extras }) as Partial<Document>
}

/**
 * Refuses paths that a class of resources does not know.
 *
 * With models at hand this comes before anything is loaded, and leaves what may
 * depend on them to `expand`. Without models it is all that can be asked.
 */
function assertPaths(
  resourceClass: ResourceClass,
  tree: IncludeTree,
  path: string[],
  hasModels: boolean
) {
  if (tree.size === 0) {
    return
  }
  const { relationships, isCertain } = declarationsOf(resourceClass)
  if (!relationships) {
    return
  }
  for (const [name, branch] of tree) {
    const declaration = declarationIn(relationships, name)
    if (!declaration) {
      if (isCertain || !hasModels) {
        throw unknownPath([...path, name])
      }
      continue
    }
    if (branch.size > 0 && (isResourceClass(declaration) || !hasModels)) {
      const related = declaredClass(declaration)
      related && assertPaths(related, branch, [...path, name], hasModels)
    }
  }
}

class DocumentBuilder {
  #nodes = new Map<string, Map<string, Node>>()

  /** The resource objects in the order in which they were reached. */
  readonly objects: ResourceObject[] = []

  constructor(private fieldsets: Fieldsets) {}

  /** The nodes of resources, one for each object. */
  addAll(resources: Resource[]): Node[] {
    if (resources.length < 2) {
      return resources.map((resource) => this.#add(resource))
    }
    const nodes = new Map<ResourceObject, Node>()
    for (const resource of resources) {
      const node = this.#add(resource)
      nodes.has(node.object) || nodes.set(node.object, node)
    }
    return [...nodes.values()]
  }

  /**
   * The node of a resource. The first resource of a type and id gives the
   * attributes, and is asked for relationships that another of its class
   * reaches: what it has loaded is not loaded again.
   */
  #add(resource: Resource): Node {
    const { type } = resource.resourceClass
    const id = idOf(resource)
    let nodes = this.#nodes.get(type)
    if (!nodes) {
      this.#nodes.set(type, (nodes = new Map()))
    }
    const node = nodes.get(id)
    if (node) {
      const isSameClass = node.resource.constructor === resource.constructor
      return isSameClass ? node : { resource, object: node.object }
    }

    const attributes = pick(resource.toAttributes() as object, this.fieldsets.get(type))
    const added = { resource, object: { type, id, attributes } }
    nodes.set(id, added)
    this.objects.push(added.object)
    return added
  }

  /** Adds what the tree asks for, level by level: a relation is loaded for a whole level at once. */
  async expand(nodes: Node[], tree: IncludeTree, path: string[]) {
    if (nodes.length === 0) {
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
        const [{ resource }] = nodes
        const nextClass = relatedClass ?? classWithoutModels(resource.resourceClass, name)
        nextClass && assertPaths(nextClass, branch, [...path, name], false)
      }
    }
  }

  /** Links one relationship of all nodes, and returns what it leads to. */
  async #linkAll(nodes: Node[], name: string, path: string[]) {
    const related = new Map<ResourceObject, Node>()
    let relatedClass: ResourceClass | null = null
    let isKnown = false

    for (const node of nodes) {
      const declaration = declarationIn(node.resource.toRelationships(), name)
      if (!declaration) {
        continue
      }
      isKnown = true
      const pending = resolve(declaration, node.resource, name)
      const target = pending instanceof Promise ? await pending : pending
      relatedClass ??= target?.resourceClass ?? null
      if (target) {
        for (const linked of this.#link(node.object, name, target)) {
          related.has(linked.object) || related.set(linked.object, linked)
        }
      }
    }

    if (!isKnown) {
      throw unknownPath([...path, name])
    }
    return { related: [...related.values()], relatedClass }
  }

  /**
   * Merges linkage into a resource object and returns the nodes that it leads
   * to. What another path linked stays, and a to-one relationship leads to one
   * resource: nothing is included without a link to it.
   */
  #link(object: ResourceObject, name: string, target: Target): Node[] {
    const relationships = (object.relationships ??= {})
    const linkage = relationships[name]?.data

    if (!target.isToMany) {
      if (linkage) {
        return [linkage].flat().map(({ type, id }) => this.#nodes.get(type)!.get(id)!)
      }
      const nodes = this.addAll(target.resources)
      relationships[name] = { data: nodes.length > 0 ? identifier(nodes[0]) : null }
      return nodes
    }

    const nodes = this.addAll(target.resources)
    const identifiers = nodes.map(identifier)
    relationships[name] = {
      data: linkage ? union([linkage].flat(), identifiers) : identifiers,
    }
    return nodes
  }
}

function union(known: ResourceIdentifier[], more: ResourceIdentifier[]) {
  const keys = new Set(known.map(({ type, id }) => `${type} ${id}`))
  return [...known, ...more.filter(({ type, id }) => !keys.has(`${type} ${id}`))]
}

/** Loads a Lucid relation of the name for all rows that declare such a relationship and lack it. */
async function loadForAll(nodes: Node[], name: string) {
  const rows: LucidRow[] = []
  for (const { resource } of nodes) {
    const row = resource.resource
    if (
      isRow(row) &&
      relationOf(row, name) &&
      !row.$hasRelated(name as never) &&
      declarationIn(resource.toRelationships(), name)
    ) {
      rows.push(row)
    }
  }
  await loadRelation(rows, name)
}

/** What a declaration leads to, or null when the relationship is left out. */
function resolve(
  declaration: Relationship,
  resource: Resource,
  name: string
): Target | null | Promise<Target | null> {
  if (isResourceClass(declaration)) {
    return fromAttribute(declaration, resource.resource[name])
  }
  if (declaration instanceof Renderable) {
    return targetOf(declaration)
  }
  const value = (declaration as () => Renderable | null | undefined | Promise<Renderable | null>)()
  return value instanceof Promise ? value.then(targetOf) : targetOf(value)
}

/** A resource class reads the model attribute of the relationship's name. */
function fromAttribute(resourceClass: ResourceClass, value: unknown): Target | null {
  if (value === null || value === undefined) {
    return null
  }
  const isToMany = Array.isArray(value)
  const models = isToMany ? value : [value]
  return { isToMany, resources: models.map((model) => new resourceClass(model)), resourceClass }
}

function targetOf(value: Renderable | null | undefined): Target {
  const resources = value?.resources() ?? null
  return {
    isToMany: Array.isArray(resources),
    resources: [resources ?? []].flat(),
    resourceClass: value?.resourceClass ?? null,
  }
}

/** The class that a relationship leads to, as far as a class of resources can tell. */
function classWithoutModels(resourceClass: ResourceClass, name: string) {
  const declaration = declarationIn(declarationsOf(resourceClass).relationships, name)
  return declaration && declaredClass(declaration)
}

function declarationIn(relationships: Record<string, Relationship> | null, name: string) {
  return relationships && Object.hasOwn(relationships, name) ? relationships[name] : null
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

/** The attributes of a fieldset, or all, as JSON. */
function pick(attributes: object, fieldset: Set<string> | undefined): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const name of Object.keys(attributes)) {
    const value = (attributes as Record<string, unknown>)[name]
    if (value !== undefined && (!fieldset || fieldset.has(name))) {
      picked[name] = toJson(value)
    }
  }
  return picked
}
