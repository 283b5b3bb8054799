import { invalidParams, quoted } from '#mcp/errors'
import { runHandler } from '#mcp/methods/failures'
import { requireScopes } from '#mcp/methods/observed'
import { type Call, complete, objectParam, stringParam, stringsParam } from '#mcp/protocol/call'
import { CallLimits } from '#mcp/protocol/call_limits'
import type { PromptClass, ResourceClass } from '#mcp/types'

/** Maximum number of `completion.values` (2026-07-28 schema, CompleteResult). */
const MAX_VALUES = 100

/** `completion/complete`: suggestions for an argument of a prompt or a variable of a template. */
export async function completeArgument(call: Call): Promise<string> {
  const { params } = call.request
  const argument = objectParam(params, 'argument')
  const name = stringParam(argument, 'name')
  const value = stringParam(argument, 'value')
  const known = stringsParam(objectParam(params, 'context'), 'arguments')
  const Class = completedClass(call, name)
  requireScopes(call, Class.scopes)
  await call.count(call.caller, call.ctx, { kind: 'completion', name: '' })

  const limits = new CallLimits(call)
  const values = await runHandler(call, limits, async () => {
    if (!Class.prototype.complete) {
      return []
    }
    const instance = await call.ctx.containerResolver.make(Class)
    return instance.complete!(name, value, known)
  }).finally(() => limits.release())
  return complete(call, {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  })
}

function completedClass({ definition, caller, request: { params } }: Call, argument: string) {
  const ref = objectParam(params, 'ref')
  if (ref.type === 'ref/prompt') {
    const name = stringParam(ref, 'name')
    const prompt = definition.findPrompt(name, caller)
    if (!prompt) {
      throw invalidParams(`Unknown prompt: ${quoted(name)}`)
    }
    return withArgument(prompt.Class, prompt.argumentNames.has(argument), argument)
  }
  if (ref.type === 'ref/resource') {
    const uri = stringParam(ref, 'uri')
    const template = definition.findTemplate(uri, caller)
    if (!template) {
      throw invalidParams(`Unknown resource template: ${quoted(uri)}`)
    }
    return withArgument(template.Class, template.template.variables.includes(argument), argument)
  }
  throw invalidParams('"ref.type" must be "ref/prompt" or "ref/resource"')
}

function withArgument<Class extends PromptClass | ResourceClass>(
  Class: Class,
  isKnown: boolean,
  argument: string
): Class {
  if (!isKnown) {
    throw invalidParams(`Unknown argument: ${quoted(argument)}`)
  }
  return Class
}
