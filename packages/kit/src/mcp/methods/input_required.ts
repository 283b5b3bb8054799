import { ErrorCode, McpError } from '#mcp/errors'
import type { InputRequest, InputRequests } from '#mcp/input_request'
import { needsModernClient } from '#mcp/methods/older_clients'
import { type Call, missingCapability } from '#mcp/protocol/call'
import { sealState } from '#mcp/protocol/request_state'
import { MetaKey } from '#mcp/protocol/versions'
import type { McpRequest } from '#mcp/request'
import type { ClientCapabilities } from '#mcp/types'

/**
 * The interim result that asks the client for input (2026-07-28 schema, InputRequiredResult).
 *
 * @throws {McpError} -32021 when the client did not declare a capability that a question needs,
 * -32603 for revisions before 2026-07-28, which have no such result
 */
export function inputRequired(
  call: Call,
  { client }: McpRequest,
  { requests, state }: { requests: InputRequests; state: unknown }
): string {
  if (call.era.name === 'legacy') {
    throw new McpError(ErrorCode.InternalError, needsModernClient(Object.values(requests)[0]))
  }

  const questions = Object.values(requests)
  assertAskable(questions, client.capabilities)
  return JSON.stringify({
    resultType: 'input_required',
    inputRequests: questions.length > 0 ? requests : undefined,
    requestState: state === undefined ? undefined : sealState(call, state),
    _meta: { [MetaKey.ServerInfo]: call.definition.info },
  })
}

/** @throws {McpError} -32021 when the client did not declare a capability that a question needs */
export function assertAskable(questions: InputRequest[], capabilities: ClientCapabilities): void {
  const unsupported = questions.filter((one) => !one.isSupportedBy(capabilities))
  if (unsupported.length > 0) {
    const required: ClientCapabilities = {}
    for (const { requires } of unsupported) {
      Object.assign(required, requires)
    }
    throw missingCapability(required)
  }
}
