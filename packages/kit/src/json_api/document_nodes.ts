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

/** A class of resources in a document: its plan, and what is known of its models. */
export interface Branch {
  plan: ResourcePlan
  /** The first node of each id of the type. */
  byId: Map<string, Node>
  /** Nodes of ids that another class of the type brought first. */
  others: Map<string, Node>
  /** Nodes by the models that to-one relationships led to: many lead to the same. */
  byModel: Map<unknown, Node>
}

/**
 * The resource objects of a document: each type and id once, however it is
 * reached (JSON:API 1.1, Compound Documents).
 */
export class DocumentNodes {
  #branches = new Map<ResourceClass, Branch>()
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
  at({ type, id }: ResourceIdentifier): Node {
    return this.#byType.get(type)!.get(id)!
  }

  /**
   * What a relationship led to when another path followed it: it is not asked again. Undefined
   * when it was not followed, and where classes share a type, which may have linked it differently.
   */
  reachedBefore({ object }: Node, name: string): Reached | undefined {
    const linkage = object.relationships?.[name]?.data
    if (linkage === undefined) {
      return undefined
    }
    const identifiers = [linkage ?? []].flat()
    if ([object, ...identifiers].some(({ type }) => this.#shared.has(type))) {
      return undefined
    }
    const nodes = identifiers.map((one) => this.at(one))
    return Array.isArray(linkage) ? nodes : (nodes[0] ?? null)
  }

  /** The nodes of what a relationship leads to, one for each object. */
  add(target: RelationshipTarget): Node[] {
    if (target.resources === null) {
      return this.addModels(this.of(target.resourceClass), target.models)
    }
    const before = this.objects.length
    const nodes = target.resources.map((resource) => {
      const branch = this.of(resource.resourceClass)
      return this.#addModel(branch, resource.resource, resource)
    })
    return this.distinct(nodes, before)
  }

  /** The nodes of models, one for each object. */
  addModels(branch: Branch, models: readonly unknown[]): Node[] {
    const before = this.objects.length
    return this.distinct(
      models.map((model) => this.#addModel(branch, model, null)),
      before
    )
  }

  /** The node of a model that a to-one relationship leads to. */
  addOne(branch: Branch, model: unknown): Node {
    let node = branch.byModel.get(model)
    if (node === undefined) {
      node = this.#addModel(branch, model, null)
      branch.byModel.set(model, node)
    }
    return node
  }

  /** What the rows of a relation lead to: rows that several nodes lead to become a node once. */
  addRows(branch: Branch, related: RelatedRows): Reached {
    if (related.nodes === null) {
      const before = this.objects.length
      const { reader, rows } = related
      const nodes = rows.map((row) => this.#insert(branch, reader, row, null, null))
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

  #addModel(branch: Branch, model: any, resource: Resource | null): Node {
    const source: unknown = behindOf(model)
    return this.#insert(branch, branch.plan.readerOf(source), source, model, resource)
  }

  /**
   * The first resource of a type and id gives the attributes, and is asked for
   * relationships that another of its class reaches: what it has loaded is not
   * loaded again.
   */
  #insert(
    { plan, byId, others }: Branch,
    reader: Reader,
    source: unknown,
    model: unknown,
    resource: Resource | null
  ): Node {
    const id = textOf(reader.idOf(source), plan)
    const first = byId.get(id)
    if (first?.plan === plan) {
      return first
    }
    if (first) {
      const other = others.get(id) ?? new Node(plan, reader, source, model, resource, first.object)
      others.set(id, other)
      return other
    }
    const object: ResourceObject = { type: plan.type, id, attributes: {} }
    const node = new Node(plan, reader, source, model, resource, object)
    object.attributes = plan.hasDefaultAttributes
      ? reader.attributesOf(source, model, null)
      : plan.attributesOf(node.resource, reader, source)
    byId.set(id, node)
    this.objects.push(object)
    plan.hasOptionalMembers && this.withOptionalMembers.push(node)
    return node
  }

  /** The plan of a class of resources, and what the document has of it. */
  of(resourceClass: ResourceClass): Branch {
    let branch = this.#branches.get(resourceClass)
    if (!branch) {
      const { type } = resourceClass
      const byId = this.#byType.get(type) ?? new Map<string, Node>()
      this.#byType.has(type) ? this.#shared.add(type) : this.#byType.set(type, byId)
      const shape = this.shapes(resourceClass)
      const plan = new ResourcePlan(resourceClass, shape, this.fieldsets.get(type))
      branch = { plan, byId, others: new Map(), byModel: new Map() }
      this.#branches.set(resourceClass, branch)
    }
    return branch
  }
}

/** @throws {RuntimeException} for a model without an id */
function textOf(id: unknown, { resourceClass }: ResourcePlan): string {
  if (id === null || id === undefined) {
    throw new RuntimeException(`${resourceClass.name} was given a model without an id`)
  }
  return String(id)
}
