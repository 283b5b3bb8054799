import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

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
import type {
  Implementation,
  MaybePromise,
  PromptClass,
  ResourceClass,
  ServerClass,
  ToolClass,
} from '#mcp/types'

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

/** The methods that ask for a list. */
export type ListMethod =
  'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/**
 * A server class and everything it offers, read and checked once, at start: look-ups by name,
 * compiled schemas, and each list as prebuilt JSON.
 */
export class ServerDefinition {
  readonly tools = new Map<string, ToolDefinition>()
  readonly prompts = new Map<string, PromptDefinition>()
  readonly resources = new Map<string, ResourceDefinition>()
  readonly templates = new Map<string, TemplateDefinition>()
  readonly capabilities: Record<string, object> = {}
  readonly #lists = new Map<string, ListPages>()

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
    definition.#buildLists(Server.pageSize ?? defaults.pageSize)
    return definition
  }

  /** @throws {McpError} -32602 for an unknown cursor */
  listPage(method: ListMethod, era: Era, cursor: unknown): string {
    return this.#lists.get(`${era.name}:${method}`)!.page(cursor)
  }

  /** The first template that matches a URI, with the variables read from it; null when none does. */
  matchTemplate(uri: string) {
    for (const { Class, template } of this.templates.values()) {
      const variables = template.match(uri)
      if (variables) {
        return { Class, variables }
      }
    }
    return null
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
    if (Server.logging) {
      capabilities.logging = {}
    }
  }

  #buildLists(pageSize: number) {
    for (const era of ['legacy', 'modern'] as const) {
      const rest = era === 'modern' ? this.#cacheableMembers() : {}
      const build = (method: ListMethod, key: string, items: object[]) =>
        this.#lists.set(`${era}:${method}`, new ListPages(key, items, pageSize, rest))

      const tools = [...this.tools.values()]
      build(
        'tools/list',
        'tools',
        tools.map(era === 'modern' ? toolDescriptor : legacyToolDescriptor)
      )
      build('prompts/list', 'prompts', [...this.prompts.values()].map(promptDescriptor))
      build('resources/list', 'resources', [...this.resources.values()].map(resourceDescriptor))
      build(
        'resources/templates/list',
        'resourceTemplates',
        [...this.templates.values()].map(templateDescriptor)
      )
    }
  }

  /** Members of a complete, cacheable result (2026-07-28, "Caching"). */
  #cacheableMembers() {
    return {
      resultType: 'complete',
      ttlMs: this.Server.ttlMs,
      cacheScope: this.Server.cacheScope,
      _meta: { [MetaKey.ServerInfo]: this.info },
    }
  }
}

/** The classes whose `shouldRegister` agrees. */
async function registered<Class extends { shouldRegister(): MaybePromise<boolean> }>(
  classes: Class[] | null
): Promise<Class[]> {
  const wanted = await Promise.all((classes ?? []).map((one) => one.shouldRegister()))
  return (classes ?? []).filter((_, index) => wanted[index])
}
