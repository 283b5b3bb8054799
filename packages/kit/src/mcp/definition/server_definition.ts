import type { Caller } from '#mcp/caller'
import { isForApps, isVisible, type ListMethod, Lists, type View } from '#mcp/definition/lists'
import { type Definitions, readClasses, requireTexts } from '#mcp/definition/read_classes'
import { isApp } from '#mcp/apps/app'
import { APPS_EXTENSION, TASKS_EXTENSION } from '#mcp/protocol/capabilities'
import type { Era } from '#mcp/protocol/era'
import type { Implementation, ServerClass } from '#mcp/types'

/** A server class and everything it offers, read and checked once, at start: look-ups by name, compiled schemas, and lists. */
export class ServerDefinition implements Definitions {
  readonly tools: Definitions['tools']
  readonly prompts: Definitions['prompts']
  readonly resources: Definitions['resources']
  readonly templates: Definitions['templates']
  readonly capabilities: Record<string, object>
  readonly scopes: readonly string[]
  readonly #lists: Lists

  private constructor(
    readonly Server: ServerClass,
    readonly info: Implementation,
    definitions: Definitions,
    pageSize: number
  ) {
    this.tools = definitions.tools
    this.prompts = definitions.prompts
    this.resources = definitions.resources
    this.templates = definitions.templates
    this.capabilities = capabilitiesOf(Server, definitions)
    this.#lists = new Lists(Server, info, pageSize, definitions)
    this.scopes = [...new Set(this.#lists.classes.flatMap(({ scopes }) => scopes))]
  }

  /**
   * @param Server the class to read
   * @param defaults used where the class sets no `version` or `pageSize`
   * @throws {InvalidArgumentsException} for a missing or duplicate name, or an invalid schema
   */
  static async build(
    Server: ServerClass,
    defaults: { version: string; pageSize: number }
  ): Promise<ServerDefinition> {
    requireTexts(Server, 'MCP server', 'name')
    const { name, version = defaults.version, title, description, websiteUrl, icons } = Server
    const info = { name, version, title, description, websiteUrl, icons }
    const definitions = await readClasses(Server)
    return new ServerDefinition(Server, info, definitions, Server.pageSize ?? defaults.pageSize)
  }

  get varies(): boolean {
    return this.#lists.vary
  }

  /** @param showsApps whether the client shows apps, so that it calls the tools of their pages */
  findTool(name: string, caller: Caller | null, showsApps: boolean) {
    const tool = visibleTo(caller, this.tools.get(name))
    return tool && (showsApps || !isForApps(tool.Class)) ? tool : undefined
  }

  findPrompt(name: string, caller: Caller | null) {
    return visibleTo(caller, this.prompts.get(name))
  }

  findTemplate(uri: string, caller: Caller | null) {
    return visibleTo(caller, this.templates.get(uri))
  }

  /** The resource with this URI, or the first template that matches it, with its variables. */
  findResource(uri: string, caller: Caller | null) {
    const resource = visibleTo(caller, this.resources.get(uri))
    if (resource) {
      return { Class: resource.Class, variables: {} }
    }
    for (const { Class, template } of this.templates.values()) {
      const variables = isVisible(Class, caller) ? template.match(uri) : null
      if (variables) {
        return { Class, variables }
      }
    }
    return null
  }

  /** @throws {McpError} -32602 for an unknown cursor */
  listPage(method: ListMethod, era: Era['name'], cursor: unknown, view: View): string {
    return this.#lists.page(method, era, cursor, view)
  }
}

function capabilitiesOf(Server: ServerClass, definitions: Definitions): Record<string, object> {
  const tools = [...definitions.tools.values()]
  const templates = [...definitions.templates.values()]
  const resources = [...definitions.resources.values()]
  const completable = [...definitions.prompts.values(), ...templates]
  const isSubscribable = [...resources, ...templates].some(({ Class }) => Class.subscribable)
  const extensions = {
    ...(tools.some(({ Class }) => Class.taskSupport !== 'never') && { [TASKS_EXTENSION]: {} }),
    ...(resources.some(({ Class }) => isApp(Class)) && { [APPS_EXTENSION]: {} }),
  }
  return {
    ...(Server.tools() && { tools: {} }),
    ...(Server.prompts() && { prompts: {} }),
    ...((Server.resources() || resources.length > 0) && {
      resources: isSubscribable ? { subscribe: true } : {},
    }),
    ...(completable.some(({ Class }) => Class.prototype.complete) && { completions: {} }),
    ...(Object.keys(extensions).length > 0 && { extensions }),
    ...(Server.logging && { logging: {} }),
  }
}

function visibleTo<Definition extends { Class: Parameters<typeof isVisible>[0] }>(
  caller: Caller | null,
  definition: Definition | undefined
): Definition | undefined {
  return definition && isVisible(definition.Class, caller) ? definition : undefined
}
