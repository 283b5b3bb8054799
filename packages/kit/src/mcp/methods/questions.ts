import { randomUUID } from 'node:crypto'

import router from '@adonisjs/core/services/router'

import { assertArgument } from '#config/checks'
import { pathTo } from '#http/pages'
import { ErrorCode, McpError } from '#mcp/errors'
import { type Call, openState, sealState } from '#mcp/protocol/call'
import { declares, missingCapability } from '#mcp/protocol/capabilities'
import { MetaKey } from '#mcp/protocol/era'
import { assertOr } from '#process/assert_or'
import { objectOr } from '#process/objects'
import { type McpRequest, InputRequest } from '#mcp/request'
import { type Question, Response } from '#mcp/response'
import { QUESTION_PAGE } from '#mcp/tasks/page_questions'
import type { ClientCapabilities, JsonObject, JsonSchema, ToolClass } from '#mcp/types'

/**
 * The interim result that asks the client for input (2026-07-28 schema, InputRequiredResult).
 * @throws {McpError} -32021 when the client did not declare a capability that a question needs,
 * -32603 for revisions before 2026-07-28, which have no such result
 */
export function inputRequired(call: Call, { client }: McpRequest, question: Question): string {
  const { requests, state } = question
  const questions = Object.values(requests)
  const isModern = call.era.name === 'modern'
  assertOr(isModern, McpError, ErrorCode.InternalError, needsModernClient(questions[0]))
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
    throw missingCapability(Object.assign({}, ...unsupported.map(({ requires }) => requires)))
  }
}

/** What `olderClients` "confirm" adds to the arguments of a tool. */
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

export function asksByConfirm({ era }: Call, { olderClients }: ToolClass): boolean {
  return era.name === 'legacy' && olderClients === 'confirm'
}

/** @throws {InvalidArgumentsException} for a tool that has one of the arguments itself */
export function withConfirm(schema: JsonSchema, owner: string): JsonSchema {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const taken = Object.keys(ARGUMENTS).find((name) => Object.hasOwn(properties, name))
  const fault = `${owner} cannot have an argument "${taken}" of its own: "olderClients" adds it`
  assertArgument(!taken, fault)
  return { ...schema, properties: { ...properties, ...ARGUMENTS } }
}

/**
 * The call without the arguments that answer a question, and with their answers.
 * @returns a failure for the model when they belong to another call, or came too late
 */
export function confirmedCall(call: Call, args: JsonObject): Call | Response<never> {
  const { confirm, answers, ...own } = args
  const stripped = withParams(call, { arguments: own })
  if (confirm === undefined) {
    return stripped
  }
  try {
    const state = openState(withParams(stripped, { requestState: confirm }))
    return { ...stripped, answered: { state, contents: objectOr(answers) } }
  } catch (error) {
    if (!(error instanceof McpError)) {
      throw error
    }
    return Response.error(
      '"confirm" is not what this tool gave for these arguments, or too old. Call again without it.'
    )
  }
}

/** The call with what the person has answered on a page since the last one; no other call gets it. */
export async function visitedCall(call: Call, { olderClients }: ToolClass): Promise<Call> {
  const isAsked = call.era.name === 'legacy' && olderClients === 'visit'
  const answered = isAsked ? await call.tasks?.questions.take(call) : null
  return answered ? { ...call, answered } : call
}

/** Asks the person on a page or through the model, or says why that is not possible. */
export async function askOlderClient(call: Call, Class: ToolClass, { requests, state }: Question) {
  const questions = Object.values(requests)
  const modes = new Set(questions.map(({ params }) => params.mode))
  const only = Class.olderClients === 'visit' && modes.size === 1 ? [...modes][0] : null
  if (only === 'url') {
    return askToVisit(call, requests)
  }
  if (only === 'form') {
    return askOnPage(call, Class, { requests, state })
  }
  const other = questions.find(({ method }) => method !== 'elicitation/create')
  if (other || !asksByConfirm(call, Class)) {
    return Response.error(needsModernClient(other ?? questions[0]))
  }
  const said = ' and "answers", an object with what they said by these names,'
  const filled = modes.has('form') ? said : ''
  return Response.error(
    [
      'The person has to be asked before this goes on. Ask them, and do not answer for them:',
      ...describe(requests),
      `When they agree, call again with the same arguments, "confirm": ${JSON.stringify(sealState(call, state))}${filled} and nothing else changed. When they decline, do not call again.`,
    ].join('\n')
  )
}

/**
 * Sends the person to a page of this application with the forms. It takes answers of the caller alone,
 * so there has to be a user (2025-11-25, "Elicitation", Phishing).
 * @throws {McpError} -32042
 */
async function askOnPage(call: Call, Class: ToolClass, question: Question) {
  const { caller, config, tasks } = call
  if (!tasks || config.url === null || !router.has(QUESTION_PAGE)) {
    return Response.error(needsModernClient())
  }
  if (!caller?.person) {
    return Response.error(
      'This call needs input from the user on a page of this server, which takes a client that is signed in for a user.'
    )
  }
  const handle = await tasks.questions.ask(call, Class, question)
  const page = `${config.url}${pathTo(QUESTION_PAGE, [handle])}`
  const messages = Object.values(question.requests).map(({ params }) => params.message)
  return askToVisit(call, { page: InputRequest.visit(messages.join(' '), page) })
}

/**
 * Sends the person to the pages, by the client where it opens URLs and else through the model
 * (2025-11-25, "Elicitation", URL Elicitation Required Error).
 * @throws {McpError} -32042
 */
function askToVisit(call: Call, requests: Question['requests']): Response<never> {
  const reason = 'The person has to open a page first'
  if (declares(call, 'visits')) {
    const pages = Object.values(requests)
    const elicitations = pages.map(({ params }) => ({ ...params, elicitationId: randomUUID() }))
    throw new McpError(ErrorCode.UrlElicitationRequired, reason, { data: { elicitations } })
  }
  const lines = [`${reason}. Tell them:`, ...describe(requests)]
  return Response.error([...lines, 'Then call again with the same arguments.'].join('\n'))
}

const NEEDS = {
  'sampling/createMessage': ['asks the model of the client for a text (sampling)', ' and sampling'],
  'roots/list': ['asks for the folders of the client (roots)', ' and roots'],
  'elicitation/create': ['needs input from the user', ''],
}

function needsModernClient(question?: InputRequest): string {
  const [need, more] = NEEDS[question?.method ?? 'elicitation/create']
  return `This call ${need}, which takes a client that supports MCP 2026-07-28${more}.`
}

function describe(requests: Question['requests']): string[] {
  return Object.entries(requests).map(([name, { params }]) =>
    params.mode === 'url'
      ? `- ${name}: ${params.message} They open ${params.url} for it.`
      : `- ${name}: ${params.message} (an object of the JSON Schema ${JSON.stringify(params.requestedSchema)})`
  )
}

function withParams(call: Call, changes: JsonObject): Call {
  const { request } = call
  return { ...call, request: { ...request, params: { ...request.params, ...changes } } }
}
