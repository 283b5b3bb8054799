import { requireScopes } from '#mcp/caller'
import { visibleTo } from '#mcp/definition/server_definition'
import { assertParams, ErrorCode, McpError, quoted } from '#mcp/errors'
import { observed, runHandler, statusOf } from '#mcp/methods/handlers'
import { inputRequired } from '#mcp/methods/questions'
import { told } from '#mcp/methods/tool_run'
import { addressed, type Call, complete, objectParam, stringParam } from '#mcp/protocol/call'
import { CallLimits } from '#mcp/protocol/running_calls'
import { Response } from '#mcp/response'
import type { JsonObject, PromptClass, ResourceClass, ResourceContents } from '#mcp/types'
import { assertOr } from '#process/assert_or'

export async function getPrompt(call: Call): Promise<string> {
  const name = addressed(call, 'name')
  const { Class, argumentNames, required } = knownPrompt(call, name)
  const sent = argumentsIn(call.request.params)
  const missing = required.filter((argument) => !Object.hasOwn(sent, argument))
  assertParams(missing.length === 0, `Missing required arguments: ${missing.join(', ')}`)
  const known = Object.entries(sent).filter(([argument]) => argumentNames.has(argument))
  const args = Object.fromEntries(known)

  const target = { kind: 'prompt', name, scopes: Class.scopes } as const
  return observed(call, target, async (request, limits) => {
    const response = await runHandler(call, limits, async () => {
      const instance = await call.ctx.containerResolver.make(Class)
      const answer = await instance.handle(args, request)
      const fault = `The MCP prompt "${Class.name}" returned no Response`
      assertOr(answer instanceof Response, TypeError, fault)
      return answer
    })
    if (response.question) {
      return { json: inputRequired(call, request, response.question) }
    }
    assertParams(response.kind !== 'error', response.plainText)
    const messages = response.parts.map(({ role, block }) => ({ role, content: told(call, block) }))
    return { json: complete(call, { description: Class.description, messages }) }
  })
}

function knownPrompt({ definition, caller }: Call, name: string) {
  const prompt = visibleTo(caller, definition.offers.prompts.get(name))
  assertParams(prompt, `Unknown prompt: ${quoted(name)}`)
  return prompt
}

/** The optional parameter `arguments`, which maps names to strings; empty when absent. */
function argumentsIn(params: JsonObject): Record<string, string> {
  const value = objectParam(params, 'arguments')
  const other = Object.keys(value).find((key) => typeof value[key] !== 'string')
  const fault = `"arguments" must map names to strings, and "${other}" is no string`
  assertParams(other === undefined, fault)
  return value as Record<string, string>
}

/** Maximum number of `completion.values` (2026-07-28 schema, CompleteResult). */
const MAX_VALUES = 100

/** `completion/complete`: suggestions for an argument of a prompt or a variable of a template. */
export async function completeArgument(call: Call): Promise<string> {
  const { params } = call.request
  const { Class, names } = completedClass(call)
  const argument = objectParam(params, 'argument')
  const name = stringParam(argument, 'name')
  const value = stringParam(argument, 'value')
  const known = argumentsIn(objectParam(params, 'context'))
  assertParams(names.includes(name), `Unknown argument: ${quoted(name)}`)
  requireScopes(call, Class.scopes)
  await call.count(call.caller, call.ctx, { kind: 'completion', name: '' })

  const limits = new CallLimits(call)
  const values = await runHandler(call, limits, async () => {
    const instance = Class.prototype.complete && (await call.ctx.containerResolver.make(Class))
    return instance ? instance.complete!(name, value, known) : []
  }).finally(() => limits.release())
  const total = values.length
  const shown = values.slice(0, MAX_VALUES)
  return complete(call, { completion: { values: shown, total, hasMore: total > MAX_VALUES } })
}

function completedClass(call: Call): { Class: PromptClass | ResourceClass; names: string[] } {
  const ref = objectParam(call.request.params, 'ref')
  if (ref.type === 'ref/prompt') {
    const { Class, argumentNames } = knownPrompt(call, stringParam(ref, 'name'))
    return { Class, names: [...argumentNames] }
  }
  assertParams(ref.type === 'ref/resource', '"ref.type" must be "ref/prompt" or "ref/resource"')
  const uri = stringParam(ref, 'uri')
  const found = visibleTo(call.caller, call.definition.offers.templates.get(uri))
  assertParams(found, `Unknown resource template: ${quoted(uri)}`)
  return { Class: found.Class, names: found.template.variables }
}

export async function readResource(call: Call): Promise<string> {
  const uri = addressed(call, 'uri')
  const found = call.definition.findResource(uri, call.caller)
  assertResource(found, call, uri)
  const { Class, variables } = found
  const target = { kind: 'resource', name: Class.uri, scopes: Class.scopes } as const
  return observed(call, target, async (request, limits) => {
    const read = await runHandler(call, limits, async () => {
      try {
        const instance = await call.ctx.containerResolver.make(Class)
        return checkRead(await instance.read(variables, request), Class)
      } catch (error) {
        assertResource(statusOf(error) !== 404, call, uri)
        throw error
      }
    })

    assertResource(read !== null, call, uri)
    if (read instanceof Response) {
      return { json: inputRequired(call, request, read.question!) }
    }
    const { ttlMs, cacheScope } = Class
    const contents = contentsOf(read, uri, Class)
    const isModern = call.era.name === 'modern'
    return { json: complete(call, { contents, ...(isModern && { ttlMs, cacheScope }) }) }
  })
}

function assertResource(isThere: unknown, { era }: Call, uri: string): asserts isThere {
  const { InvalidParams, LegacyResourceNotFound } = ErrorCode
  const code = era.name === 'modern' ? InvalidParams : LegacyResourceNotFound
  assertOr(isThere, McpError, code, 'Resource not found', { data: { uri: quoted(uri) } })
}

function checkRead<Read>(read: Read, Class: ResourceClass): Read {
  const fits =
    read === null ||
    typeof read === 'string' ||
    read instanceof Uint8Array ||
    Array.isArray(read) ||
    (read instanceof Response && read.question)
  const fault = `The MCP resource "${Class.name}" must read text, bytes, a list of contents or null`
  assertOr(fits, TypeError, fault)
  return read
}

function contentsOf(
  read: string | Uint8Array | ResourceContents[],
  uri: string,
  { mimeType }: ResourceClass
): ResourceContents[] {
  if (Array.isArray(read)) {
    return read
  }
  const isText = typeof read === 'string'
  const content = isText ? { text: read } : { blob: Buffer.from(read).toString('base64') }
  return [{ uri, mimeType, ...content }]
}
