import type { HttpRequest } from '@adonisjs/core/http'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

import { hydrateQuickly } from '#database/quick_query'
import { assertParameter, type ErrorExtras } from '#json_api/errors'
import type { Links } from '#json_api/types'
import { isObject } from '#process/objects'

/** A page of a list, as Lucid's paginators are. Without a total there is no `lastPage` either. */
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

/** Fetches one page without counting: one row more than asked for tells whether there is a next. */
export async function simplePaginate<Model extends LucidModel>(
  query: ModelQueryBuilderContract<Model, InstanceType<Model>>,
  page: number,
  perPage: number
): Promise<Page<InstanceType<Model>>> {
  const rest = hydrateQuickly(query).offset((page - 1) * perPage)
  const rows = await rest.limit(perPage + 1)
  const shown = rows.slice(0, perPage)
  return { all: () => shown, perPage, currentPage: page, hasMorePages: rows.length > perPage }
}

/** What a page adds to the document of its resources (JSON:API 1.1, Pagination); null for a plain list. */
export function pageOf(items: readonly unknown[] | Page<unknown> | CursorPage<unknown>) {
  if (items instanceof CursorPage) {
    return items
  }
  const page = items as Page<unknown> | null
  return typeof page?.all === 'function' ? numberedPage(page) : null
}

function numberedPage(page: Page<unknown>) {
  const { total, lastPage } = page
  const current = Number(page.currentPage)
  /* Beyond the end, the page before is the last one. */
  const previous = current > 1 ? Math.min(current - 1, lastPage ?? current) : null
  const next = page.hasMorePages ? current + 1 : null
  return {
    all: () => page.all(),
    profile: null,
    links(request?: HttpRequest): Links {
      const link = linker(page, request)
      return {
        first: link(1),
        ...(lastPage !== undefined && { last: link(lastPage) }),
        prev: previous === null ? null : link(previous),
        next: next === null ? null : link(next),
      }
    },
    meta: () => ({
      ...(total !== undefined && { total: Number(total) }),
      per_page: Number(page.perPage),
      current_page: current,
      ...(lastPage !== undefined && { last_page: lastPage }),
      next_page: next,
      previous_page: previous,
    }),
  }
}

/** The address that was given to the paginator, or else that of the request, with the number of a page. */
function linker(page: Page<unknown>, request?: HttpRequest) {
  const { url } = page
  if (page.getUrl && ((url && url !== '/') || !request)) {
    return (number: number) => page.getUrl!(number)
  }
  const asked = new URLSearchParams(request?.parsedUrl.query ?? '')
  const isFamily = asked.has('page[number]') || asked.has('page[size]')
  const path = request?.url() ?? '/'
  return (number: number) => {
    asked.set(isFamily ? 'page[number]' : 'page', String(number))
    return `${path}?${asked}`
  }
}

export class CursorPage<Row> {
  static readonly PROFILE = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/'
  readonly profile = CursorPage.PROFILE

  constructor(
    private rows: Row[],
    private size: number,
    private cursors: { prev: string | null; next: string | null }
  ) {}

  all(): Row[] {
    return this.rows
  }

  /** Links to the pages before and behind this one; null where there is none. */
  links(request?: HttpRequest): Links {
    const { prev, next } = this.cursors
    const link = (name: string, other: string, cursor: string) => {
      const query = new URLSearchParams(request?.parsedUrl.query ?? '')
      query.delete(other)
      query.set(name, cursor)
      return `${request?.url() ?? '/'}?${query}`
    }
    return {
      prev: prev && link('page[before]', 'page[after]', prev),
      next: next && link('page[after]', 'page[before]', next),
    }
  }

  meta() {
    return { page: { size: this.size } }
  }
}

/** Rows of a page unless asked otherwise, and at most. */
export type PageSizes = { perPage: number; maxPerPage: number }

/**
 * Reads `page=2`, or `page[number]=2` with `page[size]=50` (JSON:API 1.1, Pagination).
 * @throws {InvalidParameter} 400 for what is not a positive integer, and for a page that is too large
 */
export function parsePage(query: Record<string, unknown>, sizes: PageSizes) {
  if (typeof query.page !== 'object' || query.page === null) {
    return { page: positive(query.page, 'page', 1), perPage: sizes.perPage }
  }
  const detail = 'A page has a number and a size, nothing else.'
  const { number, size } = pageMembers(query.page, ['number', 'size'], detail)
  return { page: positive(number, 'page[number]', 1), perPage: readSize(size, sizes) }
}

/** The members of `page[…]`, where they are among those that a list understands. */
export function pageMembers(page: unknown, names: readonly string[], detail: string) {
  const isKnown = isObject(page) && Object.keys(page).every((name) => names.includes(name))
  assertParameter(isKnown, 'page', detail)
  return page
}

export function readSize(size: unknown, { perPage, maxPerPage }: PageSizes, extras?: ErrorExtras) {
  const asked = positive(size, 'page[size]', perPage)
  const detail = `A page has at most ${maxPerPage} resources.`
  assertParameter(asked <= maxPerPage, 'page[size]', detail, extras)
  return asked
}

/** Nine digits behind any zeros: far more than any list has, and safe to multiply. */
function positive(value: unknown, parameter: string, otherwise: number) {
  const isPositive = typeof value === 'string' && /^0*[1-9]\d{0,8}$/.test(value)
  assertParameter(isPositive || value === undefined, parameter, 'It has to be a positive integer.')
  return isPositive ? Number(value) : otherwise
}
