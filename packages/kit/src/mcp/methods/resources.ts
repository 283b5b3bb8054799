import { ErrorCode, McpError, quoted } from '#mcp/errors'
import { observed, runHandler, statusOf } from '#mcp/methods/handlers'
import { inputRequired } from '#mcp/methods/questions'
import { addressed, type Call, complete } from '#mcp/protocol/call'
import { Response } from '#mcp/response'
import type { ResourceClass, ResourceContents } from '#mcp/types'
import { assertOr } from '#process/assert_or'

export async function readResource(call: Call): Promise<string> {
  const uri = addressed(call, 'uri')
  const found = call.definition.findResource(uri, call.caller)
  if (!found) {
    throw notFound(call, uri)
  }
  const { Class, variables } = found
  const target = { kind: 'resource', name: Class.uri, scopes: Class.scopes } as const
  return observed(call, target, async (request, limits) => {
    const read = await runHandler(call, limits, async () => {
      try {
        const instance = await call.ctx.containerResolver.make(Class)
        return checkRead(await instance.read(variables, request), Class)
      } catch (error) {
        throw statusOf(error) === 404 ? notFound(call, uri) : error
      }
    })

    if (read === null) {
      throw notFound(call, uri)
    }
    if (read instanceof Response) {
      return { json: inputRequired(call, request, read.question!) }
    }
    const { ttlMs, cacheScope } = Class
    const contents = contentsOf(read, uri, Class)
    const isModern = call.era.name === 'modern'
    return { json: complete(call, { contents, ...(isModern && { ttlMs, cacheScope }) }) }
  })
}

function notFound({ era }: Call, uri: string): McpError {
  const { InvalidParams, LegacyResourceNotFound } = ErrorCode
  const code = era.name === 'modern' ? InvalidParams : LegacyResourceNotFound
  return new McpError(code, 'Resource not found', { data: { uri: quoted(uri) } })
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
