import type { Fieldsets } from '#json_api/fields'
import type { DeclaredShapes } from '#json_api/include_paths'
import type { RelationshipTarget } from '#json_api/relationship_target'
import { ResourcePlan, type Source } from '#json_api/resource_plan'
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
    readonly source: Source,
    readonly object: ResourceObject,
    private made: Resource | null
  ) {}

  get model(): any {
    return this.source.model
  }

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
    return plan.hasDefaultAttributes
      ? this.#insert(branch, model, null)
      : this.#addResource(branch, new plan.resourceClass(model) as Resource)
  }

  #addResource(branch: Branch, resource: Resource): Node {
    return this.#insert(branch, resource.resource, resource)
  }

  /**
   * The first resource of a type and id gives the attributes, and is asked for
   * relationships that another of its class reaches: what it has loaded is not
   * loaded again.
   */
  #insert({ plan, byId, others }: Branch, model: any, resource: Resource | null): Node {
    const source = plan.read(model)
    const id = plan.idOf(source)
    const first = byId.get(id)
    if (first?.plan === plan) {
      return first
    }
    if (first) {
      const node = others.get(id) ?? new Node(plan, source, first.object, resource)
      others.set(id, node)
      return node
    }
    const attributes = resource
      ? plan.attributesOf(resource, source)
      : plan.defaultAttributesOf(source)
    const node = new Node(plan, source, { type: plan.type, id, attributes }, resource)
    byId.set(id, node)
    this.objects.push(node.object)
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
