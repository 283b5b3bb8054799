import { type Shape, classesOf, declarationIn } from '#json_api/declared_relationships'
import type { Node } from '#json_api/document_node'
import { type IncludeTree, unknownPath } from '#json_api/include'
import type { ResourcePlan } from '#json_api/resource_plan'
import type { ResourceClass } from '#json_api/types'

/** What classes of resources declare: `shapeOf`, which a document asks once for each. */
export type Shapes = (resourceClass: ResourceClass) => Shape | null

/**
 * Refuses paths that classes of resources do not know, before anything is loaded or written
 * (JSON:API 1.1, Inclusion of Related Resources). A relationship to several classes has to be known
 * to one of them.
 *
 * What the classes do not tell is accepted here, and validated when the models are known: a name,
 * where `toRelationships()` depends on the model, and a path through a callable.
 *
 * @throws {InvalidParameter} 400
 */
export function assertPaths(
  shapes: Shapes,
  classes: readonly ResourceClass[],
  tree: IncludeTree,
  path: readonly string[] = []
) {
  if (tree.size === 0 || classes.length === 0) {
    return
  }
  const declared = classes.map((resourceClass) => shapes(resourceClass)?.relationships ?? null)
  for (const [name, branch] of tree) {
    const declarations = declared.flatMap((shape) => declarationIn(shape, name) ?? [])
    if (declarations.length === 0 && !declared.includes(null)) {
      throw unknownPath([...path, name])
    }
    const next = declarations.map(classesOf)
    if (branch.size > 0 && !next.includes(null) && !declared.includes(null)) {
      assertPaths(shapes, [...new Set(next.flatMap((some) => some!))], branch, [...path, name])
    }
  }
}

/** Refuses a name that neither a class nor a node of the level declares. */
export function assertKnown(
  groups: ReadonlyMap<ResourcePlan, readonly Node[]>,
  tree: IncludeTree,
  path: string[]
) {
  if ([...groups.keys()].every(({ shape }) => shape !== null)) {
    return
  }
  const isDeclared = ([plan, nodes]: [ResourcePlan, readonly Node[]], name: string) =>
    plan.shape
      ? declarationIn(plan.shape, name)
      : nodes.some((node) => declarationIn(node.declared, name))
  for (const name of tree.keys()) {
    if (![...groups].some((group) => isDeclared(group, name))) {
      throw unknownPath([...path, name])
    }
  }
}
