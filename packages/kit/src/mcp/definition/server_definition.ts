import type { Caller } from '#mcp/caller'
import { isForApps, isVisible, Lists, type OfferedClass } from '#mcp/definition/lists'
import { type Offers, readClasses, requireTexts } from '#mcp/definition/read_classes'
import { isApp } from '#mcp/apps/app'
import { APPS_EXTENSION, TASKS_EXTENSION } from '#mcp/protocol/capabilities'
import type { Implementation, ServerClass } from '#mcp/types'

/** A server class and everything it offers, read and checked once, at start. */
export class ServerDefinition {
  readonly capabilities: Record<string, object>
  readonly scopes: readonly string[]
  readonly lists: Lists

  private constructor(
    readonly Server: ServerClass,
    readonly info: Implementation,
    readonly offers: Offers,
    pageSize: number
  ) {
    this.capabilities = capabilitiesOf(Server, offers)
    this.lists = new Lists(Server, info, pageSize, offers)
    this.scopes = [...new Set(this.lists.classes.flatMap(({ scopes }) => scopes))]
  }

  /** @throws {InvalidArgumentsException} for a missing or duplicate name, or an invalid schema */
  static async build(Server: ServerClass, defaults: { version: string; pageSize: number }) {
    requireTexts(Server, 'MCP server', 'name')
    const { name, version = defaults.version, title, description, websiteUrl, icons } = Server
    const info = { name, version, title, description, websiteUrl, icons }
    const pageSize = Server.pageSize ?? defaults.pageSize
    return new ServerDefinition(Server, info, await readClasses(Server), pageSize)
  }

  /** @param showsApps whether the client shows apps, so that it calls the tools of their pages */
  findTool(name: string, caller: Caller | null, showsApps: boolean) {
    const tool = visibleTo(caller, this.offers.tools.get(name))
    return tool && (showsApps || !isForApps(tool.Class)) ? tool : undefined
  }

  findPrompt(name: string, caller: Caller | null) {
    return visibleTo(caller, this.offers.prompts.get(name))
  }

  findTemplate(uri: string, caller: Caller | null) {
    return visibleTo(caller, this.offers.templates.get(uri))
  }

  /** The resource with this URI, or the first template that matches it, with its variables. */
  findResource(uri: string, caller: Caller | null) {
    const { resources, templates } = this.offers
    const resource = visibleTo(caller, resources.get(uri))
    if (resource) {
      return { Class: resource.Class, variables: {} }
    }
    for (const { Class, template } of templates.values()) {
      const variables = isVisible(Class, caller) ? template.match(uri) : null
      if (variables) {
        return { Class, variables }
      }
    }
    return null
  }
}

function capabilitiesOf(Server: ServerClass, offers: Offers): Record<string, object> {
  const tools = [...offers.tools.values()]
  const templates = [...offers.templates.values()]
  const resources = [...offers.resources.values()]
  const completable = [...offers.prompts.values(), ...templates]
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

function visibleTo<Offer extends { Class: OfferedClass }>(
  caller: Caller | null,
  offer: Offer | undefined
): Offer | undefined {
  return offer && isVisible(offer.Class, caller) ? offer : undefined
}
