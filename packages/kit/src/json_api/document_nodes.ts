import { RuntimeException } from '@adonisjs/core/exceptions'

import { behindOf } from '#database/hydration'
import type { RelationshipTarget } from '#json_api/declared_relationships'
import type { Fieldsets } from '#json_api/fields'
import { Node, type Reached } from '#json_api/document_node'
import type { Shapes } from '#json_api/include_paths'
import type { RelatedRows } from '#json_api/lucid_relations'
import type { Reader } from '#json_api/readers'
import { ResourcePlan } from '#json_api/resource_plan'
import type { Resource, ResourceClass, ResourceIdentifier, ResourceObject } from '#json_api/types'

/** One for all: a document has thousands of resource objects. */
const NONE_YET = {}

/**
 * The resource objects of a document: each type and id once, however it is
 * reached (JSON:API 1.1, Compound Documents).
 */
export class DocumentNodes {
  #plans = new Map<ResourceClass, ResourcePlan>()
  #byType = new Map<string, Map<string, Node>>()
  /** Types of several classes of the document. */
  #shared = new Set<string>()

  /** Nodes whose classes define links, meta or linkage without an include. */
  readonly withOptionalMembers: Node[] = []

  /** The resource objects in the order in which they were reached. */
  readonly objects: ResourceObject[] = []

  constructor(
    private fieldsets: Fieldsets,
    private shapes: Shapes
  ) {}

  /** The first node of a type and id that is there. */
  #at({ type, id }: ResourceIdentifier): Node {
    return this.#byType.get(type)!.get(id)!
  }

  /**
   * What a relationship led to when another path followed it: it is not asked again. Undefined
   * when it was not followed, and where classes share a type, which may have linked other
   * resources of a list, or none.
   */
  reachedBefore({ object }: Node, name: string): Reached | undefined {
    const linkage = object.relationships?.[name]?.data
    if (linkage === undefined) {
      return undefined
    }
    const isToMany = Array.isArray(linkage)
    if (linkage && !isToMany) {
      return this.#at(linkage)
    }
    const identifiers = linkage ?? []
    if ([object, ...identifiers].some(({ type }) => this.#shared.has(type))) {
      return undefined
    }
    return isToMany ? identifiers.map((one) => this.#at(one)) : null
  }

  /** The nodes of what a relationship leads to, one for each object. */
  add(target: RelationshipTarget): Node[] {
    return target.resources
      ? this.addResources(target.resources)
      : this.addModels(this.of(target.resourceClass), target.models)
  }

  /** The nodes of resources, one for each object. */
  addResources(resources: readonly Resource[]): Node[] {
    const before = this.objects.length
    const nodes = resources.map((resource) =>
      this.#addModel(this.of(resource.resourceClass), resource.resource, resource)
    )
    return this.distinct(nodes, before)
  }

  /** The nodes of models, one for each object. */
  addModels(plan: ResourcePlan, models: readonly unknown[]): Node[] {
    const before = this.objects.length
    return this.distinct(
      models.map((model) => this.#addModel(plan, model, null)),
      before
    )
  }

  /** The node of a model that a to-one relationship leads to. */
  addOne(plan: ResourcePlan, model: unknown): Node {
    let node = plan.byModel.get(model)
    if (node === undefined) {
      node = this.#addModel(plan, model, null)
      plan.byModel.set(model, node)
    }
    return node
  }

  /** What the rows of a relation lead to: rows that several nodes lead to become a node once. */
  addRows(related: RelatedRows): Reached {
    if (related.nodes === null) {
      const before = this.objects.length
      const { plan, reader, rows } = related
      const nodes = rows.map((row) => this.#insert(plan, reader, row, null, null))
      related.nodes = this.distinct(nodes, before)
    }
    return related.isList ? related.nodes : related.nodes[0]!
  }

  /** Each object once. Objects that were all added since cannot be there twice. */
  distinct(nodes: Node[], objectsBefore: number): Node[] {
    if (nodes.length < 2 || this.objects.length - objectsBefore === nodes.length) {
      return nodes
    }
    const byObject = new Map<ResourceObject, Node>()
    for (const node of nodes) {
      byObject.has(node.object) || byObject.set(node.object, node)
    }
    return [...byObject.values()]
  }

  #addModel(plan: ResourcePlan, model: any, resource: Resource | null): Node {
    const source: unknown = behindOf(model)
    return this.#insert(plan, plan.readerOf(source), source, model, resource)
  }

  /**
   * The first resource of a type and id gives the attributes, and is asked for
   * relationships that another of its class reaches: what it has loaded is not
   * loaded again.
   */
  #insert(
    plan: ResourcePlan,
    reader: Reader,
    source: unknown,
    model: unknown,
    resource: Resource | null
  ): Node {
    const id = textOf(reader.idOf(source), plan)
    const first = plan.byId.get(id)
    if (first?.plan === plan) {
      return first
    }
    if (first) {
      const { object } = first
      const other = plan.others.get(id) ?? new Node(plan, reader, source, model, resource, object)
      plan.others.set(id, other)
      return other
    }
    const object: ResourceObject = { type: plan.type, id, attributes: NONE_YET }
    const node = new Node(plan, reader, source, model, resource, object)
    object.attributes = plan.hasDefaultAttributes
      ? reader.attributesOf(source, model, null)
      : plan.attributesOf(node.resource, reader, source)
    plan.byId.set(id, node)
    this.objects.push(object)
    plan.hasOptionalMembers && this.withOptionalMembers.push(node)
    return node
  }

  /** The plan of a class of resources. */
  of(resourceClass: ResourceClass): ResourcePlan {
    let plan = this.#plans.get(resourceClass)
    if (!plan) {
      const { type } = resourceClass
      const byId = this.#byType.get(type) ?? new Map<string, Node>()
      this.#byType.has(type) ? this.#shared.add(type) : this.#byType.set(type, byId)
      const shape = this.shapes(resourceClass)
      plan = new ResourcePlan(resourceClass, shape, this.fieldsets.get(type), byId)
      this.#plans.set(resourceClass, plan)
    }
    return plan
  }
}

/** @throws {RuntimeException} for a model without an id */
function textOf(id: unknown, { resourceClass }: ResourcePlan): string {
  if (id === null || id === undefined) {
    throw new RuntimeException(`${resourceClass.name} was given a model without an id`)
  }
  return String(id)
}
