import { invalidParams, quoted } from '#mcp/errors'
import { inputRequired } from '#mcp/methods/input_required'
import { runHandler } from '#mcp/methods/failures'
import { observed } from '#mcp/methods/observed'
import {
  type Call,
  complete,
  hasMirroredHeaders,
  stringParam,
  stringsParam,
} from '#mcp/protocol/call'
import { checkNameHeader } from '#mcp/protocol/mirrored_headers'
import { Response } from '#mcp/response'

/** `prompts/get`. */
export async function getPrompt(call: Call): Promise<string> {
  const { params } = call.request
  const name = stringParam(params, 'name')
  if (hasMirroredHeaders(call)) {
    checkNameHeader(name, call.header)
  }

  const prompt = call.definition.findPrompt(name, call.caller)
  if (!prompt) {
    throw invalidParams(`Unknown prompt: ${quoted(name)}`)
  }
  const sent = stringsParam(params, 'arguments')
  const missing = prompt.required.filter((argument) => !Object.hasOwn(sent, argument))
  if (missing.length > 0) {
    throw invalidParams(`Missing required arguments: ${missing.join(', ')}`)
  }
  const args = Object.fromEntries(
    Object.entries(sent).filter(([argument]) => prompt.argumentNames.has(argument))
  )

  const { Class } = prompt
  const target = { kind: 'prompt', name, scopes: Class.scopes } as const
  return observed(call, target, async (request, limits) => {
    const response = await runHandler(call, limits, async () => {
      const instance = await call.ctx.containerResolver.make(Class)
      const answer = await instance.handle(args, request)
      if (!(answer instanceof Response)) {
        throw new TypeError(`The MCP prompt "${Class.name}" returned no Response`)
      }
      return answer
    })

    if (response.question) {
      return { json: inputRequired(call, request, response.question) }
    }
    if (response.kind === 'error') {
      throw invalidParams(response.plainText)
    }
    const messages = response.parts.map(({ role, block }) => ({ role, content: block }))
    return { json: complete(call, { description: Class.description, messages }) }
  })
}
