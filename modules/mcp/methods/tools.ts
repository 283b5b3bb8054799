import type { ToolDefinition } from '#mcp/definition/server_definition'
import { invalidParams, McpError, quoted } from '#mcp/errors'
import { authenticationFailure, failureText, report } from '#mcp/methods/failures'
import { inputRequired, NEEDS_MODERN_CLIENT } from '#mcp/methods/input_required'
import { observed } from '#mcp/methods/observed'
import { type Call, complete, objectParam, stringParam } from '#mcp/protocol/call'
import { CallCancelled, type CallLimits, CallTimeout } from '#mcp/protocol/call_limits'
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

  const tool = call.definition.findTool(name, call.caller)
  if (!tool) {
    throw invalidParams(`Unknown tool: ${quoted(name)}`)
  }
  const args = objectParam(params, 'arguments')
  if (call.era.name === 'modern') {
    checkParamHeaders(tool.headers, args, call.header)
  }

  const target = { kind: 'tool', name, scopes: tool.Class.scopes } as const
  return observed(call, target, async (request, limits) => {
    const response = await run(call, tool, args, request, limits)
    return response.question
      ? { json: inputRequired(call, request, response.question) }
      : { json: complete(call, toolResult(call, response)), failed: response.kind === 'error' }
  })
}

/** From here on, a failure is an error result that the model can read (2026-07-28, "Tools", Error Handling). */
async function run(
  call: Call,
  { Class, input, output }: ToolDefinition,
  args: object,
  request: McpRequest,
  limits: CallLimits
): Promise<Response> {
  try {
    const validation = await input.validate(args)
    if ('problems' in validation) {
      return Response.error(`Invalid arguments: ${validation.problems.join('; ')}`)
    }

    const tool = await call.ctx.containerResolver.make(Class)
    const response = await limits.race((async () => tool.handle(validation.value, request))())
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
    if (error instanceof McpError || error instanceof CallCancelled) {
      throw error
    }
    if (error instanceof CallTimeout) {
      return Response.error('The call timed out.')
    }
    const refusal = authenticationFailure(call, error)
    if (refusal) {
      return toolRefusal(call, refusal)
    }
    report(call, error)
    return Response.error(failureText(error) ?? 'The tool failed.')
  }
}

/** Once the HTTP status is sent, or in a batch, only the result can tell what is missing. */
function toolRefusal(call: Call, refusal: McpError): Response {
  if (call.canChallenge()) {
    throw refusal
  }
  const { scope } = refusal.data as { scope?: string }
  return Response.error(scope ? `${refusal.message}: ${scope}` : refusal.message)
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
