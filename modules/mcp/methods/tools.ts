import type { ToolDefinition } from '#mcp/definition/server_definition'
import { invalidParams, McpError, quoted } from '#mcp/errors'
import { failureText, report } from '#mcp/methods/failures'
import { inputRequired } from '#mcp/methods/input_required'
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

/** Whatever goes wrong from here on is the tool's answer, for the model to read. */
async function run(
  call: Call,
  { Class, input, output }: ToolDefinition,
  args: object,
  request: McpRequest
): Promise<Response> {
  try {
    const verdict = await input.validate(args)
    if ('problems' in verdict) {
      return Response.error(`Invalid arguments: ${verdict.problems.join('; ')}`)
    }

    const tool = await call.ctx.containerResolver.make(Class)
    const response = await tool.handle(verdict.value, request)
    if (!(response instanceof Response)) {
      throw new TypeError(`The MCP tool "${Class.name}" returned no Response`)
    }
    if (output && !response.question && response.kind !== 'error') {
      await checkOutput(response, output, Class.name)
    }
    return response.question && call.era.name === 'legacy'
      ? Response.error(
          'This tool has a question to the user, which takes a client that speaks MCP 2026-07-28.'
        )
      : response
  } catch (error) {
    if (error instanceof McpError) {
      throw error
    }
    report(call, error)
    return Response.error(failureText(error) ?? 'The tool failed.')
  }
}

/** Clients rely on the output schema: a result that breaks it must not reach them. */
async function checkOutput(
  response: Response,
  output: NonNullable<ToolDefinition['output']>,
  name: string
): Promise<void> {
  const json = response.structureJson
  if (json === undefined) {
    throw new TypeError(`The MCP tool "${name}" has an output schema and returned no structure`)
  }
  const verdict = await output.validate(JSON.parse(json))
  if ('problems' in verdict) {
    throw new TypeError(
      `The MCP tool "${name}" broke its output schema: ${verdict.problems.join('; ')}`
    )
  }
}

function toolResult(call: Call, response: Response) {
  const json = response.structureJson
  const structure: unknown = json === undefined ? undefined : JSON.parse(json)
  /* Before 2026-07-28 structured content was an object; the text part says the rest. */
  const fits =
    call.era.name === 'modern' ||
    (typeof structure === 'object' && structure !== null && !Array.isArray(structure))
  return {
    content: response.parts.map(({ block }) => block),
    structuredContent: fits ? structure : undefined,
    isError: response.kind === 'error' ? true : undefined,
  }
}
