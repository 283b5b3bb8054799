import { RuntimeException } from '@adonisjs/core/exceptions'

import { assertRuntime } from '#config/checks'
import type { Row } from '#database/raw_query'
import {
  DeclaredRelationship,
  type RelationshipTarget,
  declarationIn,
  shapeOf,
} from '#json_api/declared_relationships'
import { Node, type Reached } from '#json_api/document_node'
import { type Reader, RowReader } from '#json_api/lucid_readers'
import { type RelatedRows, fetchRelation } from '#json_api/lucid_relations'
import type { Fieldsets } from '#json_api/query_parameters'
import { LACKING } from '#json_api/readers'
import { type NodesOfType, ResourcePlan } from '#json_api/resource_plan'
import type { RelationshipOptions, Resource, ResourceClass } from '#json_api/types'
import { remembered } from '#process/remembered'

/** The nodes of a document: each type and id once (JSON:API 1.1, Compound Documents). */
export class DocumentNodes {
  #byType = new Map<string, NodesOfType>()

  /** In the order in which they were reached. */
  readonly all: Node[] = []

  /** What the classes declare, asked once for each. */
  readonly shapes = remembered(shapeOf)

  constructor(private fieldsets: Fieldsets) {}

  add(target: RelationshipTarget): Node[] {
    if (target.resources) {
      return this.addResources(target.resources)
    }
    const plan = this.of(target.resourceClass)
    const reader = target.unread && !plan.looksBack && RowReader.of(target.unread, plan)
    return reader
      ? this.#addRows(reader, target.unread!.rows)
      : this.addModels(plan, target.models())
  }

  addResources(resources: readonly Resource[]): Node[] {
    return this.#addEach(resources, (resource) =>
      this.#addModel(this.of(resource.resourceClass), resource.resource, resource)
    )
  }

  addModels(plan: ResourcePlan, models: readonly unknown[]): Node[] {
    return this.#addEach(models, (model) => this.#addModel(plan, model, null))
  }

  #addEach<Item>(items: readonly Item[], add: (item: Item) => Node): Node[] {
    const before = this.all.length
    return this.distinct(items.map(add), before)
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
    const nodes = (related.nodes ??= this.#addRows(related.reader, related.rows))
    return related.isList ? nodes : nodes[0]!
  }

  #addRows(reader: RowReader, rows: readonly Row[]): Node[] {
    return this.#addEach(rows, (row) => this.#insert(reader, row, row, null, null))
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
    const values: any = reader.valuesOf(model)
    return this.#insert(reader, values, reader.sourceOf(model, values), model, resource)
  }

  /**
   * The first resource of a type and id gives the attributes, and is asked for relationships that
   * another of its class reaches: what it has loaded is not loaded again.
   */
  #insert(reader: Reader, values: any, source: any, model: any, resource: Resource | null): Node {
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

  /** Reads a relationship of nodes of a class, and fetches what is lacking at once. */
  async readRelated(plan: ResourcePlan, nodes: readonly Node[], name: string) {
    const way = plan.wayOf(name)
    const loading: Node[] = []
    const lacking: Node[] = []
    let loader: RelationshipOptions['load']
    for (const node of nodes) {
      const declaration = way ?? declarationIn(node.declared, name)
      const isRead = declaration instanceof DeclaredRelationship
      if (isRead && declaration.options.load) {
        loader ??= declaration.options.load
        loading.push(node)
      } else if (isRead || (declaration && node.reader.lucid?.model.$hasRelation(name))) {
        node.related = node.reader.relatedTo(node, name)
        node.related === LACKING && lacking.push(node)
      }
    }
    if (lacking.length > 0) {
      const target = plan.looksBack ? null : way?.resourceClass
      await fetchRelation(lacking, name, target ? this.of(target) : null)
    }
    if (loader) {
      const values = await loader(loading.map(({ model }) => model))
      const isComplete = Array.isArray(values) && values.length === loading.length
      const fault = `The relationship "${name}" has to load as many values as there are models`
      assertRuntime(isComplete, fault)
      loading.forEach((node, index) => (node.related = values[index] ?? null))
    }
  }

  readonly of = remembered((resourceClass: ResourceClass): ResourcePlan => {
    const { type } = resourceClass
    const siblings = this.#byType.get(type)
    const own = siblings ?? { byId: new Map(), linked: new Set(), isShared: false }
    own.isShared = siblings !== undefined
    this.#byType.set(type, own)
    const shape = this.shapes(resourceClass)
    return new ResourcePlan(resourceClass, shape, this.fieldsets.get(type), own)
  })
}

function textOf(id: unknown, { resourceClass }: ResourcePlan): string {
  if (id === null || id === undefined) {
    throw new RuntimeException(`${resourceClass.name} was given a model without an id`)
  }
  return String(id)
}
