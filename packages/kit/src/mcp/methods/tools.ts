import { invalidParams, quoted } from '#mcp/errors'
import { observed } from '#mcp/methods/handlers'
import { asksByConfirm, confirmedCall, visitedCall } from '#mcp/methods/questions'
import { isTask, startTask } from '#mcp/methods/tasks'
import { answerOf, runTool, toolResult } from '#mcp/methods/tool_run'
import {
  addressed,
  type Call,
  complete,
  handlerRequest,
  hasMirroredHeaders,
  objectParam,
} from '#mcp/protocol/call'
import { declares } from '#mcp/protocol/capabilities'
import { checkParamHeaders } from '#mcp/protocol/mirrored_headers'
import { Response } from '#mcp/response'

export async function callTool(call: Call): Promise<string> {
  const name = addressed(call, 'name')
  const tool = call.definition.findTool(name, call.caller, declares(call, 'apps'))
  if (!tool) {
    throw invalidParams(`Unknown tool: ${quoted(name)}`)
  }
  const sent = objectParam(call.request.params, 'arguments')
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
    const visited = await visitedCall(confirmed, tool.Class)
    const own = visited === confirmed ? request : handlerRequest(visited, limits.signal)
    const response = (await runTool(visited, tool, args, own, limits))!
    return answerOf(call, own, response)
  })
}
