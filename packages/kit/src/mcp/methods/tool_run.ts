import type { ToolDefinition } from '#mcp/definition/server_definition'
import { ErrorCode, type McpError } from '#mcp/errors'
import { failureOf } from '#mcp/methods/handlers'
import { askOlderClient, inputRequired } from '#mcp/methods/questions'
import { type Call, complete } from '#mcp/protocol/call'
import { assertOr } from '#process/assert_or'
import { isObject } from '#process/objects'
import { ASSUMED_VERSION } from '#mcp/protocol/era'
import { CallEnded, type CallLimits } from '#mcp/protocol/running_calls'
import type { McpRequest } from '#mcp/request'
import { type ContentBlock, Response } from '#mcp/response'

/** `prepare` runs before a task is created, `handle` in it. */
type Step = 'prepare' | 'handle'

/**
 * Validates the arguments and runs the handler, or one of its steps. A failure is an error result
 * that the model can read (2026-07-28, "Tools", Error Handling).
 * @returns null when `prepare` is the only step and has nothing to say
 * @throws {McpError} for a refusal that can still be a challenge, and what the handler throws as such
 */
export async function runTool(
  call: Call,
  definition: ToolDefinition,
  args: object,
  request: McpRequest,
  limits: CallLimits,
  steps: readonly Step[] = ['prepare', 'handle']
): Promise<Response | null> {
  const { Class, input } = definition
  try {
    const validation = await input.validate(args)
    if ('problems' in validation) {
      return Response.error(`Invalid arguments: ${validation.problems.join('; ')}`)
    }
    const tool = await call.ctx.containerResolver.make(Class)
    const { value } = validation
    const run = async () => {
      const early = steps.includes('prepare') ? await tool.prepare?.(value, request) : null
      return early ?? (steps.includes('handle') ? tool.handle(value, request) : null)
    }
    const response = (await limits.race(run())) as Response
    if (response === null && !steps.includes('handle')) {
      return null
    }
    await checkResponse(response, definition)
    return response.question && call.era.name === 'legacy'
      ? await askOlderClient(call, Class, response.question)
      : response
  } catch (error) {
    const failure = failureOf(call, error)
    if (failure.httpStatus !== 200) {
      return toolRefusal(call, failure)
    }
    const isUnexpected = failure.code === ErrorCode.InternalError
    const text = isUnexpected ? 'The tool failed.' : failure.message
    return Response.error(error instanceof CallEnded ? `${error.message}.` : text)
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
async function checkResponse(response: unknown, { Class, output, published }: ToolDefinition) {
  const tool = `The MCP tool "${Class.name}"`
  assertOr(response instanceof Response, TypeError, `${tool} returned no Response`)
  if (!output || response.question || response.kind === 'error') {
    return
  }
  const json = response.structureJson
  assertOr(json !== undefined, TypeError, `${tool} has an output schema and returned no structure`)
  const structure: unknown = JSON.parse(json)
  const validations = [await output.validate(structure), await published?.validate(structure)]
  const validation = validations.find((one) => one !== undefined && 'problems' in one)
  const problems = validation?.problems.join('; ')
  const fault = `${tool} returned a structure that does not match its output schema: ${problems}`
  assertOr(problems === undefined, TypeError, fault)
}

export function answerOf(call: Call, request: McpRequest, response: Response) {
  return response.question
    ? { json: inputRequired(call, request, response.question) }
    : { json: complete(call, toolResult(call, response)), failed: response.kind === 'error' }
}

export function toolResult(call: Call, response: Response) {
  const json = response.structureJson
  const structure: unknown = json === undefined ? undefined : JSON.parse(json)
  /* Before 2026-07-28 structured content had to be an object; other values are in the text part. */
  const fits = call.era.name === 'modern' || isObject(structure)
  return {
    content: response.parts.map(({ block }) => told(call, block)),
    structuredContent: fits ? structure : undefined,
    isError: response.kind === 'error' ? true : undefined,
  }
}

/** A content as the revision has it. 2025-03-26 has no links: there one is text. */
export function told({ era }: Call, block: ContentBlock): ContentBlock {
  const isKnown = block.type !== 'resource_link' || era.version !== ASSUMED_VERSION
  return isKnown ? block : { type: 'text', text: `${block.name}: ${block.uri}` }
}
