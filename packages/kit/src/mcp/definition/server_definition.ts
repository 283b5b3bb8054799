import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import type { Caller } from '#mcp/caller'
import { type CompiledSchema, compileSchema } from '#mcp/definition/json_schema'
import {
  legacyToolDescriptor,
  promptDescriptor,
  resourceDescriptor,
  templateDescriptor,
  toolDescriptor,
} from '#mcp/definition/descriptors'
import { ListPages } from '#mcp/definition/list_pages'
import { paramHeadersOf } from '#mcp/definition/param_headers'
import { requireText } from '#mcp/definition/required_text'
import { UriTemplate } from '#mcp/definition/uri_template'
import type { Era } from '#mcp/protocol/era'
import type { ParamHeader } from '#mcp/protocol/mirrored_headers'
import { MetaKey } from '#mcp/protocol/versions'
import { TASKS_EXTENSION } from '#mcp/tasks/wire'
import type {
  CacheScope,
  Implementation,
  PromptClass,
  ResourceClass,
  ServerClass,
  ToolClass,
} from '#mcp/types'
import type { MaybePromise } from '#process/maybe_promise'

export interface ToolDefinition {
  Class: ToolClass
  input: CompiledSchema
  output?: CompiledSchema
  headers: ParamHeader[]
}

export interface PromptDefinition {
  Class: PromptClass
  argumentNames: ReadonlySet<string>
  required: string[]
}

export interface ResourceDefinition {
  Class: ResourceClass
}

export interface TemplateDefinition extends ResourceDefinition {
  template: UriTemplate
}

/** An item of a list: its class, and its descriptor in each era. */
interface ListItem {
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

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/**
 * A server class and everything it offers, read and checked once, at start: look-ups by name,
 * compiled schemas, and lists.
 */
export class ServerDefinition {
  readonly tools = new Map<string, ToolDefinition>()
  readonly prompts = new Map<string, PromptDefinition>()
  readonly resources = new Map<string, ResourceDefinition>()
  readonly templates = new Map<string, TemplateDefinition>()
  readonly capabilities: Record<string, object> = {}
  readonly #items = new Map<ListMethod, ListItem[]>()
  readonly #lists = new Map<string, ListPages>()
  #pageSize = 0
  #scopes: readonly string[] = []
  #variesByCaller = false

  private constructor(
    readonly Server: ServerClass,
    readonly info: Implementation
  ) {}

  /**
   * @param Server the class to read
   * @param defaults used where the class sets no `version` or `pageSize`
   * @throws {InvalidArgumentsException} for a missing or duplicate name, or an invalid schema
   */
  static async build(
    Server: ServerClass,
    defaults: { version: string; pageSize: number }
  ): Promise<ServerDefinition> {
    requireText(Server, 'name', 'MCP server')
    const definition = new ServerDefinition(Server, {
      name: Server.name,
      version: Server.version ?? defaults.version,
      title: Server.title,
      description: Server.description,
      websiteUrl: Server.websiteUrl,
      icons: Server.icons,
    })

    await definition.#addTools()
    await definition.#addPrompts()
    await definition.#addResources()
    definition.#declareCapabilities()
    definition.#pageSize = Server.pageSize ?? defaults.pageSize
    definition.#describe()
    return definition
  }

  /** The scopes that the classes declare, each once. */
  get scopes(): readonly string[] {
    return this.#scopes
  }

  /** Whether a class hides itself from some callers, so that lists differ. */
  get variesByCaller(): boolean {
    return this.#variesByCaller
  }

  findTool(name: string, caller: Caller | null): ToolDefinition | undefined {
    return visibleTo(caller, this.tools.get(name))
  }

  findPrompt(name: string, caller: Caller | null): PromptDefinition | undefined {
    return visibleTo(caller, this.prompts.get(name))
  }

  findTemplate(uri: string, caller: Caller | null): TemplateDefinition | undefined {
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

  /**
   * One page of a list, as JSON. Built once, unless the list differs by caller.
   *
   * @throws {McpError} -32602 for an unknown cursor
   */
  listPage(
    method: ListMethod,
    era: Era['name'],
    cursor: unknown,
    view: { caller: Caller | null; cacheScope: CacheScope }
  ): string {
    if (this.variesByCaller) {
      return this.#pages(method, era, view).page(cursor)
    }
    const key = `${era}:${view.cacheScope}:${method}`
    let pages = this.#lists.get(key)
    if (!pages) {
      pages = this.#pages(method, era, view)
      this.#lists.set(key, pages)
    }
    return pages.page(cursor)
  }

  async #addTools() {
    for (const Class of await registered(this.Server.tools())) {
      requireText(Class, 'name', 'MCP tool')
      requireText(Class, 'description', 'MCP tool')
      const owner = `the MCP tool "${Class.name}"`
      if (!TOOL_NAME.test(Class.name)) {
        throw new InvalidArgumentsException(
          `${owner} needs a name of 1 to 128 letters, digits, "_", "-" and "."`
        )
      }

      const input = compileSchema(Class.schema(), owner)
      const output = Class.outputSchema()
      if (input.json.type !== 'object') {
        throw new InvalidArgumentsException(`The schema of ${owner} must describe an object`)
      }
      this.#add(this.tools, Class.name, 'tool', {
        Class,
        input,
        output: output && compileSchema(output, owner),
        headers: paramHeadersOf(input.json, owner),
      })
    }
  }

  async #addPrompts() {
    for (const Class of await registered(this.Server.prompts())) {
      requireText(Class, 'name', 'MCP prompt')
      requireText(Class, 'description', 'MCP prompt')
      const args = Class.arguments()
      this.#add(this.prompts, Class.name, 'prompt', {
        Class,
        argumentNames: new Set(args.map(({ name }) => name)),
        required: args.filter(({ required }) => required).map(({ name }) => name),
      })
    }
  }

  async #addResources() {
    for (const Class of await registered(this.Server.resources())) {
      requireText(Class, 'uri', 'MCP resource')
      requireText(Class, 'name', 'MCP resource')
      if (UriTemplate.isTemplate(Class.uri)) {
        const template = new UriTemplate(Class.uri)
        this.#add(this.templates, Class.uri, 'resource', { Class, template })
      } else if (URL.canParse(Class.uri)) {
        this.#add(this.resources, Class.uri, 'resource', { Class })
      } else {
        throw new InvalidArgumentsException(`"${Class.uri}" of ${Class.name} is not a URI`)
      }
    }
  }

  #add<Entry>(entries: Map<string, Entry>, key: string, kind: string, entry: Entry) {
    if (entries.has(key)) {
      throw new InvalidArgumentsException(
        `The MCP server "${this.info.name}" lists the ${kind} "${key}" twice`
      )
    }
    entries.set(key, entry)
  }

  #declareCapabilities() {
    const { Server, capabilities } = this
    if (Server.tools()) {
      capabilities.tools = {}
    }
    if (Server.prompts()) {
      capabilities.prompts = {}
    }
    if (Server.resources()) {
      capabilities.resources = {}
    }
    const completable = [...this.prompts.values(), ...this.templates.values()]
    if (completable.some(({ Class }) => Class.prototype.complete)) {
      capabilities.completions = {}
    }
    if ([...this.tools.values()].some(({ Class }) => Class.taskSupport !== 'never')) {
      capabilities.extensions = { [TASKS_EXTENSION]: {} }
    }
    if (Server.logging) {
      capabilities.logging = {}
    }
  }

  #describe() {
    const same = <Definition extends { Class: ListItem['Class'] }>(
      definitions: Map<string, Definition>,
      describe: (definition: Definition) => object
    ) =>
      [...definitions.values()].map((one) => {
        const descriptor = describe(one)
        return { Class: one.Class, legacy: descriptor, modern: descriptor }
      })

    const tools = [...this.tools.values()].map((tool) => ({
      Class: tool.Class,
      legacy: legacyToolDescriptor(tool),
      modern: toolDescriptor(tool),
    }))
    this.#items.set('tools/list', tools)
    this.#items.set('prompts/list', same(this.prompts, promptDescriptor))
    this.#items.set('resources/list', same(this.resources, resourceDescriptor))
    this.#items.set('resources/templates/list', same(this.templates, templateDescriptor))
    const classes = [...this.#items.values()].flat().map(({ Class }) => Class)
    this.#variesByCaller = classes.some(({ visible }) => visible)
    this.#scopes = [...new Set(classes.flatMap(({ scopes }) => scopes))]
  }

  #pages(
    method: ListMethod,
    era: Era['name'],
    { caller, cacheScope }: { caller: Caller | null; cacheScope: CacheScope }
  ): ListPages {
    const items = this.#items
      .get(method)!
      .filter(({ Class }) => isVisible(Class, caller))
      .map((item) => item[era])
    const rest = era === 'modern' ? this.#cacheableMembers(cacheScope) : {}
    return new ListPages(LIST_KEYS[method], items, this.#pageSize, rest)
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

function isVisible(Class: ListItem['Class'], caller: Caller | null): boolean {
  return Class.visible?.(caller) ?? true
}

function visibleTo<Definition extends { Class: ListItem['Class'] }>(
  caller: Caller | null,
  definition: Definition | undefined
): Definition | undefined {
  return definition && isVisible(definition.Class, caller) ? definition : undefined
}

/** The classes whose `shouldRegister` agrees. */
async function registered<Class extends { shouldRegister(): MaybePromise<boolean> }>(
  classes: Class[] | null
): Promise<Class[]> {
  const wanted = await Promise.all((classes ?? []).map((one) => one.shouldRegister()))
  return (classes ?? []).filter((_, index) => wanted[index])
}
