import { assertArgument } from '#config/checks'
import type { Resource, ResourceClass } from '#json_api/types'

/** The static members of `JsonResource`. */
const STATIC = [
  ...['type', 'hidden', 'renamed', 'route', 'relationshipLinks', 'linkage'],
  ...['maxIncludeDepth', 'maxIncluded'],
]

/**
 * Nobody reads them of a resource: without this check, a field `hidden` would hide nothing.
 * @throws {InvalidArgumentsException} for a class that gives a static member to each of its resources
 */
export function assertStatic({ name }: ResourceClass, sample: Resource): void {
  const misplaced = STATIC.find((member) => member in sample)
  assertArgument(!misplaced, `${name}: write "static" in front of "${misplaced}"`)
}
