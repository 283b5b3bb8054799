import { appMeta, isApp } from '#mcp/apps/app'
import type { Caller } from '#mcp/caller'
import type { Offers, ToolDefinition } from '#mcp/definition/server_definition'
import { assertParams } from '#mcp/errors'
import { withConfirm } from '#mcp/methods/questions'
import { type Era, MetaKey } from '#mcp/protocol/era'
import type { ServerClass } from '#mcp/server'
import type { CacheScope, PromptClass, ResourceClass, ToolClass } from '#mcp/types'

export type OfferedClass = ToolClass | PromptClass | ResourceClass

type ListItem = { Class: OfferedClass } & Record<Era['name'], object>

const LIST_KEYS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const
export type ListMethod = keyof typeof LIST_KEYS

/** Who asks for a list. A client that does not show apps does not get what is for them alone. */
type View = { caller: Caller | null; cacheScope: CacheScope; showsApps: boolean }

/** The pages of a list as JSON, by their cursors: opaque to clients, and valid until the list changes. */
type Pages = Map<unknown, string>

/** The lists of a server, as JSON. Each is built once, unless it differs by caller. */
export class Lists {
  readonly classes: OfferedClass[]
  readonly #items: Record<ListMethod, ListItem[]>
  readonly #pages = new Map<string, Pages>()
  readonly #variesByCaller: boolean
  /** Whether what is shared with other callers could be wrong for them. */
  readonly vary: boolean

  constructor(
    readonly Server: ServerClass,
    readonly info: object,
    readonly pageSize: number,
    offers: Offers
  ) {
    this.#items = itemsOf(offers)
    this.classes = Object.values(this.#items).flatMap((items) => items.map(({ Class }) => Class))
    this.#variesByCaller = this.classes.some(({ visible }) => visible)
    this.vary = this.#variesByCaller || this.classes.some(isForApps)
  }

  /** @throws {McpError} -32602 for a cursor that this list did not issue */
  page(method: ListMethod, era: Era['name'], cursor: unknown, view: View): string {
    const key = `${era}:${view.cacheScope}:${view.showsApps}:${method}`
    const pages = this.#pages.get(key) ?? this.#build(method, era, view)
    this.#variesByCaller || this.#pages.set(key, pages)
    const page = pages.get(cursor)
    assertParams(page !== undefined, 'Invalid cursor')
    return page
  }

  #build(method: ListMethod, era: Era['name'], { caller, cacheScope, showsApps }: View): Pages {
    const items = this.#items[method]
      .filter(({ Class }) => isVisible(Class, caller) && (showsApps || !isForApps(Class)))
      .map((item) => item[era])
    const pages: Pages = new Map()
    const key = LIST_KEYS[method]
    const { ttlMs } = this.Server
    const own = { [MetaKey.ServerInfo]: this.info }
    /* A complete, cacheable result (2026-07-28, "Caching"). */
    const modern = { resultType: 'complete', ttlMs, cacheScope, _meta: own }
    let cursor: string | undefined
    for (let start = 0; start === 0 || start < items.length; start += this.pageSize) {
      const end = start + this.pageSize
      const nextCursor =
        end < items.length ? Buffer.from(`${key}:${end}`).toString('base64url') : undefined
      const page = { ...(era === 'modern' && modern), [key]: items.slice(start, end), nextCursor }
      pages.set(cursor, JSON.stringify(page))
      cursor = nextCursor
    }
    return pages
  }
}

export function isVisible(Class: OfferedClass, caller: Caller | null): boolean {
  return Class.visible?.(caller) ?? true
}

export function isForApps(Class: OfferedClass): boolean {
  return 'callableBy' in Class && !Class.callableBy.includes('model')
}

/** What the lists show of each class (2026-07-28 schema: Tool, Prompt, Resource, ResourceTemplate). */
function itemsOf(offers: Offers): Record<ListMethod, ListItem[]> {
  const { tools, prompts, resources, templates } = offers
  return {
    'tools/list': [...tools.values()].map((tool) => ({
      Class: tool.Class,
      legacy: describeTool(tool, legacySchemas(tool)),
      modern: describeTool(tool, { inputSchema: tool.input.json, outputSchema: tool.output?.json }),
    })),
    'prompts/list': [...prompts.values()].map(({ Class }) =>
      inBothEras(Class, describe(Class, { arguments: Class.arguments() }))
    ),
    'resources/list': [...resources.values()].map(({ Class }) =>
      inBothEras(Class, { uri: Class.uri, ...describeContent(Class), size: Class.size })
    ),
    'resources/templates/list': [...templates.values()].map(({ Class }) =>
      inBothEras(Class, { uriTemplate: Class.uri, ...describeContent(Class) })
    ),
  }
}

function inBothEras(Class: OfferedClass, item: object): ListItem {
  return { Class, legacy: item, modern: item }
}

function describe(Class: OfferedClass, own: object, _meta = Class.meta) {
  const { name, title, description, icons } = Class
  return { name, title, description, ...own, icons, _meta }
}

function describeContent(Class: ResourceClass) {
  const { mimeType, annotations, meta } = Class
  return describe(Class, { mimeType, annotations }, isApp(Class) ? appMeta(Class) : meta)
}

/** Which app shows the result, and who may call the tool (MCP Apps 2026-01-26, "Resource Discovery"). */
function describeTool({ Class }: ToolDefinition, schemas: object) {
  const { annotations, app, callableBy, meta } = Class
  const ui = { resourceUri: app?.uri, visibility: callableBy }
  const isMarked = app || callableBy.length < 2
  return describe(Class, { ...schemas, annotations }, isMarked ? { ...meta, ui } : meta)
}

/** Before 2026-07-28 structured content was an object, and so was its schema. */
function legacySchemas({ Class, input, output }: ToolDefinition) {
  const confirms = Class.olderClients === 'confirm'
  return {
    inputSchema: confirms ? withConfirm(input.json, `The MCP tool "${Class.name}"`) : input.json,
    outputSchema: output?.json.type === 'object' ? output.json : undefined,
  }
}
