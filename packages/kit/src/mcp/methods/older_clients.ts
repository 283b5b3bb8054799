import { randomUUID } from 'node:crypto'

import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { ErrorCode, McpError } from '#mcp/errors'
import type { InputRequest, InputRequests } from '#mcp/input_request'
import type { Call } from '#mcp/protocol/call'
import { declares } from '#mcp/protocol/declared'
import { isObject, type JsonObject } from '#mcp/protocol/json_rpc'
import { openState, sealState } from '#mcp/protocol/request_state'
import { Response } from '#mcp/response'
import type { JsonSchema, ToolClass } from '#mcp/types'

/*
| Clients of revisions before 2026-07-28 cannot be asked during a call, since no state is kept
| between requests. A tool whose `olderClients` is "confirm" asks through the model: its questions
| are a text, and the answers come with the next call.
*/

/** The arguments that such a tool has besides its own. */
const ARGUMENTS: Record<'confirm' | 'answers', JsonSchema> = {
  confirm: {
    type: 'string',
    description:
      'Left out at first. The tool may ask to be called again with the value that it gives, after the person has agreed.',
  },
  answers: {
    type: 'object',
    description: 'What the person has answered, by the names of the questions that the tool asked.',
  },
}

/** Whether the tool asks this client through the model. */
export function asksByConfirm({ era }: Call, { olderClients }: ToolClass): boolean {
  return era.name === 'legacy' && olderClients === 'confirm'
}

/**
 * The input schema that older clients see.
 *
 * @throws {InvalidArgumentsException} for a tool that has one of the arguments itself
 */
export function withConfirm(schema: JsonSchema, owner: string): JsonSchema {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const taken = Object.keys(ARGUMENTS).find((name) => Object.hasOwn(properties, name))
  if (taken) {
    throw new InvalidArgumentsException(
      `${owner} cannot have an argument "${taken}" of its own: "olderClients" adds it`
    )
  }
  return { ...schema, properties: { ...properties, ...ARGUMENTS } }
}

/**
 * The call without the arguments that answer a question, and with their answers.
 *
 * @returns a failure for the model when they belong to another call, or came too late
 */
export function confirmedCall(call: Call, args: JsonObject): Call | Response<never> {
  const { confirm, answers = {}, ...own } = args
  const stripped = { ...call, request: withParams(call, { arguments: own }) }
  if (confirm === undefined) {
    return stripped
  }
  try {
    const state = openState({
      ...call,
      request: withParams(call, { arguments: own, requestState: confirm }),
    })
    return { ...stripped, answered: { state, contents: isObject(answers) ? answers : {} } }
  } catch (error) {
    if (!(error instanceof McpError)) {
      throw error
    }
    return Response.error(
      '"confirm" is not what this tool gave for these arguments, or too old. Call again without it.'
    )
  }
}

/** Asks the person through the model, or says why that is not possible. */
export function askOlderClient(
  call: Call,
  Class: ToolClass,
  { requests, state }: { requests: InputRequests; state: unknown }
): Response<never> {
  const questions = Object.entries(requests)
  if (Class.olderClients === 'visit' && areVisits(questions)) {
    return askToVisit(call, questions)
  }
  const other = questions.find(([, { method }]) => method !== 'elicitation/create')
  if (other || !asksByConfirm(call, Class)) {
    return Response.error(needsModernClient(other?.[1] ?? questions[0]?.[1]))
  }
  const lines = questions.map(([name, question]) => `- ${name}: ${describe(question)}`)
  const hasForm = questions.some(([, { params }]) => params.mode === 'form')
  const filled = hasForm ? ' and "answers", an object with what they said by these names,' : ''
  return Response.error(
    [
      'The person has to be asked before this goes on. Ask them, and do not answer for them:',
      ...lines,
      `When they agree, call again with the same arguments, "confirm": ${JSON.stringify(sealState(call, state))}${filled} and nothing else changed. When they decline, do not call again.`,
    ].join('\n')
  )
}

function areVisits(questions: [string, InputRequest][]): boolean {
  return questions.length > 0 && questions.every(([, { params }]) => params.mode === 'url')
}

/**
 * Sends the person to the pages, by the client where it opens URLs and else through the model
 * (2025-11-25, "Elicitation", URL Elicitation Required Error). The next call brings no answer.
 *
 * @throws {McpError} -32042
 */
function askToVisit(call: Call, questions: [string, InputRequest][]): Response<never> {
  if (declares(call, 'visits')) {
    const elicitations = questions.map(([, { params }]) => ({
      ...params,
      elicitationId: randomUUID(),
    }))
    throw new McpError(ErrorCode.UrlElicitationRequired, 'The person has to open a page first', {
      data: { elicitations },
    })
  }
  const lines = questions.map(([name, question]) => `- ${name}: ${describe(question)}`)
  return Response.error(
    ['The person has to open a page first. Tell them:', ...lines, 'Then call again.'].join('\n')
  )
}

/** Why an older client cannot be asked, by what was to be asked. */
export function needsModernClient(question: InputRequest | undefined): string {
  switch (question?.method) {
    case 'sampling/createMessage':
      return 'This call asks the model of the client for a text (sampling), which takes a client that supports MCP 2026-07-28 and sampling.'
    case 'roots/list':
      return 'This call asks for the folders of the client (roots), which takes a client that supports MCP 2026-07-28 and roots.'
    default:
      return 'This call needs input from the user, which takes a client that supports MCP 2026-07-28.'
  }
}

function describe({ params }: InputRequest): string {
  return params.mode === 'url'
    ? `${params.message} They open ${params.url} for it.`
    : `${params.message} (an object of the JSON Schema ${JSON.stringify(params.requestedSchema)})`
}

function withParams({ request }: Call, changes: JsonObject): Call['request'] {
  return { ...request, params: { ...request.params, ...changes } }
}
