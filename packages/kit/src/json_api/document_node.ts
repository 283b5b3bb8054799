import type { Values } from '#json_api/attributes'
import type { Reader } from '#json_api/readers'
import type {
  Linkage,
  Relationships,
  Resource,
  ResourceIdentifier,
  ResourceObject,
} from '#json_api/types'

/** What a relationship leads to. */
export type Reached = Node | readonly Node[] | null

/** A model in a document. */
export class Node {
  attributes!: Values

  /** The relationships that were followed. */
  linked: Record<string, { data: Linkage }> | null = null

  /** What the relationship that is linked next holds. */
  related: unknown = undefined

  /**
   * @param source what the reader reads: a model, what is behind its proxy, or a row
   * @param made the model; null for a row that has not become one
   */
  constructor(
    readonly reader: Reader,
    readonly source: any,
    private made: any,
    private wrapped: Resource | null,
    readonly id: string
  ) {}

  get plan() {
    return this.reader.plan
  }

  /** The first node of its type and id: those of other classes of the type share its resource object. */
  get first(): Node {
    const { siblings } = this.reader.plan
    return siblings.isShared ? siblings.byId.get(this.id)! : this
  }

  get model(): any {
    return (this.made ??= this.reader.modelOf!(this.source))
  }

  get resource(): Resource {
    return (this.wrapped ??= new this.plan.resourceClass(this.model) as Resource)
  }

  /** The relationships of this one resource, with callables that know its model. */
  get declared(): Relationships {
    return this.plan.declaredBy(this)
  }

  /** One for each place: whoever gets the document may add meta to a linkage. */
  get identifier(): ResourceIdentifier {
    return { type: this.reader.plan.type, id: this.id }
  }

  /** Made when all of its members are known: as a literal it is small and quick to write. */
  get object(): ResourceObject {
    const { id, attributes, linked: relationships } = this
    const { type } = this.reader.plan
    return relationships ? { type, id, attributes, relationships } : { type, id, attributes }
  }

  /**
   * Links a relationship. What another class of the type has linked stays: a list
   * is merged, and a to-one relationship leads to one resource.
   */
  link(name: string, reached: Reached) {
    const linked = (this.first.linked ??= {})
    if (!isMany(reached)) {
      linked[name] = { data: reached && reached.identifier }
      return
    }
    const known = linked[name]?.data
    const data = reached.map(identifierOf)
    linked[name] = { data: known ? union([known].flat(), data) : data }
  }
}

const identifierOf = ({ identifier }: Node) => identifier

export function isMany(reached: Reached): reached is readonly Node[] {
  return Array.isArray(reached)
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
