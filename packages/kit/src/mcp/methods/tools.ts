import { invalidParams, quoted } from '#mcp/errors'
import { inputRequired } from '#mcp/methods/input_required'
import { asksByConfirm, confirmedCall } from '#mcp/methods/older_clients'
import { observed } from '#mcp/methods/observed'
import { isTask, startTask } from '#mcp/methods/task_start'
import { runTool, toolResult } from '#mcp/methods/tool_run'
import {
  type Call,
  complete,
  hasMirroredHeaders,
  objectParam,
  stringParam,
} from '#mcp/protocol/call'
import { declares } from '#mcp/protocol/declared'
import { checkNameHeader, checkParamHeaders } from '#mcp/protocol/mirrored_headers'
import { Response } from '#mcp/response'

/** `tools/call`. */
export async function callTool(call: Call): Promise<string> {
  const { params } = call.request
  const name = stringParam(params, 'name')
  if (hasMirroredHeaders(call)) {
    checkNameHeader(name, call.header)
  }

  const tool = call.definition.findTool(name, call.caller, declares(call, 'apps'))
  if (!tool) {
    throw invalidParams(`Unknown tool: ${quoted(name)}`)
  }
  const sent = objectParam(params, 'arguments')
  if (hasMirroredHeaders(call)) {
    checkParamHeaders(tool.headers, sent, call.header)
  }

  const target = { kind: 'tool', name, scopes: tool.Class.scopes } as const
  if (isTask(call, tool)) {
    return startTask(call, tool, sent, target)
  }
  const confirmed = asksByConfirm(call, tool.Class) ? confirmedCall(call, sent) : call
  if (confirmed instanceof Response) {
    return complete(call, toolResult(call, confirmed))
  }
  const args = objectParam(confirmed.request.params, 'arguments')
  return observed(confirmed, target, async (request, limits) => {
    const response = (await runTool(confirmed, tool, args, request, limits))!
    return response.question
      ? { json: inputRequired(call, request, response.question) }
      : { json: complete(call, toolResult(call, response)), failed: response.kind === 'error' }
  })
}
