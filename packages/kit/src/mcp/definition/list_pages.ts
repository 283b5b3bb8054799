import { invalidParams } from '#mcp/errors'

/**
 * The pages of one list, each as the prebuilt JSON of a result. A cursor identifies a page
 * (2026-07-28, "Pagination"); it is opaque to clients and valid until the list changes.
 */
export class ListPages {
  readonly #first: string
  readonly #others = new Map<string, string>()

  /**
   * @param key the member that holds the items ("tools")
   * @param items the descriptors, in order
   * @param size items on a page
   * @param rest members that every page has beside the items
   */
  constructor(key: string, items: object[], size: number, rest: object) {
    const page = (start: number) =>
      JSON.stringify({
        ...rest,
        [key]: items.slice(start, start + size),
        nextCursor: start + size < items.length ? cursor(key, start + size) : undefined,
      })

    this.#first = page(0)
    for (let start = size; start < items.length; start += size) {
      this.#others.set(cursor(key, start), page(start))
    }
  }

  /** @throws {McpError} -32602 for a cursor that this list did not issue */
  page(at: unknown): string {
    if (at === undefined) {
      return this.#first
    }
    const page = typeof at === 'string' ? this.#others.get(at) : undefined
    if (page === undefined) {
      throw invalidParams('Invalid cursor')
    }
    return page
  }
}

function cursor(key: string, start: number): string {
  return Buffer.from(`${key}:${start}`).toString('base64url')
}
