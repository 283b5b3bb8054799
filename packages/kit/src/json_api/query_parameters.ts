import type { HttpRequest } from '@adonisjs/core/http'

import { assertArgument, assertKind } from '#config/checks'
import { assertParameter, type ErrorExtras, InvalidParameter } from '#json_api/errors'
import type { SortCriterion } from '#json_api/types'
import { isObject, objectOr, ownMember } from '#process/objects'

const RESERVED_NAME = /^[a-z]*$/

/** A name, and members in brackets (JSON:API 1.1, Query Parameter Families). */
const FAMILY = /^[^[\]]+(?:\[[^[\]]*\])*$/

/** Whether the query parser drops a member in brackets, because every object inherits one of its name. */
function hasUnsafeMember(parameter: string): boolean {
  const members = parameter.match(/(?<=\[)[^[\]]*(?=\])/g) ?? []
  return members.some((member) => Object.hasOwn(Object.prototype, member))
}

/** No family has members that lie deeper. */
const MAX_DEPTH = 5

/** AdonisJS parses as many parameters of a query, empty ones counted, and drops those behind them. */
const MAX_PARAMETERS = 1000

/** What a parameter is a member of: `filter` and `filter[a]` for `filter[a][in]`. */
const ownersOf = (parameter: string) =>
  parameter
    .matchAll(/\[/g)
    .take(MAX_DEPTH)
    .map(({ index }) => parameter.slice(0, index))
    .toArray()

/**
 * Refuses unknown query parameters of small letters alone, which belong to the specification
 * (JSON:API 1.1, Implementation-Specific Query Parameters), and what parsing would lose: brackets
 * without their other half, one of `filter[a]` and `filter[a][in]`, and parameters beyond the thousandth.
 * @param known families that the endpoint understands besides `include` and `fields`
 * @throws {InvalidParameter} 400
 */
export function assertQuery(request: HttpRequest, known: readonly string[]) {
  const query = request.parsedUrl.query ?? ''
  const dropped = query.split('&').slice(MAX_PARAMETERS).join('&')
  const [beyond] = new URLSearchParams(dropped).keys()
  const detail = `A query has at most ${MAX_PARAMETERS} parameters.`
  assertParameter(beyond === undefined, String(beyond).slice(0, 100), detail)
  const parameters = new Set(new URLSearchParams(query).keys())
  const owners = new Set([...parameters].flatMap(ownersOf))
  for (const parameter of parameters) {
    const [name = ''] = parameter.split('[', 1)
    const isKnown = ['include', 'fields', ...known].includes(name)
    const isForeign = !isKnown && (RESERVED_NAME.test(name) || !MEMBER_NAME.test(name))
    const shown = parameter.slice(0, 100)
    const isMeant = !isForeign && !hasUnsafeMember(parameter)
    assertParameter(isMeant, shown, 'This endpoint has no such query parameter.')
    const isClosed = !isKnown || FAMILY.test(parameter)
    assertParameter(isClosed, shown, 'Each of its brackets has to be closed.')
    const isOne = !isKnown || !owners.has(parameter)
    assertParameter(isOne, shown, 'It is given with and without a member in brackets.')
  }
}

/** The texts of a parameter, which AdonisJS parses to one or to an array. */
export const textsOf = (value: unknown): string[] =>
  [value].flat(Infinity).filter((one) => typeof one === 'string')

/**
 * The members of a comma-separated list. AdonisJS parses `a,b` to an array and
 * `a%2Cb` to one text; all spellings give the same names.
 */
export function listValues(value: unknown): string[] {
  return textsOf(value).flatMap((text) => text.split(',').map((name) => name.trim()))
}

/** The attributes to show, by resource type. A type that is not there shows all. */
export type Fieldsets = Map<string, Set<string>>

/**
 * Reads the sparse fieldsets of a query, be it parsed (`{ fields: { posts: 'title' } }`) or flat
 * (`{ 'fields[posts]': 'title' }`) (JSON:API 1.1, Sparse Fieldsets).
 * @returns the attribute names by resource type; an empty list shows none
 */
export function parseFields(query: Record<string, unknown>): Record<string, string[]> {
  assertKind('parseFields()', 'query', query, 'an object')
  const fieldsets = new Map<string, string[]>()
  const typeIn = (parameter: string) => /^fields\[([^\]]+)\]$/.exec(parameter)?.[1]
  const flat = Object.entries(query).map(([name, value]) => [typeIn(name), value] as const)
  for (const [type, value] of [...flat, ...Object.entries(objectOr(query.fields))]) {
    if (type) {
      const names = listValues(value).filter((name) => name !== '')
      fieldsets.set(type, [...(fieldsets.get(type) ?? []), ...names])
    }
  }
  return Object.fromEntries(fieldsets)
}

/** @throws {InvalidParameter} 400 for `fields` without a type, and for a value that is not a list */
export function readFields({ fields }: Record<string, unknown>): Fieldsets {
  const isTyped = fields === undefined || isObject(fields)
  assertParameter(isTyped, 'fields', 'A fieldset names its resource type: fields[type].')
  const areLists = !Object.values(fields ?? {}).some(isObject)
  assertParameter(areLists, 'fields', 'A fieldset is a comma-separated list of names.')
  const named = Object.entries(parseFields({ fields }))
  return new Map(named.map(([type, names]) => [type, new Set(names)]))
}

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
 * @throws {InvalidParameter} 400 for an empty name, for a value that is not a list,
 * and for too many paths
 */
export function readInclude(query: Record<string, unknown>): string[] | null {
  if (query.include === undefined) {
    return null
  }
  const names = listValues(query.include)
  const isList = names.length > 0 && (names.length === 1 || !names.includes(''))
  assertParameter(isList, 'include', 'It is a comma-separated list of relationship paths.')
  assertCount(names)
  return parseInclude(query.include)
}

/**
 * Turns paths into a tree, in which every path brings its intermediates.
 * @throws {InvalidParameter} 400 for a path deeper than the limit, for too many
 * paths, and for a name that no relationship can have
 */
export function includeTree(paths: string[], maxDepth: number): IncludeTree {
  assertCount(paths)
  const tree: IncludeTree = new Map()
  for (const path of paths) {
    const names = path.split('.', maxDepth + 1)
    const isFlat = names.length <= maxDepth
    assertParameter(isFlat, 'include', `A relationship path has at most ${maxDepth} names.`)
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
  const isShort = paths.length <= MAX_PATHS
  assertParameter(isShort, 'include', `At most ${MAX_PATHS} relationship paths are possible.`)
}

export function unknownPath(path: string[]) {
  const name = path.join('.').slice(0, 100)
  return new InvalidParameter('include', `There is no relationship "${name}" here.`)
}

/**
 * Reads the `sort` parameter: comma-separated names, `-` before one that descends (JSON:API 1.1,
 * Sorting).
 * @param columns the columns to sort by, under the names that callers know
 * @throws {InvalidParameter} 400 for a name that is not among them
 */
export function parseSort(
  query: Record<string, unknown>,
  columns: Record<string, string>,
  extras?: ErrorExtras
): SortCriterion[] {
  const names = listValues(query.sort)
  if (query.sort === undefined || (names.length === 1 && names[0] === '')) {
    return []
  }

  const detail = `Each of these can be named once: ${Object.keys(columns).join(', ')}.`
  const criteria = new Map<string, SortCriterion>()
  for (const name of names) {
    const isDescending = name.startsWith('-')
    const field = isDescending ? name.slice(1) : name
    const column = ownMember(columns, field)
    assertParameter(column !== undefined && !criteria.has(field), 'sort', detail, extras)
    criteria.set(field, { column, order: isDescending ? 'desc' : 'asc' })
  }
  assertParameter(criteria.size > 0, 'sort', detail, extras)
  return [...criteria.values()]
}

/** JSON:API 1.1, Member Names. A space inside is allowed, though not recommended. */
export const MEMBER_NAME =
  /^[a-zA-Z0-9\u0080-\u{10ffff}](?:[-_ a-zA-Z0-9\u0080-\u{10ffff}]*[a-zA-Z0-9\u0080-\u{10ffff}])?$/u

/**
 * Requires that a name may stand for an attribute or a relationship (JSON:API 1.1, Fields, Member
 * Names). The attribute `id` is the exception that resources make unless they hide it.
 * @throws {InvalidArgumentsException} when the specification forbids the name
 */
export function assertFieldName(resourceClass: { name: string }, name: string) {
  assertArgument(
    name !== 'type' && MEMBER_NAME.test(name),
    `${resourceClass.name} cannot have a field "${name}", JSON:API forbids the name: ` +
      `list it in "hidden", or give it another: static renamed = { ${JSON.stringify(name)}: 'kind' }`
  )
}
