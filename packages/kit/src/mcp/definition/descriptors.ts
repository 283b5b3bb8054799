import { appMeta, isApp } from '#mcp/apps/app'
import type {
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
  ToolDefinition,
} from '#mcp/definition/server_definition'
import { withConfirm } from '#mcp/methods/older_clients'
import type { ResourceClass, ToolClass } from '#mcp/types'

/* What the lists show of each class (2026-07-28 schema: Tool, Prompt, Resource, ResourceTemplate). */

export function toolDescriptor({ Class, input, output }: ToolDefinition) {
  return {
    name: Class.name,
    title: Class.title,
    description: Class.description,
    inputSchema: input.json,
    outputSchema: output?.json,
    annotations: Class.annotations,
    icons: Class.icons,
    _meta: toolMeta(Class),
  }
}

/** Which app shows the result, and who may call the tool (MCP Apps 2026-01-26, "Resource Discovery"). */
function toolMeta({ app, callableBy, meta }: ToolClass) {
  return app || callableBy.length < 2
    ? { ...meta, ui: { resourceUri: app?.uri, visibility: callableBy } }
    : meta
}

/** Before 2026-07-28 structured content was an object, and so was its schema. */
export function legacyToolDescriptor(tool: ToolDefinition) {
  const isObject = tool.output?.json.type === 'object'
  const inputSchema =
    tool.Class.olderClients === 'confirm'
      ? withConfirm(tool.input.json, `The MCP tool "${tool.Class.name}"`)
      : tool.input.json
  const outputSchema = isObject ? tool.output!.json : undefined
  return { ...toolDescriptor(tool), inputSchema, outputSchema }
}

export function promptDescriptor({ Class }: PromptDefinition) {
  return {
    name: Class.name,
    title: Class.title,
    description: Class.description,
    arguments: Class.arguments(),
    icons: Class.icons,
    _meta: Class.meta,
  }
}

export function resourceDescriptor({ Class }: ResourceDefinition) {
  return { uri: Class.uri, ...contentDescriptor(Class), size: Class.size }
}

export function templateDescriptor({ Class }: TemplateDefinition) {
  return { uriTemplate: Class.uri, ...contentDescriptor(Class) }
}

function contentDescriptor(Class: ResourceClass) {
  return {
    name: Class.name,
    title: Class.title,
    description: Class.description,
    mimeType: Class.mimeType,
    annotations: Class.annotations,
    icons: Class.icons,
    _meta: isApp(Class) ? appMeta(Class) : Class.meta,
  }
}
