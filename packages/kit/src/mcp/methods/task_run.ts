import type { ToolDefinition } from '#mcp/definition/server_definition'
import { invalidRequest } from '#mcp/errors'
import { assertAskable } from '#mcp/methods/input_required'
import { announcerOf } from '#mcp/methods/observed'
import { runTool, toolResult } from '#mcp/methods/tool_run'
import type { Call } from '#mcp/protocol/call'
import { CallCancelled, CallLimits } from '#mcp/protocol/call_limits'
import { McpRequest } from '#mcp/request'
import type { Response } from '#mcp/response'
import type { OutstandingQuestion, TaskRecord } from '#mcp/tasks/task_store'
import { failure } from '#mcp/tasks/wire'

/** Milliseconds between two looks whether another process was asked to cancel. */
const WATCH = 2000

/** What a run of the handler changes. */
type Changes = Pick<TaskRecord, 'status'> & Partial<TaskRecord>

/**
 * Runs the handler of a task after the request that started or resumed it. It ends with a result, an
 * error or questions, all of which are stored; the answers to questions start another run, in
 * whichever process gets them.
 */
export function runTask(request: Call, id: string, tool: ToolDefinition, record: TaskRecord): void {
  const tasks = request.tasks!
  const call: Call = {
    ...request,
    signal: new AbortController().signal,
    notify: null,
    write: null,
    canChallenge: () => false,
    handlerStarts: () => {},
  }
  const limits = new CallLimits(call, tasks.timeout)
  const watch = setInterval(() => {
    void tasks.isWorking(id).then(
      (isWorking) => !isWorking && limits.cancel(),
      (error) => call.ctx.logger.error({ err: error }, 'Cannot look at an MCP task')
    )
  }, WATCH).unref()

  async function work() {
    try {
      const changes = await outcomeOf(call, tool, record, limits)
      await tasks.change(id, (one) =>
        one.status === 'working' && one.rounds === record.rounds ? { ...one, ...changes } : null
      )
    } catch (error) {
      if (!(error instanceof CallCancelled)) {
        call.ctx.logger.error({ err: error }, 'Cannot store the outcome of an MCP task')
      }
    } finally {
      clearInterval(watch)
      limits.release()
    }
  }
  tasks.track(id, limits, work())
}

/** @throws {CallCancelled} when the task was cancelled */
async function outcomeOf(
  call: Call,
  tool: ToolDefinition,
  record: TaskRecord,
  limits: CallLimits
): Promise<Changes> {
  const announce = announcerOf(call, {
    kind: 'tool',
    name: tool.Class.name,
    scopes: tool.Class.scopes,
  })
  const request = new McpRequest({
    ctx: call.ctx,
    caller: call.caller,
    signal: limits.signal,
    protocolVersion: call.era.version,
    client: record.client,
    notify: null,
    responses: record.responses,
    state: record.state,
  })
  try {
    const response = await runTool(call, tool, record.args as object, request, limits, ['handle'])
    if (response!.question) {
      return asked(record, response!.question)
    }
    announce(response!.kind === 'error' ? 'failed' : 'called')
    return {
      status: 'completed',
      outcome: { result: toolResult(call, response!) },
      runsUntil: null,
    }
  } catch (error) {
    announce('failed')
    if (error instanceof CallCancelled) {
      throw error
    }
    return { status: 'failed', outcome: failure(error), runsUntil: null }
  }
}

/**
 * The task waits for answers. A key is used once within a task, so it counts the rounds (Tasks
 * extension, "Task Update Requests").
 */
function asked(
  record: TaskRecord,
  { requests, state }: NonNullable<Response['question']>
): Changes {
  const questions = Object.entries(requests)
  if (questions.length === 0) {
    throw invalidRequest('The tool asks for input without a question')
  }
  assertAskable(Object.values(requests), record.client.capabilities)
  const rounds = record.rounds + 1
  const outstanding = questions.map(([name, request]): [string, OutstandingQuestion] => [
    `${rounds}:${name}`,
    { name, request },
  ])
  return {
    status: 'input_required',
    questions: Object.fromEntries(outstanding),
    state,
    rounds,
    runsUntil: null,
  }
}
