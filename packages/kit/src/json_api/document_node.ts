import type { Values } from '#json_api/attributes'
import type { Reader, RowReader } from '#json_api/lucid_readers'
import type { Linkage, Relationships, Resource, ResourceObject } from '#json_api/types'

export type Reached = Node | readonly Node[] | null

export class Node {
  attributes!: Values

  /** What the relationships that were followed lead to. */
  linked: Record<string, Reached> | null = null

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
    return (this.made ??= (this.reader as RowReader).modelOf(this.source))
  }

  get resource(): Resource {
    return (this.wrapped ??= new this.plan.resourceClass(this.model) as Resource)
  }

  /** The relationships of this one resource, with callables that know its model. */
  get declared(): Relationships {
    return this.plan.declaredBy(this)
  }

  /** One for each place: whoever gets the document may add meta to a linkage. */
  get identifier() {
    return { type: this.reader.plan.type, id: this.id }
  }

  /** Made when all of its members are known: as a literal it is small and quick to write. */
  get object(): ResourceObject {
    const { id, attributes, linked } = this
    const { type } = this.reader.plan
    return linked
      ? { type, id, attributes, relationships: relationshipsOf(linked) }
      : { type, id, attributes }
  }

  /**
   * What a relationship led to when another path followed it: it is not asked again. Undefined
   * when it was not followed, and where classes share a type, which may have linked other
   * resources of a list, or none.
   */
  reachedBefore(name: string): Reached | undefined {
    const reached = this.first.linked?.[name]
    const isOne = reached && !isMany(reached)
    return isOne || !this.plan.siblings.isShared ? reached : undefined
  }

  /**
   * Links a relationship. What another class of the type has linked stays: a list
   * is merged, and a to-one relationship leads to one resource.
   */
  link(name: string, reached: Reached) {
    const linked = (this.first.linked ??= {})
    const known = linked[name]
    linked[name] = known && isMany(reached) ? union([known].flat(), reached) : reached
  }
}

const identifierOf = ({ identifier }: Node) => identifier

function relationshipsOf(linked: Record<string, Reached>) {
  const relationships: Record<string, { data: Linkage }> = {}
  for (const name in linked) {
    const reached = linked[name] ?? null
    const data = isMany(reached) ? reached.map(identifierOf) : reached && reached.identifier
    relationships[name] = { data }
  }
  return relationships
}

export const isMany = (reached: Reached): reached is readonly Node[] => Array.isArray(reached)

/** Nodes by what they have in common, which is mostly one for all. */
export function groupedBy<Key>(nodes: readonly Node[], keyOf: (node: Node) => Key) {
  const only = nodes[0] && keyOf(nodes[0])
  return only && nodes.every((node) => keyOf(node) === only)
    ? new Map<Key, readonly Node[]>([[only, nodes]])
    : Map.groupBy(nodes, keyOf)
}

function union(known: readonly Node[], more: readonly Node[]) {
  const firsts = new Set(known.map(({ first }) => first))
  return [...known, ...more.filter(({ first }) => !firsts.has(first))]
}
