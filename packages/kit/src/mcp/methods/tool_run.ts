import type { ToolDefinition } from '#mcp/definition/server_definition'
import { McpError } from '#mcp/errors'
import { authenticationFailure, failureText, report } from '#mcp/methods/failures'
import { askOlderClient } from '#mcp/methods/older_clients'
import type { Call } from '#mcp/protocol/call'
import { CallCancelled, CallEnded, type CallLimits } from '#mcp/protocol/call_limits'
import type { McpRequest } from '#mcp/request'
import { Response } from '#mcp/response'
import type { Tool } from '#mcp/tool'

/** `prepare` runs before a task is created, `handle` in it. */
export type Step = 'prepare' | 'handle'

/**
 * Validates the arguments and runs the handler, or one of its steps. A failure is an error result
 * that the model can read (2026-07-28, "Tools", Error Handling).
 *
 * @returns null when `prepare` is the only step and has nothing to say
 * @throws {McpError} for a refusal that can still be a challenge, and what the handler throws as such
 */
export async function runTool(
  call: Call,
  { Class, input, output }: ToolDefinition,
  args: object,
  request: McpRequest,
  limits: CallLimits,
  steps: readonly Step[] = ['prepare', 'handle']
): Promise<Response | null> {
  try {
    const validation = await input.validate(args)
    if ('problems' in validation) {
      return Response.error(`Invalid arguments: ${validation.problems.join('; ')}`)
    }
    const tool = await call.ctx.containerResolver.make(Class)
    const response = await limits.race(runSteps(tool, steps, validation.value, request))
    if (response === null) {
      return null
    }
    if (!(response instanceof Response)) {
      throw new TypeError(`The MCP tool "${Class.name}" returned no Response`)
    }
    if (output && !response.question && response.kind !== 'error') {
      await checkOutput(response, output, Class.name)
    }
    return response.question && call.era.name === 'legacy'
      ? askOlderClient(call, Class, response.question)
      : response
  } catch (error) {
    if (error instanceof McpError || error instanceof CallCancelled) {
      throw error
    }
    if (error instanceof CallEnded) {
      return Response.error(`${error.message}.`)
    }
    const refusal = authenticationFailure(call, error)
    if (refusal) {
      return toolRefusal(call, refusal)
    }
    report(call, error)
    return Response.error(failureText(error, call.ctx) ?? 'The tool failed.')
  }
}

async function runSteps(
  tool: Tool,
  steps: readonly Step[],
  args: any,
  request: McpRequest
): Promise<unknown> {
  const early = steps.includes('prepare') ? await tool.prepare?.(args, request) : undefined
  return early ?? (steps.includes('handle') ? tool.handle(args, request) : null)
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

/** The members of a CallToolResult. */
export function toolResult(call: Call, response: Response) {
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
