import type { HttpRequest } from '@adonisjs/core/http'

import type { Links } from '#json_api/types'

export const CURSOR_PROFILE = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/'

/** A page between two cursors. */
export class CursorPage<Row> {
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
    const link = (parameter: string, cursor: string | null) => {
      if (cursor === null) {
        return null
      }
      const query = new URLSearchParams(request?.parsedUrl.query ?? '')
      query.delete('page[after]')
      query.delete('page[before]')
      query.set(parameter, cursor)
      return `${request?.url() ?? '/'}?${query}`
    }
    return {
      prev: link('page[before]', this.cursors.prev),
      next: link('page[after]', this.cursors.next),
    }
  }

  meta() {
    return { page: { size: this.size } }
  }
}
