import { VineValidator } from '@vinejs/vine'

import { assertArgument, positiveNumber } from '#config/checks'
import { checkView, isApp } from '#mcp/apps/app'
import type { Caller } from '#mcp/caller'
import { compileSchema } from '#mcp/definition/json_schema'
import { isForApps, isVisible, Lists, type OfferedClass } from '#mcp/definition/lists'
import { UriTemplate } from '#mcp/definition/uri_template'
import { APPS_EXTENSION, TASKS_EXTENSION } from '#mcp/protocol/capabilities'
import { paramHeadersOf } from '#mcp/protocol/mirrored_headers'
import type { ServerClass } from '#mcp/server'
import type { Implementation, PromptClass, ResourceClass, ToolClass } from '#mcp/types'

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

  /** @throws {InvalidArgumentsException} for a missing or duplicate name, an invalid schema or number */
  static async build(Server: ServerClass, defaults: { version: string; pageSize: number }) {
    requireTexts(Server, 'MCP server', 'name')
    const { name, version = defaults.version, title, description, websiteUrl, icons } = Server
    const info = { name, version, title, description: description ?? undefined, websiteUrl, icons }
    const asked = Server.pageSize ?? defaults.pageSize
    const pageSize = positiveNumber(`The MCP server "${name}"`, 'pageSize', asked, { whole: true })
    positiveNumber(`The MCP server "${name}"`, 'ttlMs', Server.ttlMs, { orZero: true })
    return new ServerDefinition(Server, info, await readClasses(Server), pageSize)
  }

  /** @param showsApps whether the client shows apps, so that it calls the tools of their pages */
  findTool(name: string, caller: Caller | null, showsApps: boolean) {
    const tool = visibleTo(caller, this.offers.tools.get(name))
    return tool && (showsApps || !isForApps(tool.Class)) ? tool : undefined
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

/** What is offered, unless its class hides from this caller. */
export function visibleTo<Offer extends { Class: OfferedClass }>(
  caller: Caller | null,
  offer?: Offer
) {
  return offer && isVisible(offer.Class, caller) ? offer : undefined
}

export type ToolDefinition = ReturnType<typeof readTool>
/** What a server offers: tools and prompts by name, resources and templates by URI. */
export type Offers = Awaited<ReturnType<typeof readClasses>>

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** @throws {InvalidArgumentsException} for a missing or duplicate name, or an invalid schema */
export async function readClasses(Server: ServerClass) {
  function byKey<Class extends OfferedClass, Entry>(
    kind: string,
    classes: Class[],
    read: (Class: Class) => Entry
  ): ReadonlyMap<string, Entry> {
    const entries = new Map<string, Entry>()
    for (const Class of classes) {
      const key = 'uri' in Class ? Class.uri : Class.name
      const isNew = !entries.has(key)
      assertArgument(isNew, `The MCP server "${Server.name}" lists the ${kind} "${key}" twice`)
      entries.set(key, read(Class))
    }
    return entries
  }

  const tools = await registered(Server.tools())
  const prompts = await registered(Server.prompts())
  /* The pages of tools are resources, whether the server lists them or not. */
  const pages = tools.flatMap(({ app }) => app ?? [])
  const resources = await registered([...new Set([...(Server.resources() ?? []), ...pages])])
  resources.forEach(checkResource)
  await Promise.all(resources.filter(isApp).map(checkView))
  const isTemplate = ({ uri }: ResourceClass) => UriTemplate.isTemplate(uri)
  const fixed = resources.filter((one) => !isTemplate(one))
  return {
    tools: byKey('tool', tools, readTool),
    prompts: byKey('prompt', prompts, readPrompt),
    resources: byKey('resource', fixed, (Class) => ({ Class })),
    templates: byKey('resource', resources.filter(isTemplate), (Class) => ({
      Class,
      template: new UriTemplate(Class.uri),
    })),
  }
}

function readTool(Class: ToolClass) {
  requireTexts(Class, 'MCP tool', 'name', 'description')
  const owner = `the MCP tool "${Class.name}"`
  const fault = `${owner} needs a name of 1 to 128 letters, digits, "_", "-" and "."`
  assertArgument(TOOL_NAME.test(Class.name), fault)
  const input = compileSchema(Class.schema(), owner)
  assertArgument(input.json.type === 'object', `The schema of ${owner} must describe an object`)
  const source = Class.outputSchema()
  const output = source && compileSchema(source, owner)
  /* By this one clients judge. VineJS accepts more than it publishes: unknown members, numbers as text. */
  const published = source instanceof VineValidator ? compileSchema(output!.json, owner) : null
  return { Class, input, output, published, headers: paramHeadersOf(input.json, owner) }
}

function readPrompt(Class: PromptClass) {
  requireTexts(Class, 'MCP prompt', 'name', 'description')
  const args = Class.arguments()
  const argumentNames = new Set(args.map(({ name }) => name))
  const unnamed = `The MCP prompt "${Class.name}" has an argument without a name, or two of one name`
  const areNamed = args.every(({ name }) => typeof name === 'string' && name !== '')
  assertArgument(areNamed && argumentNames.size === args.length, unnamed)
  const required = args.filter((one) => one.required).map(({ name }) => name)
  return { Class, argumentNames, required }
}

function checkResource(Class: ResourceClass): void {
  requireTexts(Class, 'MCP resource', 'uri', 'name')
  const { name, uri, ttlMs } = Class
  positiveNumber(`The MCP resource "${uri}"`, 'ttlMs', ttlMs, { orZero: true })
  const isTemplate = UriTemplate.isTemplate(uri)
  /* Clients look for this scheme. */
  const misplaced = `The MCP app ${name} needs a "uri" that begins with "ui://" and has no variables`
  assertArgument(!isApp(Class) || (uri.startsWith('ui://') && !isTemplate), misplaced)
  assertArgument(isTemplate || URL.canParse(uri), `"${uri}" of ${name} is not a URI`)
}

/** What static members have to be, in the words of a message, and as JSON. */
const MEMBERS = [
  ['scopes', 'a list of texts', /^\[("[^"]*",?)*\]$/],
  ['callableBy', 'a list of model and app', /^\[("(model|app)",?)*\]$/],
  ['taskSupport', 'never, optional or required', /^"(never|optional|required)"$/],
  ['cacheScope', 'public or private', /^"(public|private)"$/],
] as const

/**
 * JavaScript gives every class a read-only `name`: that one does not count.
 * @throws {InvalidArgumentsException} unless the class sets these static texts, and for another member of a wrong kind
 */
export function requireTexts(Class: object, kind: string, ...members: string[]): void {
  const name = Object.getOwnPropertyDescriptor(Class, 'name')
  for (const member of members) {
    const isGiven = member !== 'name' || name?.writable !== false
    const text: unknown = isGiven ? Reflect.get(Class, member) : undefined
    const missing = `The ${kind} class ${String(name?.value)} needs a static "${member}"`
    assertArgument(typeof text === 'string' && text !== '', missing)
  }
  for (const [member, choice, json] of MEMBERS) {
    const isRight = !(member in Class) || json.test(JSON.stringify(Reflect.get(Class, member)))
    const wrong = `The ${kind} class ${String(name?.value)}: "${member}" must be ${choice}`
    assertArgument(isRight, wrong)
  }
}

async function registered<Class extends OfferedClass>(classes: Class[] | null): Promise<Class[]> {
  const wanted = await Promise.all((classes ?? []).map((one) => one.shouldRegister()))
  return (classes ?? []).filter((_, index) => wanted[index])
}
