import { RuntimeException } from '@adonisjs/core/exceptions'

import type { Row } from '#database/hydration'
import type { RelationshipTarget } from '#json_api/declared_relationships'
import { Node, type Reached } from '#json_api/document_node'
import type { Fieldsets } from '#json_api/fields'
import type { Shapes } from '#json_api/include_paths'
import { RowReader } from '#json_api/lucid_readers'
import type { RelatedRows } from '#json_api/lucid_relations'
import type { Reader } from '#json_api/readers'
import { type NodesOfType, ResourcePlan } from '#json_api/resource_plan'
import type { Resource, ResourceClass, ResourceIdentifier } from '#json_api/types'

/** The nodes of a document: each type and id once (JSON:API 1.1, Compound Documents). */
export class DocumentNodes {
  #plans = new Map<ResourceClass, ResourcePlan>()
  #byType = new Map<string, NodesOfType>()

  /** In the order in which they were reached. */
  readonly all: Node[] = []

  constructor(
    private fieldsets: Fieldsets,
    private shapes: Shapes
  ) {}

  /** The first node of a type and id that is there. */
  #at({ type, id }: ResourceIdentifier): Node {
    return this.#byType.get(type)!.byId.get(id)!
  }

  /**
   * What a relationship led to when another path followed it: it is not asked again. Undefined
   * when it was not followed, and where classes share a type, which may have linked other
   * resources of a list, or none.
   */
  reachedBefore({ plan, first }: Node, name: string): Reached | undefined {
    const linkage = first.linked?.[name]?.data
    if (linkage === undefined) {
      return undefined
    }
    const isToMany = Array.isArray(linkage)
    if (linkage && !isToMany) {
      return this.#at(linkage)
    }
    const identifiers = linkage ?? []
    const types = [plan.type, ...identifiers.map(({ type }) => type)]
    if (types.some((type) => this.#byType.get(type)!.isShared)) {
      return undefined
    }
    return isToMany ? identifiers.map((one) => this.#at(one)) : null
  }

  add(target: RelationshipTarget): Node[] {
    if (target.resources) {
      return this.addResources(target.resources)
    }
    const plan = this.of(target.resourceClass)
    const reader = target.unread && !plan.looksBack && RowReader.of(target.unread, plan)
    return reader
      ? this.#addSources(reader, target.unread!.rows)
      : this.addModels(plan, target.models())
  }

  addResources(resources: readonly Resource[]): Node[] {
    const before = this.all.length
    const nodes = resources.map((resource) =>
      this.#addModel(this.of(resource.resourceClass), resource.resource, resource)
    )
    return this.distinct(nodes, before)
  }

  addModels(plan: ResourcePlan, models: readonly unknown[]): Node[] {
    const before = this.all.length
    const nodes = models.map((model) => this.#addModel(plan, model, null))
    return this.distinct(nodes, before)
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
    const nodes = (related.nodes ??= this.#addSources(related.reader, related.rows))
    return related.isList ? nodes : nodes[0]!
  }

  #addSources(reader: RowReader, rows: readonly Row[]): Node[] {
    const before = this.all.length
    const nodes = rows.map((row) => this.#insert(reader, row, row, null, null))
    return this.distinct(nodes, before)
  }

  /** Each object once. Objects that were all added since cannot be there twice. */
  distinct(nodes: Node[], before: number): Node[] {
    if (nodes.length < 2 || this.all.length - before === nodes.length) {
      return nodes
    }
    const firsts = new Map<Node, Node>()
    for (const node of nodes) {
      firsts.has(node.first) || firsts.set(node.first, node)
    }
    return [...firsts.values()]
  }

  #addModel(plan: ResourcePlan, model: any, resource: Resource | null): Node {
    const reader = plan.readerOf(model)
    const values: unknown = reader.valuesOf(model)
    return this.#insert(reader, values, reader.sourceOf(model, values), model, resource)
  }

  /**
   * The first resource of a type and id gives the attributes, and is asked for relationships that
   * another of its class reaches: what it has loaded is not loaded again.
   */
  #insert(
    reader: Reader,
    values: unknown,
    source: unknown,
    model: unknown,
    resource: Resource | null
  ): Node {
    const { plan } = reader
    const id = textOf(reader.idOf(values, source), plan)
    const first = plan.siblings.byId.get(id)
    const known = first?.plan === plan ? first : first && plan.others.get(id)
    if (known) {
      return known
    }
    const node = new Node(reader, source, model, resource, id)
    if (first) {
      plan.others.set(id, node)
      return node
    }
    node.attributes = plan.hasDefaultAttributes
      ? reader.attributesOf(values, source, model, null)
      : plan.attributesOf(node, values)
    plan.siblings.byId.set(id, node)
    this.all.push(node)
    return node
  }

  /** The plan of a class of resources. */
  of(resourceClass: ResourceClass): ResourcePlan {
    let plan = this.#plans.get(resourceClass)
    if (!plan) {
      const { type } = resourceClass
      const siblings = this.#byType.get(type)
      const own = siblings ?? { byId: new Map(), linked: new Set(), isShared: false }
      own.isShared = siblings !== undefined
      this.#byType.set(type, own)
      const shape = this.shapes(resourceClass)
      plan = new ResourcePlan(resourceClass, shape, this.fieldsets.get(type), own)
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
