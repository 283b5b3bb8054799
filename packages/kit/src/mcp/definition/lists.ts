import type { Caller } from '#mcp/caller'
import { ListPages } from '#mcp/definition/list_pages'
import type { Era } from '#mcp/protocol/era'
import { MetaKey } from '#mcp/protocol/versions'
import type {
  CacheScope,
  Implementation,
  PromptClass,
  ResourceClass,
  ServerClass,
  ToolClass,
} from '#mcp/types'

/** An item of a list: its class, and its descriptor in each era. */
export interface ListItem {
  Class: ToolClass | PromptClass | ResourceClass
  legacy: object
  modern: object
}

/** The methods that ask for a list. */
export type ListMethod =
  'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'

/** The member of the result that has the items. */
const LIST_KEYS: Record<ListMethod, string> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
}

/** Who asks for a list, and with what. */
export interface View {
  caller: Caller | null
  cacheScope: CacheScope
  /** Whether the client shows apps; another one does not get what is for apps alone. */
  showsApps: boolean
}

/** The lists of a server, as JSON. Each is built once, unless it differs by caller. */
export class Lists {
  readonly #pages = new Map<string, ListPages>()
  readonly #variesByCaller: boolean

  constructor(
    readonly Server: ServerClass,
    readonly info: Implementation,
    readonly pageSize: number,
    readonly items: Record<ListMethod, ListItem[]>
  ) {
    this.#variesByCaller = this.classes.some(({ visible }) => visible)
  }

  get classes(): ListItem['Class'][] {
    return Object.values(this.items).flatMap((items) => items.map(({ Class }) => Class))
  }

  /** Whether what is shared with other callers could be wrong for them. */
  get vary(): boolean {
    return this.#variesByCaller || this.classes.some(isForApps)
  }

  /** @throws {McpError} -32602 for an unknown cursor */
  page(method: ListMethod, era: Era['name'], cursor: unknown, view: View): string {
    if (this.#variesByCaller) {
      return this.#build(method, era, view).page(cursor)
    }
    const key = `${era}:${view.cacheScope}:${view.showsApps}:${method}`
    let pages = this.#pages.get(key)
    if (!pages) {
      pages = this.#build(method, era, view)
      this.#pages.set(key, pages)
    }
    return pages.page(cursor)
  }

  #build(method: ListMethod, era: Era['name'], view: View): ListPages {
    const items = this.items[method]
      .filter(({ Class }) => isVisible(Class, view.caller) && (view.showsApps || !isForApps(Class)))
      .map((item) => item[era])
    const rest = era === 'modern' ? this.#cacheableMembers(view.cacheScope) : {}
    return new ListPages(LIST_KEYS[method], items, this.pageSize, rest)
  }

  /** Members of a complete, cacheable result (2026-07-28, "Caching"). */
  #cacheableMembers(cacheScope: CacheScope) {
    return {
      resultType: 'complete',
      ttlMs: this.Server.ttlMs,
      cacheScope,
      _meta: { [MetaKey.ServerInfo]: this.info },
    }
  }
}

export function isVisible(Class: ListItem['Class'], caller: Caller | null): boolean {
  return Class.visible?.(caller) ?? true
}

/** Whether a tool is for pages alone, not for the model. */
export function isForApps(Class: ListItem['Class']): boolean {
  return 'callableBy' in Class && !Class.callableBy.includes('model')
}
