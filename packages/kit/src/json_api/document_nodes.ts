import type { Fieldsets } from '#json_api/fields'
import type { DeclaredShapes } from '#json_api/include_paths'
import type { RelationshipTarget } from '#json_api/relationship_target'
import { ResourcePlan } from '#json_api/resource_plan'
import type { RowReader } from '#json_api/row_reader'
import type {
  Relationships,
  Resource,
  ResourceClass,
  ResourceIdentifier,
  ResourceObject,
} from '#json_api/types'

/** A model in a document, and its resource object: the one of its type and id. */
export class Node {
  /** Its own relationships, once they were needed. */
  #relationships: Relationships | null = null

  constructor(
    readonly plan: ResourcePlan,
    readonly model: any,
    /** Reads the model, when that is a Lucid row. */
    readonly rows: RowReader | null,
    readonly object: ResourceObject,
    private made: Resource | null
  ) {}

  /** The resource of the model, for the hooks of its class. */
  get resource(): Resource {
    return (this.made ??= new this.plan.resourceClass(this.model) as Resource)
  }

  /** The relationships of this one resource, with callables that know its model. */
  get relationships(): Relationships {
    return (this.#relationships ??= this.resource.toRelationships() ?? {})
  }

  get identifier(): ResourceIdentifier {
    return { type: this.object.type, id: this.object.id }
  }
}

/** The nodes of one type by id: the first of each. */
type NodesById = Map<string, Node>

/** A class of resources in a document: its plan, and what is known of its models. */
export interface Branch {
  plan: ResourcePlan
  byId: NodesById
  /** Nodes of ids that another class of the type brought first. */
  others: NodesById
  /** Nodes by the models that to-one relationships led to: many lead to the same. */
  byModel: Map<unknown, Node>
}

/**
 * The resource objects of a document: each type and id once, however it is
 * reached (JSON:API 1.1, Compound Documents).
 */
export class DocumentNodes {
  #branches = new Map<ResourceClass, Branch>()
  #byType = new Map<string, NodesById>()

  /** Nodes whose classes define links, meta or linkage without an include. */
  readonly withOptionalMembers: Node[] = []

  /** The resource objects in the order in which they were reached. */
  readonly objects: ResourceObject[] = []

  constructor(
    private fieldsets: Fieldsets,
    private shapes: DeclaredShapes
  ) {}

  /** The first node of a type and id that is there. */
  at({ type, id }: ResourceIdentifier): Node {
    return this.#byType.get(type)!.get(id)!
  }

  /** The nodes of what a relationship leads to, one for each object. */
  add(target: RelationshipTarget): Node[] {
    const before = this.objects.length
    const nodes = target.resources
      ? target.resources.map((one) => this.#addResource(this.of(one.resourceClass), one))
      : this.#addModels(this.of(target.resourceClass), target.models)
    return this.distinct(nodes, before)
  }

  /** The nodes of models, one for each object. */
  addMany(branch: Branch, models: readonly unknown[]): Node[] {
    const before = this.objects.length
    return this.distinct(this.#addModels(branch, models), before)
  }

  /** The node of a model that a to-one relationship leads to. */
  addOne(branch: Branch, model: unknown): Node {
    let node = branch.byModel.get(model)
    if (node === undefined) {
      node = this.#addModel(branch, model)
      branch.byModel.set(model, node)
    }
    return node
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

  #addModels(branch: Branch, models: readonly unknown[]): Node[] {
    return models.map((model) => this.#addModel(branch, model))
  }

  #addModel(branch: Branch, model: any): Node {
    const { plan } = branch
    if (!plan.hasDefaultAttributes) {
      return this.#addResource(branch, new plan.resourceClass(model) as Resource)
    }
    const rows = plan.readerOf(model)
    const id = plan.idOf(model, rows)
    const first = branch.byId.get(id)
    if (first !== undefined) {
      return first.plan === plan ? first : this.#another(branch, first, model, rows, null)
    }
    const attributes = plan.defaultAttributesOf(model, rows)
    return this.#insert(branch, model, rows, { type: plan.type, id, attributes }, null)
  }

  /**
   * The first resource of a type and id gives the attributes, and is asked for
   * relationships that another of its class reaches: what it has loaded is not
   * loaded again.
   */
  #addResource(branch: Branch, resource: Resource): Node {
    const { plan } = branch
    const model: unknown = resource.resource
    const rows = plan.readerOf(model)
    const id = plan.idOf(model, rows)
    const first = branch.byId.get(id)
    if (first !== undefined) {
      return first.plan === plan ? first : this.#another(branch, first, model, rows, resource)
    }
    const attributes = plan.attributesOf(resource, rows)
    return this.#insert(branch, model, rows, { type: plan.type, id, attributes }, resource)
  }

  /** The node of an object that another class of the type brought first. */
  #another(
    { plan, others }: Branch,
    { object }: Node,
    model: unknown,
    rows: RowReader | null,
    resource: Resource | null
  ): Node {
    let node = others.get(object.id)
    if (!node) {
      node = new Node(plan, model, rows, object, resource)
      others.set(object.id, node)
    }
    return node
  }

  #insert(
    { plan, byId }: Branch,
    model: unknown,
    rows: RowReader | null,
    object: ResourceObject,
    resource: Resource | null
  ): Node {
    const node = new Node(plan, model, rows, object, resource)
    byId.set(object.id, node)
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
      this.#byType.set(type, byId)
      const shape = this.shapes.of(resourceClass)
      const plan = new ResourcePlan(resourceClass, shape, this.fieldsets.get(type))
      branch = { plan, byId, others: new Map(), byModel: new Map() }
      this.#branches.set(resourceClass, branch)
    }
    return branch
  }
}
