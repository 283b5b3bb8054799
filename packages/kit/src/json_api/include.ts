import { InvalidParameter } from '#json_api/errors'
import { MEMBER_NAME } from '#json_api/field_names'
import { listValues } from '#json_api/query_parameters'

/** What is included: relationship names, each with what is included below it. */
export type IncludeTree = Map<string, IncludeTree>

/** More paths than any document needs; a request beyond them only costs. */
const MAX_PATHS = 100

/**
 * Reads a list of relationship paths, each once: `author,comments.author`, or such texts in an
 * array (JSON:API 1.1, Inclusion of Related Resources).
 */
export function parseInclude(value: unknown): string[] {
  return [...new Set(listValues(value))].filter((path) => path !== '')
}

/**
 * Reads the `include` parameter of a request; null without it. An empty value asks for an empty
 * `included` (JSON:API 1.1, Inclusion of Related Resources).
 *
 * @throws {InvalidParameter} 400 for an empty name, for a value that is not a list,
 * and for too many paths
 */
export function readInclude(query: Record<string, unknown>): string[] | null {
  if (query.include === undefined) {
    return null
  }
  const names = listValues(query.include)
  if (names.length === 0 || (names.length > 1 && names.includes(''))) {
    throw new InvalidParameter('include', 'It is a comma-separated list of relationship paths.')
  }
  assertCount(names)
  return parseInclude(query.include)
}

/**
 * Turns paths into a tree, in which every path brings its intermediates.
 *
 * @throws {InvalidParameter} 400 for a path deeper than the limit, for too many
 * paths, and for a name that no relationship can have
 */
export function includeTree(paths: string[], maxDepth: number): IncludeTree {
  assertCount(paths)
  const tree: IncludeTree = new Map()
  for (const path of paths) {
    const names = path.split('.', maxDepth + 1)
    if (names.length > maxDepth) {
      throw new InvalidParameter('include', `A relationship path has at most ${maxDepth} names.`)
    }
    let branch = tree
    for (const [index, name] of names.entries()) {
      if (!MEMBER_NAME.test(name)) {
        throw unknownPath(names.slice(0, index + 1))
      }
      const next: IncludeTree = branch.get(name) ?? new Map()
      branch.set(name, next)
      branch = next
    }
  }
  return tree
}

function assertCount(paths: string[]) {
  if (paths.length > MAX_PATHS) {
    throw new InvalidParameter('include', `At most ${MAX_PATHS} relationship paths are possible.`)
  }
}

/** The refusal of a path that leads nowhere. */
export function unknownPath(path: string[]) {
  const name = path.join('.').slice(0, 100)
  return new InvalidParameter('include', `There is no relationship "${name}" here.`)
}
