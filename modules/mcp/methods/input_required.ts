import { ErrorCode, McpError } from '#mcp/errors'
import type { InputRequests } from '#mcp/input_request'
import { type Call, missingCapability } from '#mcp/protocol/call'
import { sealState } from '#mcp/protocol/request_state'
import { MetaKey } from '#mcp/protocol/versions'
import type { McpRequest } from '#mcp/request'
import type { ClientCapabilities } from '#mcp/types'

/**
 * The interim result that asks the client for something (2026-07-28, InputRequiredResult).
 *
 * @throws McpError -32021 when the client did not declare what a question takes, -32603 in the
 * era whose answers cannot ask
 */
export function inputRequired(
  call: Call,
  { client }: McpRequest,
  { requests, state }: { requests: InputRequests; state: unknown }
): string {
  if (call.era.name === 'legacy') {
    throw new McpError(
      ErrorCode.InternalError,
      'There is a question to the user, which takes a client that speaks MCP 2026-07-28.'
    )
  }

  const questions = Object.values(requests)
  const unsupported = questions.filter((one) => !one.isSupportedBy(client.capabilities))
  if (unsupported.length > 0) {
    const required: ClientCapabilities = {}
    for (const { requires } of unsupported) {
      Object.assign(required, requires)
    }
    throw missingCapability(required)
  }

  return JSON.stringify({
    resultType: 'input_required',
    inputRequests: questions.length > 0 ? requests : undefined,
    requestState: state === undefined ? undefined : sealState(call, state),
    _meta: { [MetaKey.ServerInfo]: call.definition.info },
  })
}
