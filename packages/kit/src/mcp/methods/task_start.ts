import type { ToolDefinition } from '#mcp/definition/server_definition'
import { invalidRequest } from '#mcp/errors'
import { inputRequired } from '#mcp/methods/input_required'
import { observed, type Target } from '#mcp/methods/observed'
import { runTask } from '#mcp/methods/task_run'
import { runTool, toolResult } from '#mcp/methods/tool_run'
import { type Call, complete, inputResponses, missingCapability } from '#mcp/protocol/call'
import { metaOf } from '#mcp/protocol/era'
import type { JsonObject } from '#mcp/protocol/json_rpc'
import { MetaKey } from '#mcp/protocol/versions'
import { declaresTasks, TASKS_CAPABILITY, taskMembers } from '#mcp/tasks/wire'
import type { ClientCapabilities } from '#mcp/types'

/**
 * Whether a call becomes a task. The server decides; a client only says that it knows tasks.
 *
 * @throws {McpError} -32021 for a tool that needs tasks and a client that does not know them
 */
export function isTask(call: Call, { Class }: ToolDefinition): boolean {
  if (Class.taskSupport === 'never') {
    return false
  }
  if (call.tasks && clientDeclaresTasks(call)) {
    return true
  }
  if (Class.taskSupport === 'required') {
    throw call.era.name === 'modern'
      ? missingCapability(TASKS_CAPABILITY)
      : invalidRequest('The tool takes a client that supports tasks of MCP 2026-07-28', 200)
  }
  return false
}

export function clientDeclaresTasks({ era, request }: Call): boolean {
  const capabilities = metaOf(request.params)[MetaKey.ClientCapabilities]
  return era.name === 'modern' && declaresTasks(capabilities as ClientCapabilities)
}

/**
 * Answers a call with a task, and runs its handler afterwards. What `prepare` asks or answers comes
 * before the task exists (Tasks extension, "Task Creation").
 */
export function startTask(
  call: Call,
  tool: ToolDefinition,
  args: JsonObject,
  target: Target
): Promise<string> {
  return observed(call, target, async (request, limits) => {
    const early = await runTool(call, tool, args, request, limits, ['prepare'])
    if (early) {
      return early.question
        ? { json: inputRequired(call, request, early.question) }
        : { json: complete(call, toolResult(call, early)), failed: early.kind === 'error' }
    }
    const { id, record } = await call.tasks!.create(call, {
      tool: tool.Class.name,
      args,
      client: request.client,
      responses: inputResponses(call.request.params),
      state: request.state,
    })
    runTask(call, id, tool, record)
    const result = { ...taskMembers(id, record), resultType: 'task' }
    return { json: complete(call, result), continues: true }
  })
}
