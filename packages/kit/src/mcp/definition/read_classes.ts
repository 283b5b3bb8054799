import { assertArgument } from '#config/checks'
import { isApp } from '#mcp/apps/app'
import { type CompiledSchema, compileSchema } from '#mcp/definition/json_schema'
import { UriTemplate } from '#mcp/definition/uri_template'
import { type ParamHeader, paramHeadersOf } from '#mcp/protocol/mirrored_headers'
import type { PromptClass, ResourceClass, ServerClass, ToolClass } from '#mcp/types'
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

export interface Definitions {
  tools: ReadonlyMap<string, ToolDefinition>
  prompts: ReadonlyMap<string, PromptDefinition>
  resources: ReadonlyMap<string, ResourceDefinition>
  templates: ReadonlyMap<string, TemplateDefinition>
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/**
 * Reads and checks the classes of a server.
 *
 * @throws {InvalidArgumentsException} for a missing or duplicate name, or an invalid schema
 */
export async function readClasses(Server: ServerClass): Promise<Definitions> {
  const byKey = <Entry>(kind: string, entries: [string, Entry][]): Map<string, Entry> => {
    const keys = entries.map(([key]) => key)
    const twice = keys.find((key, index) => keys.indexOf(key) < index)
    assertArgument(
      twice === undefined,
      `The MCP server "${Server.name}" lists the ${kind} "${twice}" twice`
    )
    return new Map(entries)
  }

  const tools = await registered(Server.tools())
  const prompts = await registered(Server.prompts())
  /* The pages of tools are resources, whether the server lists them or not. */
  const pages = tools.flatMap(({ app }) => app ?? [])
  const resources = await registered([...new Set([...(Server.resources() ?? []), ...pages])])
  resources.forEach(checkResource)
  const [templates, fixed] = [true, false].map((isTemplate) =>
    resources.filter(({ uri }) => UriTemplate.isTemplate(uri) === isTemplate)
  ) as [ResourceClass[], ResourceClass[]]
  return {
    tools: byKey(
      'tool',
      tools.map((Class) => [Class.name, readTool(Class)])
    ),
    prompts: byKey(
      'prompt',
      prompts.map((Class) => [Class.name, readPrompt(Class)])
    ),
    resources: byKey(
      'resource',
      fixed.map((Class) => [Class.uri, { Class }])
    ),
    templates: byKey(
      'resource',
      templates.map((Class) => [Class.uri, { Class, template: new UriTemplate(Class.uri) }])
    ),
  }
}

function readTool(Class: ToolClass): ToolDefinition {
  requireTexts(Class, 'MCP tool', 'name', 'description')
  const owner = `the MCP tool "${Class.name}"`
  assertArgument(
    TOOL_NAME.test(Class.name),
    `${owner} needs a name of 1 to 128 letters, digits, "_", "-" and "."`
  )
  const input = compileSchema(Class.schema(), owner)
  assertArgument(input.json.type === 'object', `The schema of ${owner} must describe an object`)
  const output = Class.outputSchema()
  return {
    Class,
    input,
    output: output && compileSchema(output, owner),
    headers: paramHeadersOf(input.json, owner),
  }
}

function readPrompt(Class: PromptClass): PromptDefinition {
  requireTexts(Class, 'MCP prompt', 'name', 'description')
  const args = Class.arguments()
  return {
    Class,
    argumentNames: new Set(args.map(({ name }) => name)),
    required: args.filter(({ required }) => required).map(({ name }) => name),
  }
}

function checkResource(Class: ResourceClass): void {
  requireTexts(Class, 'MCP resource', 'uri', 'name')
  const { name, uri } = Class
  const isTemplate = UriTemplate.isTemplate(uri)
  /* Clients look for this scheme. */
  assertArgument(
    !isApp(Class) || (uri.startsWith('ui://') && !isTemplate),
    `The MCP app ${name} needs a "uri" that begins with "ui://" and has no variables`
  )
  assertArgument(isTemplate || URL.canParse(uri), `"${uri}" of ${name} is not a URI`)
}

/**
 * Checks that a class sets static texts. JavaScript gives every class a read-only `name`: that one
 * does not count.
 *
 * @throws {InvalidArgumentsException} that names the class and the member
 */
export function requireTexts(Class: object, kind: string, ...members: string[]): void {
  const name = Object.getOwnPropertyDescriptor(Class, 'name')
  for (const member of members) {
    const isGiven = member !== 'name' || name?.writable !== false
    const text: unknown = isGiven ? Reflect.get(Class, member) : undefined
    assertArgument(
      typeof text === 'string' && text !== '',
      `The ${kind} class ${String(name?.value)} needs a static "${member}"`
    )
  }
}

async function registered<Class extends { shouldRegister(): MaybePromise<boolean> }>(
  classes: Class[] | null
): Promise<Class[]> {
  const wanted = await Promise.all((classes ?? []).map((one) => one.shouldRegister()))
  return (classes ?? []).filter((_, index) => wanted[index])
}
