import type { Unhydrated } from '#database/quick_query'

/** Asks a page for its rows that have not become models. */
const UNREAD = Symbol('unread rows')

type Page = Record<PropertyKey, any>

/**
 * A page of Lucid whose rows become models when somebody looks at one of them. A document of
 * resources reads them as they are.
 */
export function unreadPage<Result extends object>(page: Result, found: Unhydrated): Result {
  return new Proxy(page, new UnreadPage(found))
}

/** The rows of a page that have not become models; undefined where they have. */
export function unreadRows(page: object): Unhydrated | undefined {
  return (page as { [UNREAD]?: Unhydrated })[UNREAD]
}

class UnreadPage implements ProxyHandler<Page> {
  constructor(private found?: Unhydrated) {}

  get(page: Page, name: PropertyKey, receiver: unknown): unknown {
    return name === UNREAD ? this.found : Reflect.get(this.#read(page, name), name, receiver)
  }

  set(page: Page, name: PropertyKey, value: unknown, receiver: unknown): boolean {
    return Reflect.set(this.#read(page, name), name, value, receiver)
  }

  getOwnPropertyDescriptor(page: Page, name: PropertyKey) {
    return Reflect.getOwnPropertyDescriptor(this.#read(page, name), name)
  }

  #read(page: Page, name: PropertyKey): Page {
    if (this.found && typeof name === 'string' && /^(rows|\d+)$/.test(name)) {
      const { rows, hydrate } = this.found
      this.found = undefined
      rows.forEach((row, index) => {
        page[index] = page.rows[index] = hydrate(row)
      })
    }
    return page
  }
}
