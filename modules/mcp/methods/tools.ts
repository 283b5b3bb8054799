import type { ToolDefinition } from '#mcp/definition/server_definition'
import { invalidParams, McpError, quoted } from '#mcp/errors'
import { failureText, report } from '#mcp/methods/failures'
import { inputRequired, NEEDS_MODERN_CLIENT } from '#mcp/methods/input_required'
import { type Call, complete, handlerRequest, objectParam, stringParam } from '#mcp/protocol/call'
import { checkNameHeader, checkParamHeaders } from '#mcp/protocol/mirrored_headers'
import type { McpRequest } from '#mcp/request'
import { Response } from '#mcp/response'

/** `tools/call`. */
export async function callTool(call: Call): Promise<string> {
  const { params } = call.request
  const name = stringParam(params, 'name')
  if (call.era.name === 'modern') {
    checkNameHeader(name, call.header)
  }

  const tool = call.definition.tools.get(name)
  if (!tool) {
    throw invalidParams(`Unknown tool: ${quoted(name)}`)
  }
  const args = objectParam(params, 'arguments')
  if (call.era.name === 'modern') {
    checkParamHeaders(tool.headers, args, call.header)
  }

  const request = handlerRequest(call)
  const response = await run(call, tool, args, request)
  return response.question
    ? inputRequired(call, request, response.question)
    : complete(call, toolResult(call, response))
}

/** From here on, a failure is an error result that the model can read (2026-07-28, "Tools", Error Handling). */
async function run(
  call: Call,
  { Class, input, output }: ToolDefinition,
  args: object,
  request: McpRequest
): Promise<Response> {
  try {
    const validation = await input.validate(args)
    if ('problems' in validation) {
      return Response.error(`Invalid arguments: ${validation.problems.join('; ')}`)
    }

    const tool = await call.ctx.containerResolver.make(Class)
    const response = await tool.handle(validation.value, request)
    if (!(response instanceof Response)) {
      throw new TypeError(`The MCP tool "${Class.name}" returned no Response`)
    }
    if (output && !response.question && response.kind !== 'error') {
      await checkOutput(response, output, Class.name)
    }
    return response.question && call.era.name === 'legacy'
      ? Response.error(NEEDS_MODERN_CLIENT)
      : response
  } catch (error) {
    if (error instanceof McpError) {
      throw error
    }
    report(call, error)
    return Response.error(failureText(error) ?? 'The tool failed.')
  }
}

/** Servers MUST return structured content that conforms to the output schema (2026-07-28, "Tools"). */
async function checkOutput(
  response: Response,
  output: NonNullable<ToolDefinition['output']>,
  name: string
): Promise<void> {
  const json = response.structureJson
  if (json === undefined) {
    throw new TypeError(`The MCP tool "${name}" has an output schema and returned no structure`)
  }
  const validation = await output.validate(JSON.parse(json))
  if ('problems' in validation) {
    throw new TypeError(
      `The MCP tool "${name}" returned a structure that does not match its output schema: ${validation.problems.join('; ')}`
    )
  }
}

function toolResult(call: Call, response: Response) {
  const json = response.structureJson
  const structure: unknown = json === undefined ? undefined : JSON.parse(json)
  /* Before 2026-07-28 structured content had to be an object; other values are in the text part. */
  const fits =
    call.era.name === 'modern' ||
    (typeof structure === 'object' && structure !== null && !Array.isArray(structure))
  return {
    content: response.parts.map(({ block }) => block),
    structuredContent: fits ? structure : undefined,
    isError: response.kind === 'error' ? true : undefined,
  }
}
