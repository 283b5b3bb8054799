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
import {
  isForApps,
  isVisible,
  type ListItem,
  type ListMethod,
  Lists,
  type View,
} from '#mcp/definition/lists'
import { paramHeadersOf } from '#mcp/definition/param_headers'
import { requireText } from '#mcp/definition/required_text'
import { UriTemplate } from '#mcp/definition/uri_template'
import { isApp } from '#mcp/apps/app'
import { APPS_EXTENSION } from '#mcp/apps/wire'
import type { Era } from '#mcp/protocol/era'
import type { ParamHeader } from '#mcp/protocol/mirrored_headers'
import { TASKS_EXTENSION } from '#mcp/tasks/wire'
import type { Implementation, PromptClass, ResourceClass, ServerClass, ToolClass } from '#mcp/types'
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
  #lists!: Lists
  #scopes: readonly string[] = []

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
    definition.#describe(Server.pageSize ?? defaults.pageSize)
    return definition
  }

  /** The scopes that the classes declare, each once. */
  get scopes(): readonly string[] {
    return this.#scopes
  }

  /** Whether lists differ by who asks for them. */
  get varies(): boolean {
    return this.#lists.vary
  }

  /** @param showsApps whether the client shows apps, so that it calls the tools of their pages */
  findTool(name: string, caller: Caller | null, showsApps: boolean): ToolDefinition | undefined {
    const tool = visibleTo(caller, this.tools.get(name))
    return tool && (showsApps || !isForApps(tool.Class)) ? tool : undefined
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
   * One page of a list, as JSON.
   *
   * @throws {McpError} -32602 for an unknown cursor
   */
  listPage(method: ListMethod, era: Era['name'], cursor: unknown, view: View): string {
    return this.#lists.page(method, era, cursor, view)
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
    /* The pages of tools are resources, whether the server lists them or not. */
    const pages = [...this.tools.values()].flatMap(({ Class }) => Class.app ?? [])
    const classes = new Set([...(this.Server.resources() ?? []), ...pages])
    for (const Class of await registered([...classes])) {
      requireText(Class, 'uri', 'MCP resource')
      requireText(Class, 'name', 'MCP resource')
      requireAppUri(Class)
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
    if (Server.resources() || this.resources.size > 0) {
      const all = [...this.resources.values(), ...this.templates.values()]
      capabilities.resources = all.some(({ Class }) => Class.subscribable)
        ? { subscribe: true }
        : {}
    }
    const completable = [...this.prompts.values(), ...this.templates.values()]
    if (completable.some(({ Class }) => Class.prototype.complete)) {
      capabilities.completions = {}
    }
    const tools = [...this.tools.values()].map(({ Class }) => Class)
    const extensions = {
      ...(tools.some(({ taskSupport }) => taskSupport !== 'never') && { [TASKS_EXTENSION]: {} }),
      ...([...this.resources.values()].some(({ Class }) => isApp(Class)) && {
        [APPS_EXTENSION]: {},
      }),
    }
    if (Object.keys(extensions).length > 0) {
      capabilities.extensions = extensions
    }
    if (Server.logging) {
      capabilities.logging = {}
    }
  }

  #describe(pageSize: number) {
    const same = <Definition extends { Class: ListItem['Class'] }>(
      definitions: Map<string, Definition>,
      describe: (definition: Definition) => object
    ) =>
      [...definitions.values()].map((one) => {
        const descriptor = describe(one)
        return { Class: one.Class, legacy: descriptor, modern: descriptor }
      })

    this.#lists = new Lists(this.Server, this.info, pageSize, {
      'tools/list': [...this.tools.values()].map((tool) => ({
        Class: tool.Class,
        legacy: legacyToolDescriptor(tool),
        modern: toolDescriptor(tool),
      })),
      'prompts/list': same(this.prompts, promptDescriptor),
      'resources/list': same(this.resources, resourceDescriptor),
      'resources/templates/list': same(this.templates, templateDescriptor),
    })
    this.#scopes = [...new Set(this.#lists.classes.flatMap(({ scopes }) => scopes))]
  }
}

/** @throws {InvalidArgumentsException} for an app whose URI has another scheme than clients look for */
function requireAppUri(Class: ResourceClass) {
  if (isApp(Class) && (!Class.uri.startsWith('ui://') || UriTemplate.isTemplate(Class.uri))) {
    throw new InvalidArgumentsException(
      `The MCP app ${Class.name} needs a "uri" that begins with "ui://" and has no variables`
    )
  }
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
