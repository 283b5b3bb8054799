import type { Reader } from '#json_api/readers'
import type { ResourcePlan } from '#json_api/resource_plan'
import type { Relationships, Resource, ResourceIdentifier, ResourceObject } from '#json_api/types'

/** What a relationship leads to. */
export type Reached = Node | readonly Node[] | null

/** A model in a document, and its resource object: the one of its type and id. */
export class Node {
  /** What was fetched for the relationship that is linked next. */
  fetched: unknown = undefined

  #relationships: Relationships | null = null

  /**
   * @param source what the reader reads: a model, what is behind its proxy, or a row
   * @param model null for a row that has not become one
   */
  constructor(
    readonly plan: ResourcePlan,
    readonly reader: Reader,
    readonly source: any,
    private made: any,
    private wrapped: Resource | null,
    readonly object: ResourceObject
  ) {}

  get model(): any {
    return (this.made ??= this.reader.modelOf!(this.source))
  }

  /** The resource of the model, for the hooks of its class. */
  get resource(): Resource {
    return (this.wrapped ??= new this.plan.resourceClass(this.model) as Resource)
  }

  /** The relationships of this one resource, with callables that know its model. */
  get relationships(): Relationships {
    return (this.#relationships ??= this.resource.toRelationships() ?? {})
  }

  /** One for each place: whoever gets the document may add meta to a linkage. */
  get identifier(): ResourceIdentifier {
    return { type: this.object.type, id: this.object.id }
  }

  /** What was fetched for a relationship, or what the model holds under its name. */
  takeRelated(name: string): unknown {
    const { fetched } = this
    this.fetched = undefined
    return fetched === undefined ? this.reader.relatedTo(this, name) : fetched
  }

  /**
   * Links a relationship. What another class of the type has linked stays: a list
   * is merged, and a to-one relationship leads to one resource.
   */
  link(name: string, nodes: Reached) {
    const relationships = (this.object.relationships ??= {})
    if (!isMany(nodes)) {
      relationships[name] = { data: nodes && nodes.identifier }
      return
    }
    const known = relationships[name]?.data
    const data = nodes.map(({ identifier }) => identifier)
    relationships[name] = { data: known ? union([known].flat(), data) : data }
  }
}

export function isMany(nodes: Reached): nodes is readonly Node[] {
  return Array.isArray(nodes)
}

/** Nodes by what they have in common, which is mostly one for all. */
export function groupedBy<Key>(nodes: readonly Node[], keyOf: (node: Node) => Key) {
  const only = nodes[0] && keyOf(nodes[0])
  return only && nodes.every((node) => keyOf(node) === only)
    ? new Map<Key, readonly Node[]>([[only, nodes]])
    : Map.groupBy(nodes, keyOf)
}

function union(known: ResourceIdentifier[], more: ResourceIdentifier[]) {
  const keys = new Set(known.map(({ type, id }) => `${type} ${id}`))
  return [...known, ...more.filter(({ type, id }) => !keys.has(`${type} ${id}`))]
}
