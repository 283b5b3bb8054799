import type { HttpRequest } from '@adonisjs/core/http'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

import { hydrateQuickly } from '#database/hydration'
import { type ErrorExtras, InvalidParameter } from '#json_api/errors'
import type { Links } from '#json_api/types'

/**
 * A page of a list. Lucid's paginators are such; one that knows no total has
 * neither `total` nor `lastPage`.
 */
export interface Page<Item> {
  all(): Item[]
  readonly perPage: number
  readonly currentPage: number
  readonly hasMorePages: boolean
  readonly total?: number
  readonly lastPage?: number
  /** The address that a Lucid paginator was given with `baseUrl`, `/` until then. */
  readonly url?: string
  getUrl?(page: number): string
}

/** A page that knows whether another one follows, without a query that counts. */
export class SimplePage<Item> implements Page<Item> {
  constructor(
    readonly rows: Item[],
    readonly perPage: number,
    readonly currentPage: number,
    readonly hasMorePages: boolean
  ) {}

  all() {
    return this.rows
  }
}

/** Fetches one page without counting: one row more than asked for tells whether there is a next. */
export async function simplePaginate<Model extends LucidModel>(
  query: ModelQueryBuilderContract<Model, InstanceType<Model>>,
  page: number,
  perPage: number
): Promise<SimplePage<InstanceType<Model>>> {
  const rows = await hydrateQuickly(query)
    .offset((page - 1) * perPage)
    .limit(perPage + 1)
  return new SimplePage(rows.slice(0, perPage), perPage, page, rows.length > perPage)
}

export function isPage(value: unknown): value is { all(): unknown[] } {
  return typeof (value as Page<unknown> | null)?.all === 'function'
}

/** The `meta` of a paginated collection. */
export function pageMeta(page: Page<unknown>) {
  const { current, previous, next } = neighbours(page)
  return {
    ...(page.total !== undefined && { total: Number(page.total) }),
    per_page: Number(page.perPage),
    current_page: current,
    ...(page.lastPage !== undefined && { last_page: page.lastPage }),
    next_page: next,
    previous_page: previous,
  }
}

/**
 * The pagination links (JSON:API 1.1, Pagination): the address that was given
 * to the paginator, or else that of the request, with the number of the page.
 */
export function pageLinks(page: Page<unknown>, request?: HttpRequest): Links {
  const { previous, next } = neighbours(page)
  const link = linker(page, request)
  return {
    first: link(1),
    ...(page.lastPage !== undefined && { last: link(page.lastPage) }),
    prev: previous === null ? null : link(previous),
    next: next === null ? null : link(next),
  }
}

function neighbours(page: Page<unknown>) {
  const current = Number(page.currentPage)
  return {
    current,
    /* Beyond the end, the page before is the last one. */
    previous: current > 1 ? Math.min(current - 1, page.lastPage ?? current) : null,
    next: page.hasMorePages ? current + 1 : null,
  }
}

function linker(page: Page<unknown>, request?: HttpRequest) {
  const { url } = page
  if (page.getUrl && ((url && url !== '/') || !request)) {
    return (number: number) => page.getUrl!(number)
  }

  const query = new URLSearchParams(request?.parsedUrl.query ?? '')
  const isFamily = query.has('page[number]') || query.has('page[size]')
  const parameter = isFamily ? 'page[number]' : 'page'
  return (number: number) => {
    query.set(parameter, String(number))
    return `${request?.url() ?? '/'}?${query}`
  }
}

/** Rows of a page unless asked otherwise, and at most. */
export interface PageSizes {
  perPage: number
  maxPerPage: number
}

/**
 * Reads the page that a request asks for: `page=2`, or `page[number]=2` with
 * `page[size]=50` (JSON:API 1.1, Pagination).
 *
 * @throws {InvalidParameter} 400 for a value that is not a positive integer, and for a page that is too large
 */
export function parsePage(
  query: Record<string, unknown>,
  sizes: PageSizes
): { page: number; perPage: number } {
  if (typeof query.page !== 'object' || query.page === null) {
    return { page: positive(query.page, 'page') ?? 1, perPage: sizes.perPage }
  }

  const { number, size, ...rest } = query.page as Record<string, unknown>
  if (Array.isArray(query.page) || Object.keys(rest).length > 0) {
    throw new InvalidParameter('page', 'A page has a number and a size, nothing else.')
  }
  return { page: positive(number, 'page[number]') ?? 1, perPage: readSize(size, sizes) }
}

/** Reads `page[size]`. */
export function readSize(size: unknown, { perPage, maxPerPage }: PageSizes, extras?: ErrorExtras) {
  const asked = positive(size, 'page[size]') ?? perPage
  if (asked > maxPerPage) {
    const detail = `A page has at most ${maxPerPage} resources.`
    throw new InvalidParameter('page[size]', detail, extras)
  }
  return asked
}

/** Nine digits: far more than any list has, and safe to multiply. */
function positive(value: unknown, parameter: string) {
  if (value === undefined) {
    return null
  }
  if (typeof value !== 'string' || !/^[1-9]\d{0,8}$/.test(value)) {
    throw new InvalidParameter(parameter, 'It has to be a positive integer.')
  }
  return Number(value)
}
