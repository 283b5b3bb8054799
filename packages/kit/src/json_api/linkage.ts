import { DeclaredRelationship, classesOf, hasLoader } from '#json_api/declared_relationships'
import type { Branch, DocumentNodes, Node } from '#json_api/document_nodes'
import type { RelationshipTarget } from '#json_api/relationship_target'
import { type ResourcePlan, relatedOf } from '#json_api/resource_plan'
import type { ResourceIdentifier, ResourceObject } from '#json_api/types'

/** A relationship to models of one class, which are read from the property of its name. */
export interface DirectRelationship {
  name: string
  branch: Branch
  /** Null for a bare class: the value says whether it is a list. */
  isToMany: boolean | null
}

/** How a class reads a relationship directly from its models, if it does. */
export function directRelationship(
  nodes: DocumentNodes,
  plan: ResourcePlan,
  name: string
): DirectRelationship | null {
  const declaration = plan.declarationFor(name)
  if (!declaration || hasLoader(declaration)) {
    return null
  }
  const [resourceClass, ...others] = classesOf(declaration)!
  if (others.length > 0) {
    return null
  }
  const isToMany = declaration instanceof DeclaredRelationship ? declaration.isToMany : null
  return { name, branch: nodes.of(resourceClass!), isToMany }
}

/**
 * Links a relationship in one go: a document has thousands of these. Leaves alone
 * whatever needs a closer look: a missing or unsuitable value, and linkage that
 * another path has set.
 *
 * @param related collects the nodes that it leads to
 * @returns whether it is done
 */
export function linkDirectly(
  nodes: DocumentNodes,
  { name, branch, isToMany }: DirectRelationship,
  { source, object }: Node,
  related: Node[] | null
): boolean {
  const value = relatedOf(source, name)
  const isList = Array.isArray(value)
  const isSuitable =
    typeof value === 'object' && value !== null && (isToMany === null || isToMany === isList)
  if (!isSuitable || object.relationships?.[name] !== undefined) {
    return false
  }
  const relationships = (object.relationships ??= {})
  if (!isList) {
    const one = nodes.addOne(branch, value)
    relationships[name] = { data: one.identifier }
    related?.push(one)
    return true
  }
  const many = nodes.addMany(branch, value)
  relationships[name] = { data: many.map(({ identifier }) => identifier) }
  if (related) {
    for (const node of many) {
      related.push(node)
    }
  }
  return true
}

/**
 * Merges linkage into a resource object, and adds the nodes that it leads to.
 * What another path linked stays, and a to-one relationship leads to one
 * resource: nothing is included without a link to it.
 *
 * @param related collects the nodes that it leads to
 */
export function linkTarget(
  nodes: DocumentNodes,
  target: RelationshipTarget,
  { object, name }: { object: ResourceObject; name: string },
  related: Node[] | null
) {
  const relationships = (object.relationships ??= {})
  const linkage = relationships[name]?.data

  if (!target.isToMany && linkage) {
    const known = [linkage].flat().map((identifier) => nodes.at(identifier))
    known.forEach((node) => related?.push(node))
    return
  }
  const linked = nodes.add(target)
  linked.forEach((node) => related?.push(node))

  const identifiers = linked.map(({ identifier }) => identifier)
  if (target.isToMany) {
    const data = linkage ? union([linkage].flat(), identifiers) : identifiers
    relationships[name] = { data }
  } else {
    relationships[name] = { data: identifiers[0] ?? null }
  }
}

function union(known: ResourceIdentifier[], more: ResourceIdentifier[]) {
  const keys = new Set(known.map(({ type, id }) => `${type} ${id}`))
  return [...known, ...more.filter(({ type, id }) => !keys.has(`${type} ${id}`))]
}
