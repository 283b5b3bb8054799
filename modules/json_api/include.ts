import {
  declarationIn,
  declarationsOf,
  declaredClass,
  isResourceClass,
} from '#json_api/declarations'
import { InvalidParameter } from '#json_api/errors'
import { listValues } from '#json_api/list'
import type { ResourceClass } from '#json_api/types'

/** What is included: relationship names, each with what is included below it. */
export type IncludeTree = Map<string, IncludeTree>

/** More paths than any document needs; a request beyond them only costs. */
const MAX_PATHS = 100

/**
 * Reads a list of relationship paths: `author,comments.author`, or such texts
 * in an array (spec 3, Query parameters).
 */
export function parseInclude(value: unknown): string[] {
  return listValues(value).filter((name) => name !== '')
}

/**
 * Reads the `include` parameter of a request. An empty value asks for an empty
 * `included` (JSON:API 1.1, Inclusion of Related Resources).
 *
 * @returns null when there is no such parameter
 * @throws {InvalidParameter} 400 for a name that is empty, and for what is no list
 */
export function readInclude(query: Record<string, unknown>): string[] | null {
  if (query.include === undefined) {
    return null
  }
  const names = listValues(query.include)
  if (names.length === 0 || (names.length > 1 && names.includes(''))) {
    throw new InvalidParameter('include', 'It is a comma-separated list of relationship paths.')
  }
  return parseInclude(query.include)
}

/**
 * Turns paths into a tree, in which every path brings its intermediates.
 *
 * @throws {InvalidParameter} 400 for a path deeper than the limit, and for too many paths
 */
export function includeTree(paths: string[], maxDepth: number): IncludeTree {
  if (paths.length > MAX_PATHS) {
    throw new InvalidParameter('include', `At most ${MAX_PATHS} relationship paths are possible.`)
  }

  const tree: IncludeTree = new Map()
  for (const path of paths) {
    const names = path.split('.', maxDepth + 1)
    if (names.length > maxDepth) {
      throw new InvalidParameter('include', `A relationship path has at most ${maxDepth} names.`)
    }
    let branch = tree
    for (const name of names) {
      if (!branch.has(name)) {
        branch.set(name, new Map())
      }
      branch = branch.get(name)!
    }
  }
  return tree
}

/**
 * Refuses paths that a class of resources does not know.
 *
 * With models at hand this comes before anything is loaded, and leaves what may
 * depend on them to the builder of the document. Without models it is all that
 * can be asked.
 *
 * @throws {InvalidParameter} 400
 */
export function assertPaths(
  resourceClass: ResourceClass,
  tree: IncludeTree,
  path: string[],
  hasModels: boolean
) {
  if (tree.size === 0) {
    return
  }
  const { relationships, isCertain } = declarationsOf(resourceClass)
  if (!relationships) {
    return
  }
  for (const [name, branch] of tree) {
    const declaration = declarationIn(relationships, name)
    if (!declaration) {
      if (isCertain || !hasModels) {
        throw unknownPath([...path, name])
      }
      continue
    }
    if (branch.size > 0 && (isResourceClass(declaration) || !hasModels)) {
      const related = declaredClass(declaration)
      related && assertPaths(related, branch, [...path, name], hasModels)
    }
  }
}

/** The refusal of a path that leads nowhere. */
export function unknownPath(path: string[]) {
  const name = path.join('.').slice(0, 100)
  return new InvalidParameter('include', `There is no relationship "${name}" here.`)
}
